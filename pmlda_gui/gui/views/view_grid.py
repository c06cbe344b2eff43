"""The linked pictures: side by side, one large beside a strip of the others, or one alone.

Pictures that have a window of their own stay linked and come back when it closes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from PySide6.QtCore import QElapsedTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QWidget

from pmlda_gui.gui.views.linked_views import TITLE_HEIGHT, LinkedViews, best_columns
from pmlda_gui.gui.views.picture_view import PictureView

__all__ = ["ARRANGEMENTS", "Arrangement", "ViewGrid"]

Arrangement = Literal["grid", "focus"]
ARRANGEMENTS: tuple[Arrangement, ...] = get_args(Arrangement)
# The strip beside a large picture: how much of the width or height it may take, and the least
# that a picture with its title needs, in points.
_STRIP = 0.34
_NARROWEST = 150
_UNITS = 100


class _Place(NamedTuple):
    """Where in the layout a picture stands."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1


class ViewGrid(LinkedViews):
    """Lays out pictures; `withdrawn` names one that is no longer to be shown anywhere."""

    enlarged_changed = Signal(str)
    withdrawn = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("view_grid")
        self._shown: tuple[str, ...] = ()
        self._away: set[str] = set()
        self._enlarged: str | None = None
        self._arrangement: Arrangement = "grid"
        self._main = ""
        self._exchanged = QElapsedTimer()
        self._placed: tuple[object, ...] | None = None
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(3)

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the views chosen, in order."""
        return self._shown

    @property
    def enlarged(self) -> str | None:
        """The name of the view that fills the grid, if one does."""
        return self._enlarged if self._enlarged in self._here else None

    @property
    def arrangement(self) -> Arrangement:
        """Whether all pictures are alike or one is large."""
        return self._arrangement

    @property
    def main(self) -> str:
        """The name of the large picture among those that are here."""
        here = self._here
        return self._main if self._main in here or not here else here[0]

    @property
    def away(self) -> frozenset[str]:
        """The names of the views that have windows of their own."""
        return frozenset(self._away)

    @property
    def _here(self) -> tuple[str, ...]:
        """Those chosen that have no window of their own."""
        return tuple(name for name in self._shown if name not in self._away)

    @property
    def visible_views(self) -> tuple[PictureView, ...]:
        """The views the operator can see just now, here or in windows of their own."""
        here = self._here if self.enlarged is None else (self.enlarged,)
        away = tuple(name for name in self._shown if name in self._away)
        return tuple(self.view(name) for name in (*here, *away))

    def set_shown(self, names: Sequence[str]) -> None:
        """Choose which views are shown, in this order."""
        self._shown = tuple(names)
        for name in sorted(self._away - set(self._shown)):
            self.withdrawn.emit(name)
        for name, view in self._views.items():
            if name not in self._shown:
                view.hide()
        self._place()

    def enlarge(self, name: str | None) -> None:
        """Let one view fill the grid, or with None show all of them."""
        self._enlarged = name
        self._place()
        self.enlarged_changed.emit(self.enlarged or "")

    def toggle_enlarged(self, name: str) -> None:
        """Let a view fill the grid; if one does, show all of them.

        One in the strip becomes the large one first.
        """
        if name in self._away:
            return
        if self._arrangement == "focus" and self.enlarged is None and name != self.main:
            self.exchange(name)
        else:
            self.enlarge(None if self.enlarged else name)

    # -- arrangements ------------------------------------------------------------------------

    def arrange(self, arrangement: Arrangement, main: str = "") -> None:
        """Show all pictures alike, or one large with the others beside it."""
        self._arrangement = arrangement
        self._main = main or self._main
        self.enlarge(None)

    def exchange(self, name: str) -> None:
        """Have another picture be the large one."""
        # The second click of a double click falls on whatever is there by then.
        pause = QApplication.doubleClickInterval()
        if self._exchanged.isValid() and self._exchanged.elapsed() < pause:
            return
        self._exchanged.start()
        self._main = name
        self._place()
        self.enlarged_changed.emit(self.enlarged or "")

    def _clicked(self, name: str) -> None:
        in_strip = self._arrangement == "focus" and self.enlarged is None
        if in_strip and name in self._here and name != self.main:
            self.exchange(name)

    def take_out(self, name: str) -> PictureView:
        """Give a view to a window of its own."""
        self._away.add(name)
        view = self.view(name)
        self._layout.removeWidget(view)
        self._place()
        self.enlarged_changed.emit(self.enlarged or "")
        return view

    def put_back(self, name: str) -> None:
        """Take back a view whose window closes."""
        self._away.discard(name)
        self._placed = None
        view = self.view(name)
        view.setParent(self)
        view.setVisible(name in self._shown)
        self._place()
        self.enlarged_changed.emit(self.enlarged or "")

    # -- layout ------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        names = self._here if self.enlarged is None else (self.enlarged,)
        if not names:
            return
        if self._arrangement == "focus" and len(names) > 1:
            places, row_shares, column_shares = self._focus_places(names)
        else:
            places, row_shares, column_shares = self._grid_places(names)
        arrangement = (tuple(places.items()), row_shares, column_shares)
        if arrangement == self._placed:
            return
        self._placed = arrangement
        while self._layout.count():
            self._layout.takeAt(0)
        for name in self._here:
            self.view(name).setVisible(name in names)
        before = None
        for name, place in places.items():
            self._layout.addWidget(self.view(name), *place)
            if before is not None:
                self.setTabOrder(self.view(before), self.view(name))
            before = name
        for row in range(max(len(row_shares), self._layout.rowCount())):
            self._layout.setRowStretch(row, row_shares[row] if row < len(row_shares) else 0)
        for column in range(max(len(column_shares), self._layout.columnCount())):
            share = column_shares[column] if column < len(column_shares) else 0
            self._layout.setColumnStretch(column, share)

    def _grid_places(
        self, names: tuple[str, ...]
    ) -> tuple[dict[str, _Place], tuple[int, ...], tuple[int, ...]]:
        columns = best_columns(len(names), self._aspect, self.width(), self.height())
        rows = math.ceil(len(names) / columns)
        places = {
            name: _Place(number // columns, number % columns) for number, name in enumerate(names)
        }
        return places, (1,) * rows, (1,) * columns

    def _focus_places(
        self, names: tuple[str, ...]
    ) -> tuple[dict[str, _Place], tuple[int, ...], tuple[int, ...]]:
        """The large picture first, the strip at its right, or below a wide one."""
        others = [name for name in names if name != self.main]
        below = self._aspect * self.height() > 1.2 * self.width()
        strips, share = self._strip(len(others), below)
        length = math.ceil(len(others) / strips)
        shares = (_UNITS - strips * share, *(share,) * strips)
        places = {self.main: _Place(0, 0, 1, length) if below else _Place(0, 0, length, 1)}
        for number, name in enumerate(others):
            along, strip = number % length, 1 + number // length
            places[name] = _Place(strip, along) if below else _Place(along, strip)
        even = (1,) * length
        return (places, shares, even) if below else (places, even, shares)

    def _strip(self, count: int, below: bool) -> tuple[int, int]:
        """In how many rows so many pictures are largest where all of them together take no more
        than `_STRIP` of the room, and how much of it one row takes, of `_UNITS`."""
        width, height, aspect = self.width(), self.height(), self._aspect
        best, chosen, breadth = 0.0, 1, 0.0
        for strips in range(1, count + 1):
            length = math.ceil(count / strips)
            if below:
                scale = min(width / length / aspect, _STRIP * height / strips - TITLE_HEIGHT)
                broad = (scale + TITLE_HEIGHT) / height
            else:
                scale = min(_STRIP * width / strips / aspect, height / length - TITLE_HEIGHT)
                broad = max(scale * aspect, min(_NARROWEST, _STRIP * width / strips)) / width
            if scale > best:
                best, chosen, breadth = scale, strips, broad
        return chosen, max(1, round(_UNITS * breadth))
