"""Seams and sharpness of PM-LDA's maps: how far documents show, how wide crisp borders are.

Superpixels follow borders of the image, so even maps that know nothing of them change more on
theirs than beside them.  Two such maps stand beside as yardsticks, measured on the same borders:
that of smoothed fuzzy c-means, and PM-LDA's own from the squares of a grid.  A grid follows no
border of the image, so its map's index on the squares' own sides is that of seams alone.

Real images are looked for in the folder named by PMLDA_DATA, `../shared/data` without:
`paper/hf00.mat` and `sas/*.png`.  Made scenes are always measured.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from benchmarks.tables import show
from pmlda_gui import segment
from pmlda_gui.imagery.documents import Documents
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import open_images
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.imagery.seams import border_width, seam_index
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.peers import peer_named
from pmlda_gui.peers.smoothed import smoothed_maps
from pmlda_gui.workspace.comparison import finished_run, run_peer
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import DocumentChoice, prepare, suggest_choices

__all__ = ["BLENDED", "CRISP", "run"]

CRISP = ("crisp-bands", "crisp-patches", "four-looks")
BLENDED = ("demo", "wide-bands", "very-wide", "flecked-ripples", "patchy-grass", "broken-beds")
_SHAPE = (360, 330)


def _segmented(source: Image | Path, topics: int = 3) -> Segmentation:
    found = segment(source, topics)
    assert isinstance(found, Segmentation)
    return found


def _index_without_documents(
    source: Image | Path, documents: Documents | None, topics: int = 3
) -> float:
    """The index of fuzzy c-means, blurred as PM-LDA's maps are, on the same documents."""
    assert documents is not None
    (image,) = open_images([source]) if isinstance(source, Path) else (source,)
    prepared = prepare([image])
    (found,) = run_peer(prepared, peer_named("fcm"), topics).segmentations
    blur = prepared.averaging(DEFAULT_PARAMETERS.smoothness)
    return seam_index(smoothed_maps(found.memberships, blur), documents.labels)


def _indices_of_a_grid(path: Path, documents: Documents | None) -> tuple[float, float]:
    """The index of a map made from a grid: on the borders of `documents`, and on its own."""
    assert documents is not None
    (image,) = open_images([path])
    choice = DocumentChoice(kind="grid", count=documents.count)
    prepared = prepare([image], suggest_choices([image])[0], choice)
    (found,) = finished_run(prepared, DEFAULT_PARAMETERS).segmentations()
    return seam_index(found.memberships, documents.labels), _index(found)


def _index(found: Segmentation) -> float:
    assert found.documents is not None
    return seam_index(found.memberships, found.documents.labels)


def real_images() -> list[Path]:
    """The paper's image and the synthetic aperture sonar snippets that are at hand."""
    folder = Path(os.environ.get("PMLDA_DATA", Path(__file__).parents[2] / "shared" / "data"))
    paths = [folder / "paper" / "hf00.mat", *sorted((folder / "sas").glob("*.png"))]
    return [path for path in paths if path.exists()]


def run(quick: bool = False) -> None:
    """Print the index of every image; `quick` takes one of three."""
    step = 3 if quick else 1
    rows = []
    for path in real_images()[::step]:
        found = _segmented(path)
        yardstick = _index_without_documents(path, found.documents)
        of_a_grid = _indices_of_a_grid(path, found.documents)
        rows.append((path.stem, _index(found), yardstick, *of_a_grid))
    if rows:
        columns = list(zip(*rows, strict=True))[1:]
        rows.append(("worst", *(max(column) for column in columns)))
        show(
            "Seam index of real images, 3 topics: 1 is a map without seams",
            ("image", "index", "without documents", "from a grid", "a grid's own borders"),
            rows,
        )
    made = []
    for name in (*CRISP, *BLENDED)[::step]:
        scene = make_scene(name, _SHAPE)
        found = _segmented(scene.image, len(scene.topics))
        labels = np.where(scene.image.valid, scene.memberships.argmax(axis=0), -1)
        width = border_width(found.memberships, labels) if name in CRISP else "-"
        made.append((name, _index(found), width))
    show(
        "Made scenes: seam index, and pixels from 10 to 90 % across borders that are crisp",
        ("scene", "index", "width"),
        made,
    )
