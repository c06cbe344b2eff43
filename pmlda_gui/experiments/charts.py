"""Charts for figure plates: curves over an axis, and tables whose cells are shaded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmlda_gui.experiments.drawing import Box, Colour, Drawing, Line, Text, text_width
from pmlda_gui.experiments.plate import Place
from pmlda_gui.workspace.export.plates import FADED, INK

__all__ = ["Curve", "CurveChart", "ShadedTable"]

_AXIS: Colour = (150, 156, 164)
_GOOD, _BAD = np.array([236, 246, 240]), np.array([247, 205, 190])
_BEST, _LOST = (0, 113, 79), (196, 44, 32)
_BOTTOM, _LEFT, _TOP, _RIGHT = 40, 52, 22, 10


@dataclass(frozen=True)
class Curve:
    """Points (x, y) of one colour; `name` is written where the curve ends, if there is one."""

    points: tuple[tuple[float, float], ...]
    colour: Colour
    name: str = ""
    width: float = 1.8


@dataclass(frozen=True)
class CurveChart:
    """Curves over labelled axes; `logarithmic` is for the axis of x.

    `ticks` are values of x with what is written there; `limits` are those of y, and
    `equal` gives both axes the same scale.
    """

    curves: Sequence[Curve]
    across: str
    upwards: str
    ticks: Sequence[tuple[float, str]]
    limits: tuple[float, float]
    logarithmic: bool = False
    equal: bool = False

    def draw_into(self, drawing: Drawing, place: Place) -> None:
        """Draw axes, ticks and curves within the place."""
        left, top = place.left + _LEFT, place.top + _TOP
        width, height = place.width - _LEFT - _RIGHT, place.height - _TOP - _BOTTOM
        first, last = self._place(self.ticks[0][0]), self._place(self.ticks[-1][0])
        low, high = self.limits
        scale_x, scale_y = width / (last - first), height / (high - low)
        if self.equal:
            scale_x = scale_y = min(scale_x, scale_y)

        def at(x: float, y: float) -> tuple[float, float]:
            inside = min(max(y, low), high)
            return left + (self._place(x) - first) * scale_x, top + (high - inside) * scale_y

        right, bottom = left + (last - first) * scale_x, top + (high - low) * scale_y
        drawing.add(Line(((left, top), (left, bottom), (right, bottom)), _AXIS, 1.0))
        for value, text in self.ticks:
            x, _ = at(value, low)
            drawing.add(Line(((x, bottom), (x, bottom + 4)), _AXIS, 1.0))
            drawing.add(Text(x, bottom + 17, text, 12, FADED, "middle"))
        for value in (low, 0.5 * (low + high), high):
            drawing.add(Text(left - 6, at(first, value)[1] + 4, f"{value:.3g}", 12, FADED, "end"))
        drawing.add(Text((left + right) / 2, bottom + 34, self.across, 13, INK, "middle"))
        drawing.add(Text(place.left, place.top + 12, self.upwards, 13, INK))
        for curve in self.curves:
            points = tuple(at(*point) for point in curve.points)
            drawing.add(Line(points, curve.colour, curve.width))
            if curve.name:
                x, y = points[-1]
                x = min(x + 4, place.left + place.width - text_width(curve.name, 12))
                drawing.add(Text(x, y - 4, curve.name, 12, curve.colour))

    def _place(self, x: float) -> float:
        return math.log10(x) if self.logarithmic else x


@dataclass(frozen=True)
class ShadedTable:
    """Numbers (rows, columns) where small is good; the smallest of a row is marked green.

    The `watched` column is marked red in rows where it is not the smallest.
    """

    row_names: Sequence[str]
    column_names: Sequence[str]
    values: Sequence[Sequence[float]]
    name_width: float = 150.0
    watched: int | None = None

    def draw_into(self, drawing: Drawing, place: Place) -> None:
        """Draw names and shaded cells, filling the place."""
        table = np.array(self.values)
        low, high = np.nanmin(table), np.nanmax(table)
        step = place.height / (len(table) + 1)
        cell = (place.width - self.name_width) / len(self.column_names)
        for column, name in enumerate(self.column_names):
            middle = place.left + self.name_width + (column + 0.5) * cell
            drawing.add(Text(middle, place.top + 0.65 * step, name, 13, INK, "middle"))
        for row, values in enumerate(table):
            top = place.top + (row + 1) * step
            drawing.add(Text(place.left, top + 0.65 * step, self.row_names[row], 13, INK))
            for column, value in enumerate(values):
                left = place.left + self.name_width + column * cell
                if np.isnan(value):
                    drawing.add(Text(left + cell / 2, top + 0.65 * step, "-", 13, FADED, "middle"))
                    continue
                share = (value - low) / max(high - low, 1e-12)
                red, green, blue = np.rint(_GOOD + share * (_BAD - _GOOD)).astype(int).tolist()
                best = value <= np.nanmin(values)
                drawing.add(Box(left + 1, top + 1, cell - 2, step - 2, (red, green, blue)))
                if best or column == self.watched:
                    mark = _BEST if best else _LOST
                    drawing.add(Box(left + 1, top + 1, 4, step - 2, mark))
                colour = INK if best else FADED
                text = Text(
                    left + cell / 2, top + 0.65 * step, f"{value:.3f}", 13, colour, "middle"
                )
                drawing.add(text)
