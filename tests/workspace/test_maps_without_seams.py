"""Maps have no seams along documents, and crisp borders stay as crisp as words are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmlda_gui.imagery.metrics import match_maps
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.imagery.seams import border_width, seam_index
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from pmlda_gui.workspace.run import Run


def test_documents_leave_no_seams_where_the_papers_show() -> None:
    scene = make_scene("wide-bands", (240, 220), 0)
    found = {}
    for smoothness, coupling, lattice in ((0.7, 1.0, 0), (0.0, 0.0, 1)):
        prepared = prepare([scene.image], FeatureChoice(lattice=lattice), DocumentChoice())
        parameters = replace(DEFAULT_PARAMETERS, smoothness=smoothness, coupling=coupling)
        run = Run(prepared, parameters, threads=1)
        while run.full_sweeps < (150 if lattice == 0 else 10):
            run.sweep()
        maps = run.segmentations()[0].memberships
        run.close()
        found[smoothness] = seam_index(maps, prepared.documents[0].labels)
    assert found[0.7] <= 1.2
    assert found[0.0] > 2.0


def test_a_crisp_border_is_no_wider_in_the_map_than_in_the_words() -> None:
    """Unmixing by least squares is what window and filters make of a border."""
    scene = make_scene("crisp-bands", (300, 280), 0)
    truth, labels = scene.memberships, scene.memberships.argmax(axis=0).astype(np.int32)
    prepared = prepare([scene.image], FeatureChoice(), DocumentChoice())
    run = Run(prepared, replace(DEFAULT_PARAMETERS, topics=len(truth)), threads=1)
    run.sweep(150)
    maps = run.segmentations()[0].memberships
    run.close()
    words = prepared.standardisation.apply(prepared.features[0].values)
    words = words.reshape(-1, words.shape[2])
    shares = truth.reshape(len(truth), -1).T
    means = np.linalg.lstsq(shares, words, rcond=None)[0]
    steps = (means[1:] - means[0]).T
    parts = np.linalg.lstsq(steps, (words - means[0]).T, rcond=None)[0]
    linear = np.vstack([1.0 - parts.sum(axis=0), parts]).reshape(truth.shape)
    ours = border_width(maps[match_maps(truth, maps)], labels)
    assert ours <= border_width(linear.astype(np.float32), labels)
