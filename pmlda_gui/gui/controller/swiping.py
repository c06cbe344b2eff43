"""Swipes any two pictures, bookmarks or methods, divided by a line; live ones update."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Slot

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller.bookmarking import Bookmarking
from pmlda_gui.gui.controller.comparing import Comparing
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.shown_pictures import picture_names

__all__ = ["Swiping"]

_BOOKMARK, _METHOD = "bookmark ", "method "
_SOURCE = "source_view"


class Swiping(QObject):
    """Offers what can be compared and keeps the two sides up to date."""

    def __init__(
        self, controller: Controller, bookmarking: Bookmarking, comparing: Comparing
    ) -> None:
        super().__init__(controller)
        self._controller = controller
        self._presenter = controller.presenter
        self._bookmarking, self._comparing = bookmarking, comparing
        self._window = window = controller.window
        self._sides = (_SOURCE, "composite_view")
        self._live = False
        window.actions_by_name["swipe"].triggered.connect(self.begin)
        window.swipe.chosen.connect(self.show)
        window.swipe.closed.connect(self._end)
        # Kept results that are compared from their panel stay as they are.
        window.bookmarks.compare_requested.connect(self._give_way)
        window.bookmarks.compare_with_present_requested.connect(self._give_way)
        self._presenter.pictures_changed.connect(self._follow)

    @property
    def choices(self) -> dict[str, str]:
        """Everything there is to compare: what it is called, by its key."""
        snapshot, source = self._presenter.snapshot, self._presenter.source
        found = {} if source is None else {_SOURCE: "Source image"}
        if snapshot is not None:
            found |= picture_names(snapshot)
        for number, bookmark in enumerate(self._controller.session.bookmarks):
            found[f"{_BOOKMARK}{number}"] = f"Kept: {bookmark.name}"
        for name, result in self._comparing.results.items():
            found[f"{_METHOD}{name}"] = f"Method: {result.title}"
        return found

    @Slot()
    def begin(self) -> None:
        """Compare the picture that was clicked last with the source image."""
        current = self._window.grid.current
        name = "" if current is None else current.objectName()
        right = name if name not in ("", _SOURCE) else self._sides[1]
        self.show(_SOURCE, right)

    @Slot(str, str)
    def show(self, left: str, right: str) -> None:
        """Show two of the choices."""
        choices = self.choices
        if left not in choices or right not in choices:
            self._controller.error_raised.emit(
                PmldaError("There is nothing to compare yet: open an image and run the chain.")
            )
            return
        self._sides, self._live = (left, right), True
        if self._fill():
            self._window.show_page(self._window.swipe)
            self._window.swipe.setFocus()

    @Slot()
    def _give_way(self) -> None:
        self._live = False
        self._window.swipe.set_choices({}, "", "")

    @Slot()
    def _end(self) -> None:
        self._give_way()
        self._window.show_page(self._window.grid)

    @Slot()
    def _follow(self) -> None:
        """A live side has changed; a topic that is gone gives way to the composite."""
        if self._live and self._window.pages.currentWidget() is self._window.swipe:
            choices = self.choices
            left, right = (side if side in choices else _SOURCE for side in self._sides)
            self._sides = (left, right)
            self._fill()

    def _fill(self) -> bool:
        choices, (left, right) = self.choices, self._sides
        try:
            first, second = self._colours(left), self._colours(right)
        except PmldaError as error:
            self._controller.error_raised.emit(error)
            return False
        if first is None or second is None:
            return False
        if first.shape[:2] != second.shape[:2]:
            names = f"{choices[left]} and {choices[right]}"
            self._controller.error_raised.emit(
                PmldaError(f"{names} are of different images: choose two of one.")
            )
            return False
        swipe = self._window.swipe
        swipe.set_choices(choices, left, right)
        swipe.compare(first, second, choices[left], choices[right])
        return True

    def _colours(self, key: str) -> NDArray[np.uint8] | None:
        if key.startswith(_BOOKMARK):
            return self._bookmarking.picture(int(key.removeprefix(_BOOKMARK)))
        if key.startswith(_METHOD):
            return self._comparing.picture(
                key.removeprefix(_METHOD), self._controller.current_image
            )
        shown = self._presenter.picture(key)
        return None if shown is None else shown.colours()
