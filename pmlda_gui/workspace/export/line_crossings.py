"""Finds lines that cross or touch others, with a grid of cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["crossing_lines"]

Points = NDArray[np.float64]
Numbers = NDArray[np.int64]
# Pixels; segments are looked up by the cells that pieces of this length lie in.
_CELL = 4.0


def crossing_lines(lines: Sequence[Points]) -> list[int]:
    """The numbers of lines that meet others, or themselves, elsewhere than at common ends."""
    if not lines:
        return []
    starts = np.concatenate([line[:-1] for line in lines])
    ends = np.concatenate([line[1:] for line in lines])
    owners = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    cells, segments = _cells(starts, ends)
    found: set[int] = set()
    apart = 1
    while True:
        near = np.flatnonzero(cells[apart:] == cells[:-apart])
        if not len(near):
            return sorted(found)
        one, other = segments[near], segments[near + apart]
        meeting = _meet(starts[one], ends[one], starts[other], ends[other])
        found.update(owners[one[meeting]].tolist(), owners[other[meeting]].tolist())
        apart += 1


def _cells(starts: Points, ends: Points) -> tuple[Numbers, Numbers]:
    """The cells that segments may lie in and their segments, sorted by cell."""
    lengths = np.hypot(*(ends - starts).T)
    pieces = np.maximum(np.ceil(lengths / _CELL).astype(np.int64), 1)
    segment = np.repeat(np.arange(len(starts)), pieces)
    place = np.arange(len(segment)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    step = (ends - starts)[segment] / pieces[segment, None]
    first = starts[segment] + place[:, None] * step
    corners = np.stack([first, first + step])
    low = np.floor(corners.min(axis=0) / _CELL).astype(np.int64)
    high = np.floor(corners.max(axis=0) / _CELL).astype(np.int64)
    width = int(high[:, 0].max()) + 2
    keys = [row[:, 1] * width + column[:, 0] for row in (low, high) for column in (low, high)]
    pairs = np.unique(np.column_stack([np.concatenate(keys), np.tile(segment, 4)]), axis=0)
    return pairs[:, 0], pairs[:, 1]


def _meet(a: Points, b: Points, c: Points, d: Points) -> NDArray[np.bool_]:
    """Whether segments a-b and c-d (n, 2) have more in common than an end."""
    sides = np.sign([_turn(a, b, c), _turn(a, b, d), _turn(c, d, a), _turn(c, d, b)])
    boxes = np.all(
        (np.minimum(a, b) <= np.maximum(c, d)) & (np.minimum(c, d) <= np.maximum(a, b)), axis=1
    )
    meeting = (sides[0] * sides[1] <= 0) & (sides[2] * sides[3] <= 0) & boxes
    level = ~sides.any(axis=0)
    for one, far, other, beyond in ((a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)):
        common = np.all(one == other, axis=1)
        # Segments that leave a common end in one direction lie on each other.
        folded = level & (np.einsum("nq,nq->n", far - one, beyond - other) > 0.0)
        meeting = np.where(common, folded, meeting)
    # Of two that share both ends, the last look may have been at the other end.
    same = (np.all(a == c, axis=1) & np.all(b == d, axis=1)) | (
        np.all(a == d, axis=1) & np.all(b == c, axis=1)
    )
    found: NDArray[np.bool_] = meeting | same
    return found


def _turn(a: Points, b: Points, c: Points) -> Points:
    """Twice the signed area of the triangles a, b, c."""
    turn: Points = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (
        c[:, 0] - a[:, 0]
    )
    return turn
