"""Bookmarks: keeps results with their settings and run, restores, compares, exports them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Slot

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.exporting import Exporting
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.view_request import arrange
from pmlda_gui.workspace.session import Bookmark, Session

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["Bookmarking"]


class Bookmarking(QObject):
    """Joins the panel of bookmarks with the run and the comparison."""

    def __init__(self, controller: Controller, files: Files, exporting: Exporting) -> None:
        super().__init__(controller)
        self._exporting = exporting
        self._controller = controller
        self._window = window = controller.window
        self._files = files
        window.actions_by_name["keep_bookmark"].triggered.connect(self.keep)
        window.bookmarks.keep_requested.connect(self.keep)
        window.bookmarks.restore_requested.connect(self.restore)
        window.bookmarks.compare_requested.connect(self.compare)
        window.bookmarks.compare_with_present_requested.connect(self.compare_with_present)
        window.bookmarks.export_requested.connect(self.export)
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
        # Those of bookmarks that were removed, once no step leads back to them.
        sessions = self._controller.history.sessions
        reachable = {each.key for session in sessions for each in session.bookmarks}
        for name in [*self._files.arrays]:
            if name.split("/")[0] not in reachable:
                del self._files.arrays[name]

    @Slot(int)
    def restore(self, number: int) -> None:
        """Bring back a bookmark's run, maps, names and settings.

        Of a bookmark that an earlier version kept, or of a very large run, there are only the
        settings.
        """
        from pmlda_gui.workspace.bookmarks import kept_state

        bookmark = self._bookmarks[number]
        kept = bookmark.session
        changes: dict[str, Any] = {
            **vars(kept.recipe),
            "images": kept.images,
            "topics": kept.topics,
            "strokes": kept.strokes,
            "given": kept.given,
        }
        text = f"Return to {bookmark.name}"
        try:
            state = kept_state(bookmark, self._files.arrays)
        except PmldaError as error:
            self._controller.error_raised.emit(error)
            return
        if state is None:
            self._window.message_bar.show_note(
                f"Only the settings of {bookmark.name} were kept: the chain continues with them."
            )
            self._controller.do(text, **changes)
        else:
            changes["restarts"] = self._controller.session.restarts + 1
            self._controller.do(text, state=state, **changes)

    @Slot(int)
    def export(self, number: int) -> None:
        """Export a bookmark as the present result is exported."""
        from pmlda_gui.workspace.bookmarks import kept_state

        bookmark = self._bookmarks[number]
        try:
            state = kept_state(bookmark, self._files.arrays)
            if state is None:
                raise PmldaError(
                    f"Only the settings and maps of {bookmark.name} were kept: go back to it, let "
                    "it run, and export that."
                )
        except PmldaError as error:
            self._controller.error_raised.emit(error)
            return
        self._exporting.ask_where_to_export_kept(bookmark.session, state)

    @Slot(int, int)
    def compare(self, first: int, second: int) -> None:
        """Lay two results over each other, parted by a line."""
        left, right = self._bookmarks[first], self._bookmarks[second]
        try:
            pictures = [self._picture(each) for each in (left, right)]
        except PmldaError as error:
            self._controller.error_raised.emit(error)
            return
        self._show(pictures[0], left.name, pictures[1], right.name)

    @Slot(int)
    def compare_with_present(self, number: int) -> None:
        """Show a bookmark over the present result."""
        session, image = self._controller.session, self._controller.current_image
        self._controller.chain.ask(
            partial(_present_picture, session, image),
            partial(self._show_beside, self._bookmarks[number]),
        )

    def _show_beside(self, bookmark: Bookmark, present: NDArray[np.uint8]) -> None:
        try:
            kept = self._picture(bookmark)
        except PmldaError as error:
            self._controller.error_raised.emit(error)
            return
        self._show(kept, bookmark.name, present, "Present result")

    def _show(
        self, first: NDArray[np.uint8], left: str, second: NDArray[np.uint8], right: str
    ) -> None:
        if first.shape != second.shape:
            self._controller.error_raised.emit(
                PmldaError(f"{left} and {right} are of different images: choose two of one.")
            )
            return
        self._window.swipe.compare(first, second, left, right)
        self._window.show_page(self._window.swipe)
        self._window.swipe.setFocus()

    @Slot()
    def end_comparison(self) -> None:
        """Go back to the pictures."""
        self._window.show_page(self._window.grid)

    def picture(self, number: int) -> NDArray[np.uint8]:
        """The composite (height, width, 3) of a bookmark, of the image that is shown."""
        return self._picture(self._bookmarks[number])

    def _picture(self, bookmark: Bookmark) -> NDArray[np.uint8]:
        """The composite of a bookmark, for the image that is shown."""
        from pmlda_gui.workspace.bookmarks import kept_result

        result = kept_result(bookmark, self._files.arrays)
        number = min(self._controller.current_image, len(result.memberships) - 1)
        return _composite(result.memberships[number], result.topic_ids, bookmark.session)

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
            self._controller.error_raised.emit(error)
            return
        self._controller.do("Rename a bookmark", bookmarks=tuple(kept))


def _composite(
    maps: NDArray[np.float32], topic_ids: tuple[int, ...], session: Session
) -> NDArray[np.uint8]:
    """The picture of some maps, in the colours of a session."""
    from pmlda_gui.imagery.rendering import composite

    topics = arrange(topic_ids, session.topics)
    shown = np.stack([maps[list(topic.members)].sum(axis=0) for topic in topics])
    return composite(shown, np.array([topic.colour for topic in topics], np.uint8))


def _present_picture(session: Session, image: int, run: Run) -> NDArray[np.uint8]:
    maps = run.maps(session.estimate, min(image, len(run.prepared.images) - 1))
    assert maps is not None
    return _composite(maps.memberships, run.topic_ids, session)
