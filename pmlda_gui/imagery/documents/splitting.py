"""Splitting a connected region into two connected parts, neither of them small.

The first try is a straight cut across the middle of the longest axis.  Where a
part of that would fall apart, the region's spanning tree is cut instead: a pixel
has at most four neighbours, so some branch of the tree always leaves both parts
with a quarter of the pixels.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import njit

__all__ = ["split_largest"]


@njit(nogil=True, cache=True)
def _visit(
    labels: NDArray[np.int32],
    width: int,
    start: int,
    queue: NDArray[np.int64],
    parent: NDArray[np.int64],
) -> int:
    """Walk the region around `start` breadth first; returns its size.

    `queue` receives its pixels in the order of the walk and `parent` from where
    each was reached; `parent` is -1 everywhere when the walk begins.
    """
    label = labels[start]
    queue[0] = start
    parent[start] = start
    size = 1
    head = 0
    while head < size:
        pixel = queue[head]
        head += 1
        column = pixel % width
        for direction in range(4):
            if direction == 0:
                neighbour = pixel - width
            elif direction == 1:
                neighbour = pixel + width
            elif direction == 2:
                neighbour = pixel - 1 if column > 0 else -1
            else:
                neighbour = pixel + 1 if column < width - 1 else -1
            inside = 0 <= neighbour < labels.size
            if inside and labels[neighbour] == label and parent[neighbour] < 0:
                parent[neighbour] = pixel
                queue[size] = neighbour
                size += 1
    return size


@njit(nogil=True, cache=True)
def _forget(queue: NDArray[np.int64], size: int, parent: NDArray[np.int64]) -> None:
    """Clear the traces of a walk of `size` pixels, so that the next may begin."""
    for index in range(size):
        parent[queue[index]] = -1


@njit(nogil=True, cache=True)
def _cut_across(
    labels: NDArray[np.int32], width: int, pixels: NDArray[np.int64], new_label: int
) -> int:
    """Give the pixels beyond the middle of the longest axis the new label; returns how many."""
    size = pixels.size
    rows = (pixels // width).astype(np.float64)
    columns = (pixels % width).astype(np.float64)
    rows -= rows.mean()
    columns -= columns.mean()
    covariance = 2.0 * (rows * columns).sum()
    angle = 0.5 * np.arctan2(covariance, (columns * columns).sum() - (rows * rows).sum())
    along = columns * np.cos(angle) + rows * np.sin(angle)
    middle = np.median(along)
    moved = 0
    for index in range(size):
        if along[index] > middle:
            labels[pixels[index]] = new_label
            moved += 1
    return moved


@njit(nogil=True, cache=True)
def _cut_tree(
    labels: NDArray[np.int32],
    queue: NDArray[np.int64],
    size: int,
    parent: NDArray[np.int64],
    weight: NDArray[np.int64],
    new_label: int,
) -> tuple[int, int]:
    """Give the branch nearest to half of the walked tree the new label; its size and root."""
    for index in range(size):
        weight[queue[index]] = 1
    for index in range(size - 1, 0, -1):
        weight[parent[queue[index]]] += weight[queue[index]]
    root = queue[size - 1]
    for index in range(1, size):
        pixel = queue[index]
        if abs(2 * weight[pixel] - size) < abs(2 * weight[root] - size):
            root = pixel
    branch = weight[root]
    old_label = labels[root]
    labels[root] = new_label
    # The walk reaches a parent before its children, so the label runs down the branch.
    for index in range(1, size):
        pixel = queue[index]
        if labels[pixel] == old_label and labels[parent[pixel]] == new_label:
            labels[pixel] = new_label
    return branch, root


@njit(nogil=True, cache=True)
def _split(
    labels: NDArray[np.int32],
    width: int,
    start: int,
    new_label: int,
    smallest: int,
    queue: NDArray[np.int64],
    parent: NDArray[np.int64],
    weight: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Split the region around `start`.

    Returns the size of the new part (0 if none can be made), a pixel of the old
    part and one of the new.
    """
    old_label = labels[start]
    size = _visit(labels, width, start, queue, parent)
    _forget(queue, size, parent)
    pixels = np.sort(queue[:size])
    moved = _cut_across(labels, width, pixels, new_label)
    if smallest <= moved <= size - smallest:
        old_start = new_start = -1
        for pixel in pixels:
            if labels[pixel] == old_label:
                old_start = pixel
            else:
                new_start = pixel
        old_size = _visit(labels, width, old_start, queue, parent)
        _forget(queue, old_size, parent)
        new_size = _visit(labels, width, new_start, queue, parent)
        _forget(queue, new_size, parent)
        if old_size + new_size == size:
            return new_size, old_start, new_start
    for pixel in pixels:
        labels[pixel] = old_label
    walked = _visit(labels, width, start, queue, parent)
    branch, root = _cut_tree(labels, queue, walked, parent, weight, new_label)
    _forget(queue, walked, parent)
    if branch < smallest or size - branch < smallest:
        for pixel in pixels:
            labels[pixel] = old_label
        return 0, start, start
    return branch, start, root


def split_largest(labels: NDArray[np.int32], count: int, smallest: int) -> NDArray[np.int32]:
    """Split the largest region again and again until there are `count`.

    `labels` (height, width) holds connected regions 0..D-1 and -1 for none; no
    part gets fewer than `smallest` pixels, so fewer than `count` regions come out
    only where no region has more than four times that.
    """
    height, width = labels.shape
    flat = labels.ravel().copy()
    regions, starts = np.unique(flat, return_index=True)
    starts = starts[regions >= 0]
    heap = [
        (-int(size), int(start))
        for size, start in zip(np.bincount(flat[flat >= 0]), starts, strict=True)
    ]
    heapq.heapify(heap)
    queue = np.empty(flat.size, dtype=np.int64)
    parent = np.full(flat.size, -1, dtype=np.int64)
    weight = np.empty(flat.size, dtype=np.int64)
    next_label = starts.size
    while next_label < count and heap:
        size, start = heapq.heappop(heap)
        part, old_start, new_start = _split(
            flat, width, start, next_label, smallest, queue, parent, weight
        )
        if part == 0:
            continue
        heapq.heappush(heap, (size + part, old_start))
        heapq.heappush(heap, (-part, new_start))
        next_label += 1
    return flat.reshape(height, width)
