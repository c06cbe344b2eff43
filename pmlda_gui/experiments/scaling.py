"""What the scaling does: three superpixels with even proportions and s from 3 to 30000."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.experiments.panels import image_panel, maps, panel_size
from pmlda_gui.experiments.plate import Row, draw_rows
from pmlda_gui.experiments.study import Outcome, Study, Table
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare

__all__ = ["run"]

SCALINGS = (3.0, 10.0, 300.0, 30000.0)
_TOPICS = 3
_FEATURES = FeatureChoice(("mean", "entropy"), 21, noise="cells", lattice=1)


def _subregion(image: Image) -> Image:
    """A third of the height, from the middle of the image."""
    height = image.shape[0]
    rows = slice(height // 3, 2 * height // 3)
    return Image(
        np.ascontiguousarray(image.pixels[rows]),
        np.ascontiguousarray(image.valid[rows]),
        pixel_size=image.pixel_size,
        source=image.source,
    )


def run(study: Study) -> Outcome:
    """Maps of three topics for each scaling, and how far memberships are from even."""
    step = study.steps(len(SCALINGS))
    (picture, *_) = study.pictures(["demo"])
    image = _subregion(picture.image)
    prepared = prepare([image], _FEATURES, DocumentChoice("slic", 3), seed=study.seed)
    even = (1.0 / _TOPICS,) * _TOPICS
    rows, distances, numbers = [], [], []
    shown: NDArray[np.uint8] | None = image_panel(image, prepared.documents[0])
    for scaling in SCALINGS:
        step(f"s = {scaling:g}")
        chain = study.run(prepared, Parameters(_TOPICS, scaling=scaling, proportions=even))
        found = chain.segmentations()[0]
        away = np.sqrt(np.sum((found.memberships - 1.0 / _TOPICS) ** 2, axis=0))
        by_document = [
            float(away[prepared.documents[0].labels == document].mean())
            for document in range(prepared.documents[0].count)
        ]
        distances.append(float(np.nanmean(away)))
        numbers += [(scaling, document + 1, value) for document, value in enumerate(by_document)]
        rows.append(Row(f"s = {scaling:g}", [shown, *maps(found.memberships)]))
        shown = None
    falling = all(a > b for a, b in pairwise(distances))
    caption = (
        "Three superpixels with proportions fixed at (1/3, 1/3, 1/3).  The paper saw that within "
        "each superpixel the memberships approach the proportions as s grows, and the maps become "
        "smoother.  Here the mean distance of memberships from the proportions "
        f"{'falls with every step' if falling else 'does not fall with every step'}: "
        f"{', '.join(f'{value:.4f}' for value in distances)} for s = 3, 10, 300, 30000."
    )
    drawing = draw_rows(
        "scaling: memberships approach the proportions as s grows",
        caption,
        ["image", *(f"topic {k + 1}" for k in range(_TOPICS))],
        rows,
        panel_size([image], 240),
    )
    findings = {f"distance s={s:g}": d for s, d in zip(SCALINGS, distances, strict=True)}
    table = Table(("scaling", "document", "distance from proportions"), numbers)
    return Outcome("scaling", drawing, caption, table, findings)
