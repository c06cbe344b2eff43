"""Seconds to make each kind of documents, and their ratio to plain scikit-image SLIC."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from pmlda_gui.imagery.documents import KINDS, make_documents
from pmlda_gui.imagery.image import Image

__all__ = ["Row", "run"]

SHAPE = (600, 544)
COUNT = 200


@dataclass(frozen=True)
class Row:
    """One kind of documents: the best time in seconds and its ratio to plain SLIC's."""

    kind: str
    documents: int
    seconds: float
    ratio: float


def speckled_image(shape: tuple[int, int]) -> Image:
    """Ripples beside flat sand under Rayleigh speckle, with a masked border on the left."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    ripples = 1 + 0.6 * np.sin(0.4 * columns + 0.02 * rows) * (columns > shape[1] / 2)
    speckle = np.random.default_rng(0).rayleigh(1.0, shape)
    valid = columns >= shape[1] // 20
    return Image((ripples * speckle * valid).astype(np.float32), valid)


def run(quick: bool) -> list[Row]:
    """Time every kind; `quick` on a quarter of the pixels and once instead of three times."""
    from skimage.segmentation import slic

    shape = (SHAPE[0] // 2, SHAPE[1] // 2) if quick else SHAPE
    repeats = 1 if quick else 3
    image = speckled_image(shape)
    brought = make_documents(image, "grid", COUNT).labels
    for kind in KINDS:
        make_documents(image, kind, COUNT, labels=brought)  # compiles, or loads what is compiled
    plain, plain_labels = np.inf, brought
    for _ in range(repeats):
        start = perf_counter()
        plain_labels = slic(image.pixels, COUNT, channel_axis=None, start_label=0)
        plain = min(plain, perf_counter() - start)
    rows = [Row("scikit-image slic", int(plain_labels.max()) + 1, plain, 1.0)]
    for kind in KINDS:
        seconds, found = np.inf, 0
        for _ in range(repeats):
            start = perf_counter()
            found = make_documents(image, kind, COUNT, labels=brought).count
            seconds = min(seconds, perf_counter() - start)
        rows.append(Row(kind, found, seconds, seconds / plain))
    return rows


if __name__ == "__main__":
    for row in run(quick="--quick" in sys.argv[1:]):
        print(f"{row.kind:18} {row.documents:4d} documents {row.seconds:7.3f} s {row.ratio:6.2f} x")
