"""Opening, saving and recovering of workspaces, joined."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.opening import Opening
from pmlda_gui.gui.controller.replacing import Replacing
from pmlda_gui.gui.controller.rereading import Rereading
from pmlda_gui.gui.controller.resuming import Resuming
from pmlda_gui.gui.controller.saving import Saving
from pmlda_gui.gui.controller.workspace_file import WorkspaceFile

__all__ = ["Files"]


class Files(QObject):
    """The open workspace's file, and the commands about files; `path_changed` follows `path`."""

    path_changed = Signal()

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._file = WorkspaceFile(controller)
        self._saving = Saving(controller, self._file)
        replacing = Replacing(controller, self._saving)
        self.resuming = Resuming(controller, self._file, replacing)
        self._opening = Opening(controller, self._file, replacing, self.resuming)
        self.rereading = Rereading(controller)
        self._file.path_changed.connect(self.path_changed)

    @property
    def path(self) -> Path | None:
        """The file the workspace belongs to, None while it has none."""
        return self._file.path

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the workspace's bookmarks."""
        return self._file.arrays

    @Slot()
    def open_demo(self) -> None:
        """Open the synthetic scene and start."""
        self._opening.open_demo()

    def open(self, paths: Sequence[str | Path]) -> None:
        """Open files instead of what is open: a workspace, or images as a new one."""
        self._opening.open(paths)

    def add(self, paths: Sequence[str | Path]) -> None:
        """Add images to those that are open; a workspace replaces them."""
        self._opening.add(paths)

    def save_to(self, path: Path) -> None:
        """Save into a file."""
        self._saving.save_to(path)
