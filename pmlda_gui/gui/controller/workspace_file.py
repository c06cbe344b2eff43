"""The file a workspace belongs to, and how another workspace takes the place of the open one."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.recent import RecentFiles
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.session import ImageEntry, Session

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run
    from pmlda_gui.workspace.shared_file import Stamp
    from pmlda_gui.workspace.topic_matching import FormerTopics

__all__ = ["SUFFIX", "WorkspaceFile"]

SUFFIX = ".pmlda"
log = logging.getLogger(__name__)


class WorkspaceFile(QObject):
    """What is known of the open workspace beside its session.

    `path` is the file it belongs to, None while it has none, and `stamp` what that file
    was like when it was last read or written here; `arrays` are those of its bookmarks.
    `path_changed` tells of another path, also if it is the same again; `replaced` that
    another workspace is about to take the place of the open one.
    """

    path_changed = Signal()
    replaced = Signal()

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self.path: Path | None = None
        self.stamp: Stamp | None = None
        self.arrays: dict[str, NDArray[Any]] = {}
        self.recent = RecentFiles(controller.window, self)

    def become(
        self,
        session: Session,
        images: Mapping[ImageEntry, Image],
        path: Path | None = None,
        stamp: Stamp | None = None,
        arrays: Mapping[str, NDArray[Any]] | None = None,
        run: Run | None = None,
        former: FormerTopics | None = None,
        *,
        disposable: bool = False,
    ) -> None:
        """Have this workspace open instead; see `Controller.begin_session`."""
        self.replaced.emit()
        self.path, self.stamp, self.arrays = path, stamp, dict(arrays or {})
        names = [entry.name for entry in session.images]
        log.info("opened %s with %s", path.name if path else "a new workspace", names or "nothing")
        self._controller.window.message_bar.dismiss()
        self._controller.begin_session(session, images, run, disposable, former)
        self.path_changed.emit()

    def was_written(self, path: Path, stamp: Stamp | None) -> None:
        """The open workspace is in this file now."""
        self.path, self.stamp = path, stamp
        self.path_changed.emit()
