"""Superpixels by normalised cuts (Shi and Malik, 2000) of a graph of small superpixels.

Cutting pixels would take minutes; about twice as many small superpixels as
documents hold the same boundaries.  The piece whose cut is cheapest is cut in two
until the count is reached, so that strong boundaries come first.
"""

from __future__ import annotations

import heapq
from itertools import count as counting
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh

from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.documents.appearance import appearance
from pmlda_gui.imagery.documents.merging import Borders, borders
from pmlda_gui.imagery.documents.repair import Ground, repair
from pmlda_gui.imagery.documents.slic import slic_labels, smoothing_scale
from pmlda_gui.imagery.image import Image

__all__ = ["cut_pieces", "normalised_cut_labels", "piece_count"]

FEWEST_PIECES = 400
PIECES_PER_DOCUMENT = 2.5
# Below this size all eigenvectors at once are quicker than the two that are needed.
DENSE_SIZE = 200
# A likeness of exp(-20) is as good as none, and still large enough to compute with.
LARGEST_CONTRAST = 20.0


class Cut(NamedTuple):
    """A piece of the graph and the best way to cut it; the order settles equal costs."""

    cost: float
    order: int
    nodes: NDArray[np.int64]
    cut_off: NDArray[np.bool_]


def piece_count(count: int) -> int:
    """How many pieces `count` documents are put together from."""
    return max(FEWEST_PIECES, round(PIECES_PER_DOCUMENT * count))


def normalised_cut_labels(
    image: Image, ground: Ground, count: int, seed: int, progress: Progress
) -> NDArray[np.int32]:
    """A partition of the usable pixels into `count` regions of even appearance."""
    pieces = slic_labels(image, ground, piece_count(count), progress.part(0.0, 0.5))
    # Smoothed like a piece, pieces would follow single ripples; like a document, edges blur.
    between = round(np.sqrt(count * piece_count(count)))
    features = appearance(image, ground.usable, smoothing_scale(ground.area, between))
    labels = pieces[ground.usable]
    sizes = np.bincount(labels)
    touching = borders(pieces)
    differences = np.zeros(touching.lengths.size)
    for channel in np.moveaxis(features, 2, 0):
        means = np.bincount(labels, weights=channel[ground.usable]) / sizes
        differences += (means[touching.first] - means[touching.second]) ** 2
    documents = cut_pieces(touching, differences, sizes.size, count, seed, progress.part(0.5, 1.0))
    return repair(np.where(pieces >= 0, documents[pieces], np.int32(-1)), ground, count)


def cut_pieces(
    touching: Borders,
    differences: NDArray[np.float64],
    pieces: int,
    count: int,
    seed: int,
    progress: Progress,
) -> NDArray[np.int32]:
    """The document of each piece, (pieces,), after recursive two-way cuts into `count`.

    `differences` (P,) tell how unlike the two pieces at each border are, squared;
    pieces hold together by the length of their border times their likeness.
    """
    # The typical difference between neighbours is what counts as a boundary here.
    scale = max(float(differences.mean()) if differences.size else 1.0, 1e-12)
    weight = touching.lengths * np.exp(-np.minimum(differences / scale, LARGEST_CONTRAST))
    one_way = csr_array((weight, (touching.first, touching.second)), shape=(pieces, pieces))
    generator = np.random.default_rng(seed)
    return _cut_until(csr_array(one_way + one_way.T), count, generator, progress)


def _cut_until(
    weights: csr_array, count: int, generator: np.random.Generator, progress: Progress
) -> NDArray[np.int32]:
    """The part of each node, (nodes,), when the cheapest cut is made until there are `count`."""
    parts: NDArray[np.int32] = connected_components(weights, directed=False)[1].astype(np.int32)
    found = int(parts.max()) + 1
    order = counting()
    heap: list[Cut] = []

    def consider(nodes: NDArray[np.int64]) -> None:
        if nodes.size > 1:
            cost, cut_off = _cheapest_cut(weights[nodes][:, nodes], generator)
            heapq.heappush(heap, Cut(cost, next(order), nodes, cut_off))

    for part in range(found):
        consider(np.flatnonzero(parts == part))
    while found < count and heap:
        _cost, _order, nodes, cut_off = heapq.heappop(heap)
        parts[nodes[cut_off]] = found
        found += 1
        consider(nodes[cut_off])
        consider(nodes[~cut_off])
        progress.report(found / count)
    return parts


def _cheapest_cut(
    weights: csr_array, generator: np.random.Generator
) -> tuple[float, NDArray[np.bool_]]:
    """The cost of the best cut of a connected graph, and which nodes it cuts off.

    Both sides are connected.
    """
    degree = weights.sum(axis=1)
    fiedler = _second_vector(weights, degree, generator) / np.sqrt(degree)
    rank = np.empty(degree.size, dtype=np.int64)
    rank[np.argsort(fiedler, kind="stable")] = np.arange(degree.size)
    edges = weights.tocoo()
    first, second = rank[edges.coords[0]], rank[edges.coords[1]]
    upward = first < second
    # An edge is cut by every threshold between the ranks of its ends.
    crossing = np.zeros(degree.size)
    np.add.at(crossing, first[upward], edges.data[upward])
    np.add.at(crossing, second[upward], -edges.data[upward])
    crossing = np.cumsum(crossing)[:-1]
    volume = np.cumsum(degree[np.argsort(rank)])
    costs = crossing * (1 / volume[:-1] + 1 / (volume[-1] - volume[:-1]))
    threshold = int(np.argmin(costs))
    below = rank <= threshold

    same_side = below[edges.coords[0]] == below[edges.coords[1]]
    uncut = csr_array(
        (edges.data[same_side], (edges.coords[0][same_side], edges.coords[1][same_side])),
        shape=weights.shape,
    )
    part_count, parts = connected_components(uncut, directed=False)
    if part_count == 2:
        return float(costs[threshold]), below
    # A side fell apart: cut off the one part that costs least and leaves the rest whole.
    best: tuple[float, NDArray[np.bool_]] | None = None
    for part in range(part_count):
        inside = parts == part
        rest = weights[~inside][:, ~inside]
        if connected_components(rest, directed=False)[0] > 1:
            continue
        cut = float(weights[inside][:, ~inside].sum())
        inner = float(degree[inside].sum())
        cost = cut * (1 / inner + 1 / (float(volume[-1]) - inner))
        if best is None or cost < best[0]:
            best = cost, inside
    assert best is not None, "a connected graph of parts has one whose removal leaves it connected"
    return best


def _second_vector(
    weights: csr_array, degree: NDArray[np.float64], generator: np.random.Generator
) -> NDArray[np.float64]:
    """The eigenvector of the second largest eigenvalue of the normalised affinities."""
    inverse_root = diags_array(1 / np.sqrt(degree))
    normalised = inverse_root @ weights @ inverse_root
    if degree.size <= DENSE_SIZE:
        dense: NDArray[np.float64] = normalised.toarray()
        return np.linalg.eigh(dense).eigenvectors[:, -2]
    # The largest eigenvalue is 1, so the factorised matrix is never singular.
    values, vectors = eigsh(
        normalised.tocsc(), k=2, sigma=1.001, v0=generator.standard_normal(degree.size)
    )
    second: NDArray[np.float64] = vectors[:, np.argmin(values)]
    return second
