"""Which regions of a label map touch, and joining the small ones to their neighbours."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Borders", "absorb_fragments", "borders", "merge_smallest"]


class Borders(NamedTuple):
    """The borders between regions, each (P,): both regions, length in pixel sides, mean value."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    lengths: NDArray[np.int64]
    means: NDArray[np.float64]


def borders(labels: NDArray[np.int32], values: NDArray[np.float32] | None = None) -> Borders:
    """Where the regions 0..D-1 of a label map (height, width) touch; -1 is no region.

    `values` (height, width) are averaged along each border, over both its sides.
    """
    regions = int(labels.max()) + 1
    codes, sides = [], []
    for upper, lower in (
        ((slice(None), slice(None, -1)), (slice(None), slice(1, None))),
        ((slice(None, -1), slice(None)), (slice(1, None), slice(None))),
    ):
        one, other = labels[upper], labels[lower]
        touching = (one != other) & (one >= 0) & (other >= 0)
        first, second = one[touching].astype(np.int64), other[touching].astype(np.int64)
        codes.append(np.minimum(first, second) * regions + np.maximum(first, second))
        if values is not None:
            sides.append((values[upper][touching] + values[lower][touching]) / 2)
    pairs, number, lengths = np.unique(
        np.concatenate(codes), return_inverse=True, return_counts=True
    )
    means = np.zeros(pairs.size)
    if values is not None:
        means = np.bincount(number, weights=np.concatenate(sides), minlength=pairs.size) / lengths
    return Borders(pairs // regions, pairs % regions, lengths.astype(np.int64), means)


def absorb_fragments(labels: NDArray[np.int32], smallest: int) -> NDArray[np.int32]:
    """Join every region below `smallest` pixels to the neighbour it shares the longest border with.

    A region without neighbours stays.  Works on all fragments at once, round after
    round, because a speckled map may hold hundreds of thousands of them.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    while True:
        sizes = np.bincount(labels[labels >= 0])
        touching = borders(labels)
        fragment = np.concatenate([touching.first, touching.second])
        neighbour = np.concatenate([touching.second, touching.first])
        length = np.concatenate([touching.lengths, touching.lengths])
        small = sizes[fragment] < smallest
        if not small.any():
            return labels
        fragment, neighbour, length = fragment[small], neighbour[small], length[small]
        order = np.lexsort((neighbour, -length, fragment))
        fragment, neighbour = fragment[order], neighbour[order]
        chosen, first = np.unique(fragment, return_index=True)
        links = coo_array(
            (np.ones(chosen.size, dtype=np.int8), (chosen, neighbour[first])),
            shape=(sizes.size, sizes.size),
        )
        joined = connected_components(links, directed=False)[1].astype(np.int32)
        labels = np.where(labels >= 0, joined[labels], np.int32(-1))


def merge_smallest(labels: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Join the smallest region to a neighbour again and again until `count` are left.

    Stops earlier where no two regions touch any more.
    """
    sizes = np.bincount(labels[labels >= 0]).tolist()
    remaining = len(sizes)
    neighbours: list[dict[int, int]] = [{} for _ in sizes]
    touching = borders(labels)
    for first, second, length in zip(
        touching.first.tolist(), touching.second.tolist(), touching.lengths.tolist(), strict=True
    ):
        neighbours[first][second] = length
        neighbours[second][first] = length
    successor = np.arange(remaining, dtype=np.int32)
    heap = [(size, region) for region, size in enumerate(sizes)]
    heapq.heapify(heap)
    while remaining > count and heap:
        size, region = heapq.heappop(heap)
        if size != sizes[region] or successor[region] != region or not neighbours[region]:
            continue
        target = max(neighbours[region], key=lambda other: (neighbours[region][other], -other))
        for other, length in neighbours[region].items():
            del neighbours[other][region]
            if other != target:
                neighbours[target][other] = neighbours[target].get(other, 0) + length
                neighbours[other][target] = neighbours[target][other]
        successor[region] = target
        sizes[target] += size
        heapq.heappush(heap, (sizes[target], target))
        remaining -= 1
    # A successor may itself have been joined to another since: follow to the end.
    while not np.array_equal(successor[successor], successor):
        successor = successor[successor]
    kept = np.unique(successor, return_inverse=True)[1].astype(np.int32)
    return np.where(labels >= 0, kept[labels], np.int32(-1))
