"""Opens files: chooses them, reads them in the background, and shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

from pmlda_gui.gui.controller import background_tasks
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.file_jobs import Probed, probe_paths
from pmlda_gui.gui.controller.file_progress import FileProgress
from pmlda_gui.gui.controller.replacing import Agreement, Replacing
from pmlda_gui.gui.controller.resuming import Resuming
from pmlda_gui.gui.controller.workspace_file import SUFFIX, WorkspaceFile
from pmlda_gui.gui.dialogs.open_options import OpenOptionsDialog
from pmlda_gui.gui.jobs import Job, Work
from pmlda_gui.imagery.readers.formats import file_endings
from pmlda_gui.imagery.readers.options import ReadOptions
from pmlda_gui.workspace.privacy import hide_folder
from pmlda_gui.workspace.session import ImageEntry, Session
from pmlda_gui.workspace.settings import settings

__all__ = ["Opening"]

_ENDINGS = " ".join(f"*{ending}" for ending in (SUFFIX, *file_endings()))
_FILTER = f"Imagery and workspaces ({_ENDINGS});;All files (*)"
_DEMO = Session(images=(ImageEntry(scene="demo"),))
Result = TypeVar("Result")


@dataclass(frozen=True)
class _Purpose:
    """Why images are read: what is done with them, and whether that replaces the open work."""

    take: Callable[[background_tasks.Opened], None]
    replaces: bool


class Opening(QObject):
    """The commands that read files.

    Each carries along what is to be done with what it reads.  Images are added to the
    workspace that was open when they were asked for, or to none.
    """

    def __init__(
        self,
        controller: Controller,
        file: WorkspaceFile,
        replacing: Replacing,
        resuming: Resuming,
    ) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        self._file = file
        self._replacing = replacing
        self._resuming = resuming
        self._adding: list[Job[Any]] = []
        actions = window.actions_by_name
        actions["new"].triggered.connect(self.new)
        actions["open"].triggered.connect(self.ask_what_to_open)
        actions["open_with_options"].triggered.connect(self._ask_with_options)
        actions["open_demo"].triggered.connect(self.open_demo)
        window.welcome.open_requested.connect(self.ask_what_to_open)
        window.welcome.path_requested.connect(self._open_path)
        window.welcome.demo_requested.connect(self.open_demo)
        window.welcome.files_dropped.connect(self.add)
        window.images.files_dropped.connect(self.add)
        window.images.add_requested.connect(self._ask_what_to_add)
        window.files_dropped.connect(self.add)
        window.parameters.label_map_requested.connect(self._ask_for_label_map)
        file.recent.chosen.connect(self._open_path)
        file.replaced.connect(self._stop_adding)

    # -- commands ----------------------------------------------------------------------------

    @Slot()
    def new(self) -> None:
        """Close everything that is open."""
        self._replacing.ask(partial(self._file.become, Session(), {}))

    @Slot()
    def open_demo(self) -> None:
        """Open the synthetic scene and start."""
        self._replacing.ask(self._become_demo)

    def _become_demo(self) -> None:
        self._file.become(_DEMO, {}, disposable=True)
        self._controller.run()

    @Slot()
    def ask_what_to_open(self) -> None:
        """Choose files to open instead of what is open."""
        self.open(self._chosen("Open"))

    @Slot()
    def _ask_what_to_add(self) -> None:
        self.add(self._chosen("Add images"))

    @Slot()
    def _ask_with_options(self) -> None:
        paths = self._chosen("Open with options")
        if paths:
            chosen = [Path(path).absolute() for path in paths]
            self._replacing.ask(partial(self._open_images, chosen, always_ask=True))

    @Slot()
    def _ask_for_label_map(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Choose a label map", settings().get("files/folder")
        )
        if name:
            documents = replace(self._controller.session.documents, kind="labels")
            self._controller.do(
                "Choose a label map", label_file=Path(name).absolute(), documents=documents
            )

    def _chosen(self, title: str) -> list[str]:
        folder = settings().get("files/folder")
        names, _ = QFileDialog.getOpenFileNames(self._window, title, folder, _FILTER)
        return names

    @Slot(str)
    def _open_path(self, path: str) -> None:
        self.open([path])

    @Slot(list)
    def open(self, paths: Sequence[str | Path]) -> None:
        """Open files instead of what is open: a workspace, or images as a new one."""
        chosen, workspace = self._sorted(paths)
        if workspace is not None:
            self._replacing.ask(partial(self._resuming.open, workspace))
        elif chosen:
            self._replacing.ask(partial(self._open_images, chosen, always_ask=False))

    @Slot(list)
    def add(self, paths: Sequence[str | Path]) -> None:
        """Add images to those that are open; a workspace replaces them."""
        chosen, workspace = self._sorted(paths)
        if workspace is not None or not self._controller.session.images:
            self.open(paths)
        elif chosen:
            self._probe(_Purpose(self._add_images, replaces=False), chosen, always_ask=False)

    def _sorted(self, given: Sequence[str | Path]) -> tuple[list[Path], Path | None]:
        """The files with whole paths, and the workspace among them; remembers their folder."""
        paths = [Path(path).absolute() for path in given]
        if paths:
            settings().set("files/folder", str(paths[0].parent))
        for path in paths:
            hide_folder(path.parent)
        return paths, next((each for each in paths if each.suffix.lower() == SUFFIX), None)

    def _start_adding(
        self, name: str, work: Work[Result], take: Callable[[Result], None]
    ) -> Job[Result]:
        """Begin, or go on with, what adds to the open work; several may do so at a time."""
        job = self._controller.jobs.start(work, take, name=name)
        self._adding = [*(each for each in self._adding if each.under_way), job]
        return job

    @Slot()
    def _stop_adding(self) -> None:
        """What the images were for is no longer open."""
        for job in self._adding:
            job.cancel()
        self._adding = []

    # -- images ------------------------------------------------------------------------------

    def _open_images(self, paths: list[Path], always_ask: bool) -> None:
        take = partial(self._become_images, Agreement.now(self._controller))
        self._probe(_Purpose(take, replaces=True), paths, always_ask)

    def _probe(self, purpose: _Purpose, paths: list[Path], always_ask: bool) -> None:
        work, choose = partial(probe_paths, paths, always_ask), partial(self._choose, purpose)
        if purpose.replaces:
            self._replacing.start("probe", work, choose)
        else:
            self._start_adding("probe", work, choose)

    def _choose(self, purpose: _Purpose, probed: Probed) -> None:
        """Ask for the options of a file that needs some, and read."""
        if probed.ask is None:
            self._read(purpose, probed.paths, ReadOptions())
            return
        dialog = OpenOptionsDialog(probed.ask, self._window)
        dialog.accepted.connect(partial(self._options_chosen, purpose, probed.paths, dialog))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _options_chosen(
        self, purpose: _Purpose, paths: list[Path], dialog: OpenOptionsDialog
    ) -> None:
        self._read(purpose, paths, dialog.options)

    def _read(self, purpose: _Purpose, paths: list[Path], options: ReadOptions) -> None:
        work = partial(background_tasks.open_paths, paths, options)
        if purpose.replaces:
            job = self._replacing.start("open", work, purpose.take)
        else:
            job = self._start_adding("open", work, purpose.take)
        FileProgress(self._controller, job, "Opening")

    def _become_images(self, agreement: Agreement, opened: background_tasks.Opened) -> None:
        session = Session(images=opened.entries)
        if opened.choices is not None:
            features, documents = opened.choices
            session = session.replace(features=features, documents=documents)

        def become() -> None:
            self._file.become(session, opened.images)
            self._tell_of(opened)

        self._replacing.replace(agreement, become)

    def _add_images(self, opened: background_tasks.Opened) -> None:
        controller = self._controller
        present = controller.session.images
        entries = tuple(entry for entry in opened.entries if entry not in present)
        controller.images.update(opened.images)
        names = entries[0].name if len(entries) == 1 else f"{len(entries)} images"
        controller.do(f"Add {names}", images=present + entries)
        self._tell_of(opened)

    def _tell_of(self, opened: background_tasks.Opened) -> None:
        for entry in opened.entries:
            if entry.path is not None:
                self._file.recent.remember(entry.path)
        if opened.refused:
            self._window.message_bar.show_refused(opened.refused)
