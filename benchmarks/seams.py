"""Seams and sharpness of PM-LDA's maps: how far documents show, how wide crisp borders are.

Real images are looked for in the folder named by PMLDA_DATA, `../shared/data` without:
`paper/hf00.mat` and `sas/*.png`.  Made scenes are always measured.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from benchmarks.tables import show
from pmlda_gui import segment
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.imagery.seams import border_width, seam_index
from pmlda_gui.imagery.segmentation import Segmentation

__all__ = ["BLENDED", "CRISP", "run"]

CRISP = ("crisp-bands", "crisp-patches", "four-looks")
BLENDED = ("demo", "wide-bands", "very-wide", "flecked-ripples", "patchy-grass", "broken-beds")
_SHAPE = (360, 330)


def _segmented(source: Image | Path, topics: int = 3) -> Segmentation:
    found = segment(source, topics)
    assert isinstance(found, Segmentation)
    return found


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
    rows = [(path.stem, _index(_segmented(path))) for path in real_images()[::step]]
    if rows:
        rows.append(("worst", max(index for _, index in rows)))
        show(
            "Seam index of real images, 3 topics: 1 is a map without seams",
            ("image", "index"),
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
