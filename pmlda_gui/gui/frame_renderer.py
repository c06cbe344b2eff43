"""Renders a canvas to bytes for the screen.

The worker paints and the window only blits.  Of a frame only those parts are painted anew
that have changed since the one before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.gui.canvas import SHARE_LEVELS, Area, Canvas
from pmlda_gui.gui.frame import Pictures
from pmlda_gui.gui.view_request import ShownTopic

__all__ = ["Painter", "paint_maps"]

# Colours are mixed as light, as `imagery.rendering.composite` does.
_SCREEN_GAMMA = 2.2
_BRIGHTNESSES = 4096
_BRIGHTNESS = np.rint(np.linspace(0.0, 1.0, _BRIGHTNESSES) ** (1 / _SCREEN_GAMMA) * 255).astype(
    np.uint8
)


@kernel
def _paint(
    shares: NDArray[np.uint16],
    shown_as: NDArray[np.int64],
    light: NDArray[np.float32],
    top: int,
    bottom: int,
    left: int,
    right: int,
    levels: NDArray[np.uint8],
    colours: NDArray[np.uint8],
    labels: NDArray[np.uint8],
) -> None:
    """Levels, mixed colours and the largest topic of every pixel of a rectangle."""
    topics, shown, width = shares.shape[0], light.shape[0], right - left
    line = np.empty((shown, width), np.float32)
    unit = np.float32(1.0 / SHARE_LEVELS)
    last = np.float32(_BRIGHTNESSES - 1)
    one = np.float32(1.0)
    for row in range(top, bottom):
        line[:] = np.float32(0.0)
        for k in range(topics):
            g = shown_as[k]
            for x in range(width):
                line[g, x] += (np.float32(shares[k, row, left + x]) - one) * unit
        for g in range(shown):
            for x in range(width):
                # The level of a pixel of which nothing is known is 0.
                level = np.float32(1.5) + min(line[g, x], one) * np.float32(254.0)
                levels[g, row, left + x] = np.uint8(
                    np.int32(level) if shares[0, row, left + x] else np.int32(0)
                )
        for x in range(width):
            column = left + x
            if shares[0, row, column] == 0:
                labels[row, column] = np.uint8(0)
                for part in range(4):
                    colours[row, column, part] = np.uint8(0)
                continue
            red = green = blue = np.float32(0.5)
            largest = 0
            for g in range(shown):
                value = line[g, x]
                red += value * light[g, 0]
                green += value * light[g, 1]
                blue += value * light[g, 2]
                if value > line[largest, x]:
                    largest = g
            colours[row, column, 0] = _BRIGHTNESS[np.uint32(min(red, last))]
            colours[row, column, 1] = _BRIGHTNESS[np.uint32(min(green, last))]
            colours[row, column, 2] = _BRIGHTNESS[np.uint32(min(blue, last))]
            colours[row, column, 3] = np.uint8(255)
            labels[row, column] = np.uint8(largest + 1)


@kernel
def _paint_spread(
    spread: NDArray[np.uint8],
    shown_as: NDArray[np.int64],
    shown: int,
    top: int,
    bottom: int,
    left: int,
    right: int,
    levels: NDArray[np.uint8],
) -> None:
    """The largest deviation of the topics shown, in levels.

    The deviation of a sum is at most the sum of the deviations.  As memberships sum to one,
    it is also that of all other topics together: the smaller of the two is taken, which is
    exact where either side is a single topic.
    """
    topics = spread.shape[0]
    sums = np.empty(shown, np.int32)
    members = np.zeros(shown, np.int32)
    for k in range(topics):
        members[shown_as[k]] += 1
    for row in range(top, bottom):
        for column in range(left, right):
            if spread[0, row, column] == 0:
                levels[row, column] = np.uint8(0)
                continue
            sums[:] = 0
            total = np.int32(0)
            for k in range(topics):
                level = np.int32(spread[k, row, column]) - 1
                sums[shown_as[k]] += level
                total += level
            largest = np.int32(0)
            for g in range(shown):
                own = sums[g] if members[g] == 1 else min(sums[g], total - sums[g])
                largest = max(largest, own)
            levels[row, column] = np.uint8(1 + (largest if largest < 254 else 254))


class Painter:
    """Paints the frames of one canvas after another; remembers the last."""

    def __init__(self) -> None:
        self._canvas: Canvas | None = None
        self._topics: tuple[ShownTopic, ...] = ()
        self._last: Pictures | None = None

    def paint(
        self,
        canvas: Canvas,
        topics: tuple[ShownTopic, ...],
        changed: list[Area],
        with_spread: bool,
    ) -> Pictures:
        """The pictures of a canvas, with the topics added up and coloured as shown.

        `changed` is what is different from the last time, as long as the canvas is the same.
        """
        last = self._last
        if last is None or canvas is not self._canvas or topics != self._topics:
            changed = [canvas.whole]
            height, width = canvas.inside.shape
            maps = np.zeros((len(topics), height, width), np.uint8)
            composite = np.zeros((height, width, 4), np.uint8)
            labels = np.zeros((height, width), np.uint8)
            spread = np.zeros((height, width), np.uint8)
        elif not changed and with_spread == (last.uncertainty is not None):
            return last
        else:
            maps, composite, labels = (each.copy() for each in last[:3])
            if last.uncertainty is None:
                spread = np.zeros_like(labels)
                changed = [canvas.whole] if with_spread else changed
            else:
                spread = last.uncertainty.copy()
        light, shown_as = _light(topics), _shown_as(topics, len(canvas.shares))
        for area in changed:
            _paint(canvas.shares, shown_as, light, *area, maps, composite, labels)
            if with_spread:
                _paint_spread(canvas.spread, shown_as, len(topics), *area, spread)
        self._canvas, self._topics = canvas, topics
        self._last = Pictures(
            _finished(maps),
            _finished(composite),
            _finished(labels),
            _finished(spread) if with_spread else None,
        )
        return self._last


def paint_maps(maps: NDArray[np.float32], topics: tuple[ShownTopic, ...]) -> Pictures:
    """The pictures of finished maps (K, height, width), which look as those of a run."""
    from pmlda_gui.workspace.maps import ImageMaps

    canvas = Canvas(~np.isnan(maps[0]), len(maps))
    rows, columns = (np.arange(side) for side in maps.shape[1:])
    whole = ImageMaps(np.ascontiguousarray(maps, np.float32), None, rows, columns, 1)
    canvas.lay(whole, canvas.whole, 1, 1)
    return Painter().paint(canvas, topics, [], with_spread=False)


def _light(topics: tuple[ShownTopic, ...]) -> NDArray[np.float32]:
    """The topics' colours as amounts of light, (G, 3), in steps of the brightness table."""
    colours = np.array([topic.colour for topic in topics], np.float64)
    light: NDArray[np.float32] = ((colours / 255) ** _SCREEN_GAMMA * (_BRIGHTNESSES - 1)).astype(
        np.float32
    )
    return light


def _shown_as(topics: tuple[ShownTopic, ...], rows: int) -> NDArray[np.int64]:
    """For each row of memberships the number of the topic it is added to."""
    shown = np.zeros(rows, np.int64)
    for number, topic in enumerate(topics):
        shown[list(topic.members)] = number
    return shown


def _finished(array: NDArray[np.uint8]) -> NDArray[np.uint8]:
    array.setflags(write=False)
    return array
