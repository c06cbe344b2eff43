"""Fuzzy c-means that uses neighbouring pixels: FLICM and spatial FCM.

FLICM (Krinidis and Chatzis 2010) adds to each distance what the neighbours' memberships
say against it; spatial FCM (Chuang and others 2006) multiplies each membership with the
neighbours' sum.  Both smooth maps without a parameter that somebody has to weigh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.imagery.words import Words
from pmlda_gui.peers.k_means import start_means
from pmlda_gui.peers.method import Check, Fit, never_stop
from pmlda_gui.peers.pixel_grid import PixelGrid, pixel_grid

__all__ = ["Flicm", "SpatialFuzzyCMeans", "local_factors", "neighbourhood_sums"]

Array = NDArray[np.float64]


@kernel
def _add_neighbours(canvas: NDArray[np.int64], values: Array, weights: Array, sums: Array) -> None:
    """Add the weighted values (M, K) of each pixel's neighbourhood to `sums`, in place.

    `weights` is square with an odd side, its middle the pixel itself.
    """
    height, width = canvas.shape
    reach = len(weights) // 2
    topics = values.shape[1]
    for row in range(height):
        for column in range(width):
            here = canvas[row, column]
            if here < 0:
                continue
            for near_row in range(max(row - reach, 0), min(row + reach + 1, height)):
                for near_column in range(max(column - reach, 0), min(column + reach + 1, width)):
                    there = canvas[near_row, near_column]
                    if there < 0:
                        continue
                    weight = weights[near_row - row + reach, near_column - column + reach]
                    for k in range(topics):
                        sums[here, k] += weight * values[there, k]


def local_factors(
    grid: PixelGrid, memberships: Array, squares: Array, m: float, side: int
) -> Array:
    """FLICM's G (M, K): sum over neighbours of (1 - u)^m |x - mu|^2 / (1 + their distance)."""
    offsets = np.arange(side) - side // 2
    weights = 1.0 / (1.0 + np.hypot(offsets[:, None], offsets[None]))
    weights[side // 2, side // 2] = 0.0
    factors = np.zeros_like(squares)
    _add_neighbours(grid.canvas, (1.0 - memberships) ** m * squares, weights, factors)
    return factors


def neighbourhood_sums(grid: PixelGrid, memberships: Array, side: int) -> Array:
    """Spatial FCM's h (M, K): memberships summed over a square around each pixel."""
    sums = np.zeros_like(memberships)
    _add_neighbours(grid.canvas, memberships, np.ones((side, side)), sums)
    return sums


def _squares(table: Array, means: Array) -> Array:
    """|x - mu_k|^2, (M, K)."""
    return np.stack([np.sum((table - mean) ** 2, axis=1) for mean in means], axis=1)


def _by_distance(distances: Array, m: float) -> Array:
    """Memberships (M, K) in proportion to distance^(-1 / (m - 1)).

    A pixel at distance 0 belongs to the topics it lies on alone.
    """
    nearest = distances.min(axis=1, keepdims=True)
    shares = np.ones_like(distances)
    np.divide(nearest, distances, out=shares, where=distances > nearest)
    shares **= 1.0 / (m - 1.0)
    return shares / shares.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class _LocalFuzzyCMeans:
    """What both have in common; settled once no mean moves by more than `tolerance`.

    `side` is that of the square neighbourhood, in pixels.
    """

    fuzzifier: float = 2.0
    side: int = 3
    most_steps: int = 200
    tolerance: float = 1e-4
    name = ""
    title = ""
    soft = True

    def __post_init__(self) -> None:
        if not 1.0 < self.fuzzifier <= 100.0:
            raise PmldaError(
                f"The fuzzifier of {self.title} is {self.fuzzifier:g}, but must be more than 1 "
                "and at most 100."
            )
        if self.side < 3 or self.side % 2 == 0:
            raise PmldaError(
                f"The neighbourhood of {self.title} has a side of {self.side} pixels, but needs "
                "an odd number from 3 on."
            )

    def fit(self, words: Words, topics: int, seed: int, check: Check = never_stop) -> Iterator[Fit]:
        """One fit an iteration; each pixel counts once, in however many documents it lies."""
        grid = pixel_grid(words, self.side)
        means = start_means(words, topics, seed)
        memberships: Array | None = None
        trace: list[float] = []
        for number in range(1, self.most_steps + 1):
            check()
            squares = _squares(grid.table, means)
            memberships, objective = self._renewed(grid, squares, memberships)
            weights = memberships**self.fuzzifier
            renewed = weights.T @ grid.table / np.maximum(weights.sum(axis=0), 1e-300)[:, None]
            settled = bool(np.abs(renewed - means).max() <= self.tolerance)
            means = renewed
            trace.append(objective)
            yield Fit(
                fraction=1.0 if settled else number / self.most_steps,
                memberships=memberships[grid.of_words],
                means=means,
                variance=float(np.sum(weights * squares)) / grid.table.size,
                trace=tuple(trace),
                diagnostics={"settled": settled},
            )
            if settled:
                return

    def _renewed(
        self, grid: PixelGrid, squares: Array, before: Array | None
    ) -> tuple[Array, float]:
        """Memberships (M, K) given squared distances and those before, and the objective."""
        raise NotImplementedError


@dataclass(frozen=True)
class Flicm(_LocalFuzzyCMeans):
    """Fuzzy local information c-means."""

    name = "flicm"
    title = "FLICM"

    def _renewed(
        self, grid: PixelGrid, squares: Array, before: Array | None
    ) -> tuple[Array, float]:
        start = _by_distance(squares, self.fuzzifier) if before is None else before
        factors = local_factors(grid, start, squares, self.fuzzifier, self.side)
        memberships = _by_distance(squares + factors, self.fuzzifier)
        objective = float(np.sum(memberships**self.fuzzifier * squares) + np.sum(factors))
        return memberships, objective


@dataclass(frozen=True)
class SpatialFuzzyCMeans(_LocalFuzzyCMeans):
    """Spatial fuzzy c-means: memberships u^p h^q, brought to a sum of 1.

    `own` and `neighbours` are the exponents p and q.
    """

    side: int = 5
    own: float = 1.0
    neighbours: float = 1.0
    name = "sfcm"
    title = "spatial fuzzy c-means"

    def _renewed(
        self, grid: PixelGrid, squares: Array, before: Array | None
    ) -> tuple[Array, float]:
        alone = _by_distance(squares, self.fuzzifier)
        around = neighbourhood_sums(grid, alone, self.side)
        memberships = alone**self.own * around**self.neighbours
        totals = memberships.sum(axis=1, keepdims=True)
        memberships = np.where(totals > 0.0, memberships / np.maximum(totals, 1e-300), alone)
        return memberships, float(np.sum(memberships**self.fuzzifier * squares))
