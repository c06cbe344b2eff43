"""Outlines of documents for an overlay."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from pmlda_gui.imagery.documents import make_documents
from pmlda_gui.imagery.documents.documents import documents_from_labels
from pmlda_gui.imagery.image import Image


def drawn_sides(segments: NDArray[np.float32]) -> set[tuple[float, float]]:
    """The middles of all pixel sides that the lines run along."""
    middles: set[tuple[float, float]] = set()
    for (column, row), (last_column, last_row) in segments.tolist():
        length = int(last_column - column + last_row - row)
        step = ((last_column - column) / length, (last_row - row) / length)
        middles |= {
            (column + (n + 0.5) * step[0], row + (n + 0.5) * step[1]) for n in range(length)
        }
    return middles


def test_the_outline_between_two_halves_is_one_pixel_wide_and_spares_the_frame() -> None:
    labels = np.repeat([[0] * 3 + [1] * 4], 5, axis=0).astype(np.int32)
    outlines = documents_from_labels("labels", labels, 1, 0).outlines()
    assert np.array_equal(outlines, np.repeat([[0, 0, 1, 0, 0, 0, 0]], 5, axis=0).astype(bool))


def test_outlines_are_painted_on_documents_and_never_on_masked_pixels() -> None:
    labels = np.full((5, 6), -1, dtype=np.int32)
    labels[1:4, 2:5] = 0
    outlines = documents_from_labels("labels", labels, 1, 0).outlines()
    ring = np.zeros((5, 6), dtype=bool)
    ring[1:4, 2:5] = True
    ring[2, 3] = False
    assert np.array_equal(outlines, ring)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    arrays.arrays(
        np.int32,
        arrays.array_shapes(min_dims=2, max_dims=2, max_side=7),
        elements=st.integers(0, 2),
    )
)
def test_the_lines_run_along_exactly_the_sides_between_documents_and_the_frame(
    values: NDArray[np.int32],
) -> None:
    labels = np.unique(values, return_inverse=True)[1].reshape(values.shape).astype(np.int32)
    framed = np.pad(labels, 1, constant_values=-1)
    horizontal = np.argwhere(framed[1:, 1:-1] != framed[:-1, 1:-1])
    vertical = np.argwhere(framed[1:-1, 1:] != framed[1:-1, :-1])
    expected = {(column + 0.5, float(row)) for row, column in horizontal}
    expected |= {(float(column), row + 0.5) for row, column in vertical}
    segments = documents_from_labels("labels", labels, 1, 0).outline_segments()
    assert drawn_sides(segments) == expected


def test_straight_outlines_are_single_lines() -> None:
    labels = np.zeros((4, 9), dtype=np.int32)
    segments = documents_from_labels("labels", labels, 1, 0).outline_segments()
    assert sorted(map(tuple, segments.reshape(-1, 4).tolist())) == [
        (0, 0, 0, 4),
        (0, 0, 9, 0),
        (0, 4, 9, 4),
        (9, 0, 9, 4),
    ]


def test_overlapping_windows_are_outlined_each() -> None:
    image = Image(np.zeros((4, 8), dtype=np.float32), np.ones((4, 8), dtype=bool))
    documents = make_documents(image, "window", window=4, stride=2)
    assert np.array_equal(np.flatnonzero(documents.outlines()[0]), [1, 3, 5])
