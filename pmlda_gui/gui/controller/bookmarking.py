"""Bookmarks: results kept with their settings, taken up again, compared."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Slot

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.look import arrange
from pmlda_gui.workspace.session import Bookmark

__all__ = ["Bookmarking"]


class Bookmarking(QObject):
    """Joins the panel of bookmarks with the run and the comparison."""

    def __init__(self, controller: Controller, files: Files) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        self._files = files
        window.actions_by_name["keep_bookmark"].triggered.connect(self.keep)
        window.bookmarks.keep_requested.connect(self.keep)
        window.bookmarks.restore_requested.connect(self.restore)
        window.bookmarks.compare_requested.connect(self.compare)
        window.bookmarks.remove_requested.connect(self._remove)
        window.bookmarks.renamed.connect(self._rename)
        window.swipe.closed.connect(self.end_comparison)

    @property
    def _bookmarks(self) -> tuple[Bookmark, ...]:
        return self._controller.session.bookmarks

    @Slot()
    def keep(self) -> None:
        """Keep the present result with its settings."""
        from pmlda_gui.workspace import bookmarks

        session = self._controller.session
        taken = {bookmark.name for bookmark in self._bookmarks}
        number = next(n for n in range(1, len(taken) + 2) if f"Result {n}" not in taken)
        question = partial(bookmarks.keep, f"Result {number}", session)
        self._controller.chain.ask(question, self._kept)

    def _kept(self, kept: tuple[Bookmark, dict[str, NDArray[Any]]]) -> None:
        bookmark, arrays = kept
        self._files.arrays.update(arrays)
        self._controller.do(f"Keep {bookmark.name}", bookmarks=(*self._bookmarks, bookmark))

    @Slot(int)
    def restore(self, number: int) -> None:
        """Take up a bookmark's settings; the chain goes on from where it is."""
        bookmark = self._bookmarks[number]
        kept = bookmark.session
        self._controller.do(
            f"Return to {bookmark.name}",
            parameters=kept.parameters,
            sampler=kept.sampler,
            features=kept.features,
            documents=kept.documents,
            label_file=kept.label_file,
            estimate=kept.estimate,
            topics=kept.topics,
        )

    @Slot(int, int)
    def compare(self, first: int, second: int) -> None:
        """Lay two results over each other, parted by a line."""
        left, right = self._bookmarks[first], self._bookmarks[second]
        try:
            pictures = [self._picture(each) for each in (left, right)]
            if pictures[0].shape != pictures[1].shape:
                raise PmldaError(
                    f"{left.name} and {right.name} are of different images: choose two of one."
                )
        except PmldaError as error:
            self._controller.troubled.emit(error)
            return
        self._window.swipe.compare(pictures[0], pictures[1], left.name, right.name)
        self._window.show_page(self._window.swipe)
        self._window.swipe.setFocus()

    @Slot()
    def end_comparison(self) -> None:
        """Go back to the pictures."""
        self._window.show_page(self._window.grid)

    def _picture(self, bookmark: Bookmark) -> NDArray[np.uint8]:
        """The composite of a kept result, of the image that is shown."""
        from pmlda_gui.imagery.rendering import composite
        from pmlda_gui.workspace.bookmarks import kept_result

        result = kept_result(bookmark, self._files.arrays)
        number = min(self._controller.current_image, len(result.memberships) - 1)
        topics = arrange(result.topic_ids, bookmark.session.topics)
        maps = result.memberships[number]
        shown = np.stack([maps[list(topic.members)].sum(axis=0) for topic in topics])
        return composite(shown, np.array([topic.colour for topic in topics], np.uint8))

    @Slot(int)
    def _remove(self, number: int) -> None:
        kept = self._bookmarks
        self._controller.do(
            f"Remove {kept[number].name}", bookmarks=kept[:number] + kept[number + 1 :]
        )

    @Slot(int, str)
    def _rename(self, number: int, name: str) -> None:
        kept = list(self._bookmarks)
        try:
            kept[number] = replace(kept[number], name=name)
        except PmldaError as error:
            self._controller.troubled.emit(error)
            return
        self._controller.do("Rename a bookmark", bookmarks=tuple(kept))
