"""Layouts of scenes: where the textures are, and how wide the transitions are.

A layout is a map of labels; a transition turns it into memberships by averaging
the labels over a neighbourhood, so that a straight boundary becomes a ramp of
exactly the stated width and memberships always sum to 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.scenes.noise import smooth_noise

__all__ = ["Bands", "Island", "Layout", "Patches", "Transition"]

_BALANCING_ROUNDS = 12
_WIDENING_STEPS = 12


class Layout(Protocol):
    """A division of a scene among its topics."""

    def labels(
        self, shape: tuple[int, int], topics: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """The topic's index at every pixel, (height, width)."""
        ...


@dataclass(frozen=True)
class Bands:
    """Topics side by side, in order, across the scene.

    `direction` is the angle in degrees from the columns' axis towards increasing
    rows in which the topics follow one another; `wander` is how far boundaries
    stray, as a share of the scene.
    """

    direction: float = 0.0
    wander: float = 0.06

    def labels(
        self, shape: tuple[int, int], topics: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        angle = math.radians(self.direction)
        rows, columns = np.indices(shape, sparse=True)
        across = columns / shape[1] - 0.5
        down = rows / shape[0] - 0.5
        reach = (abs(math.cos(angle)) + abs(math.sin(angle))) / 2
        place = (across * math.cos(angle) + down * math.sin(angle)) / (2 * reach) + 0.5
        place = place + self.wander * smooth_noise(shape, min(shape) / 4, rng)
        return np.clip(np.floor(place * topics), 0, topics - 1).astype(np.int64)


@dataclass(frozen=True)
class Patches:
    """Irregular patches that share the scene about equally among the topics.

    `size` is their typical extent as a share of the shorter side.
    """

    size: float = 0.35

    def labels(
        self, shape: tuple[int, int], topics: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        length = max(self.size * min(shape), 1.0)
        fields = np.stack([smooth_noise(shape, length, rng) for _ in range(topics)])
        # Large patches leave topics out by chance: raise the rare ones until they show.
        coarse = fields[:, ::4, ::4]
        lift = np.zeros((topics, 1, 1), dtype=np.float32)
        for _ in range(_BALANCING_ROUNDS):
            winners = np.argmax(coarse + lift, axis=0)
            shares = np.bincount(winners.ravel(), minlength=topics) / winners.size
            lift += (1 / topics - shares).astype(np.float32)[:, None, None]
        labels: NDArray[np.int64] = np.argmax(fields + lift, axis=0)
        return labels


@dataclass(frozen=True)
class Island:
    """The last topic as an island of `radius` (share of the shorter side) in `Bands` of the rest.

    `centre` is its row and column as shares of the height and width.
    """

    radius: float = 0.28
    centre: tuple[float, float] = (0.45, 0.5)
    surroundings: Bands = Bands()

    def labels(
        self, shape: tuple[int, int], topics: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        labels = self.surroundings.labels(shape, topics - 1, rng)
        rows, columns = np.indices(shape, sparse=True)
        distance = np.hypot(
            rows - self.centre[0] * shape[0], columns - self.centre[1] * shape[1]
        ) / min(shape)
        coast = self.radius * (1 + 0.18 * smooth_noise(shape, min(shape) / 5, rng))
        labels[distance < coast] = topics - 1
        return labels


@dataclass(frozen=True)
class Transition:
    """How wide a boundary is: `width` from pure to pure, 0 for crisp.

    With `far_width` the transitions widen from `width` at the left edge of the
    scene to `far_width` at the right.  Both are in `unit`.
    """

    width: float
    unit: Literal["pixels", "metres"] = "pixels"
    far_width: float | None = None

    def memberships(
        self, labels: NDArray[np.int64], topics: int, pixel_size: float
    ) -> NDArray[np.float32]:
        """Memberships (topics, height, width) that sum to 1 at every pixel."""
        scale = 1.0 if self.unit == "pixels" else 1.0 / pixel_size
        crisp = (labels == np.arange(topics)[:, None, None]).astype(np.float64)
        if self.far_width is None:
            soft = _softened(crisp, self.width * scale)
        else:
            soft = np.zeros_like(crisp)
            place = np.linspace(0, _WIDENING_STEPS, labels.shape[1])
            for step in range(_WIDENING_STEPS + 1):
                width = self.width + (self.far_width - self.width) * step / _WIDENING_STEPS
                # Each column blends the two nearest widths.
                share = np.clip(1 - np.abs(place - step), 0, None)
                soft += share * _softened(crisp, width * scale)
        memberships: NDArray[np.float32] = (soft / soft.sum(axis=0)).astype(np.float32)
        return memberships


def _softened(crisp: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Average over two boxes, which together reach `width` pixels across a boundary."""
    from scipy.ndimage import uniform_filter

    box = round(width / 2)
    if box <= 1:
        return crisp
    size = (0, box, box)
    once = uniform_filter(crisp, size, mode="nearest")
    # An even box leans half a pixel to one side; the second leans back.
    lean = 0 if box % 2 else -1
    twice = uniform_filter(once, size, mode="nearest", origin=(0, lean, lean))
    softened: NDArray[np.float64] = np.clip(twice, 0, 1)
    return softened
