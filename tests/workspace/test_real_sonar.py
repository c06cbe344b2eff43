"""The paper's own sonar image, where it is at hand: smooth maps of separate kinds of seabed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import median_filter

from pmlda_gui.core import Parameters
from pmlda_gui.imagery.readers import offered_documents, open_image
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from pmlda_gui.workspace.run import Run

HF00 = Path(__file__).resolve().parents[3] / "shared" / "data" / "paper" / "hf00.mat"


def speckle(maps: np.ndarray) -> float:
    """Mean difference of (K, height, width) maps from their 3 x 3 median."""
    return float(np.mean([np.abs(each - median_filter(each, 3)).mean() for each in maps]))


@pytest.mark.skipif(not HF00.exists(), reason="the paper's image is not here")
def test_the_papers_image_gives_smooth_maps_of_bright_sand_ripple_and_dark_sand() -> None:
    image = open_image(HF00)
    labels = next(each.labels for each in offered_documents(HF00) if each.name == "Seg")
    prepared = prepare(
        [image], FeatureChoice("paper-sas", lattice=1), DocumentChoice("labels"), [labels], seed=0
    )
    assert prepared.corpus.size == image.pixels.size
    assert prepared.corpus.documents == 50
    run = Run(prepared, Parameters(3), seed=1, threads=2)
    while run.full_sweeps < 40:
        run.sweep()
    maps = run.segmentations()[0].memberships
    sample = prepared.words.scatter(run.chain.state.memberships)[0]
    run.close()

    # A raw sample is speckle; the streamed mean must have next to none.
    assert speckle(maps) < 0.012
    assert speckle(maps) < 0.2 * speckle(sample)

    # Brightness alone tells dark sand from the rest: the topic nearest to it must follow it.
    brightness = prepared.features[0].values[..., 0]
    correlations = [np.corrcoef(each.ravel(), brightness.ravel())[0, 1] for each in maps]
    assert min(correlations) < -0.7
    # No topic is a copy of another, and each has a place of its own.
    assert np.corrcoef(maps.reshape(3, -1)).max(initial=-1.0, where=~np.eye(3, dtype=bool)) < 0.2
    assert all(each.max() > 0.8 for each in maps)
