"""Opening and saving: what is chosen, read in the background, and put into the window."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMessageBox

from pmlda_gui.gui.controller import loading
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.file_jobs import (
    Probed,
    Resumed,
    SavedElsewhere,
    Written,
    load_workspace,
    probe_paths,
    resume_workspace,
    write_workspace,
)
from pmlda_gui.gui.controller.file_progress import FileProgress
from pmlda_gui.gui.controller.recent import RecentFiles
from pmlda_gui.gui.dialogs.missing import MissingImagesDialog
from pmlda_gui.gui.dialogs.open_options import OpenOptionsDialog
from pmlda_gui.gui.dialogs.questions import (
    OVERWRITE,
    SAVE_ELSEWHERE,
    overwriting_question,
    unsaved_question,
)
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.formats import file_endings
from pmlda_gui.imagery.readers.options import ReadOptions
from pmlda_gui.workspace.privacy import hide_folder
from pmlda_gui.workspace.session import ImageEntry, Session
from pmlda_gui.workspace.settings import settings
from pmlda_gui.workspace.sharing import stamp_of

if TYPE_CHECKING:
    from pmlda_gui.workspace.archive import Loaded
    from pmlda_gui.workspace.run import Run
    from pmlda_gui.workspace.sharing import Stamp

__all__ = ["Files"]

log = logging.getLogger(__name__)
SUFFIX = ".pmlda"
_ENDINGS = " ".join(f"*{ending}" for ending in (SUFFIX, *file_endings()))
_FILTER = f"Imagery and workspaces ({_ENDINGS});;All files (*)"


class Files(QObject):
    """The commands that read or write whole workspaces.

    `path` is the file the workspace belongs to, None while it has none; `arrays` are
    those of its bookmarks.  `path_changed` follows the first; `recovered` tells that
    work which an earlier program left behind is open now.
    """

    path_changed = Signal()
    recovered = Signal()

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        self.path: Path | None = None
        self.arrays: dict[str, NDArray[Any]] = {}
        self._stamp: Stamp | None = None
        self._adding = False
        self._next: Callable[[], None] | None = None
        self._belongs: tuple[Path | None, bool] = (None, True)
        actions = window.actions_by_name
        actions["new"].triggered.connect(self.new)
        actions["open"].triggered.connect(self.ask_what_to_open)
        actions["open_with_options"].triggered.connect(self._ask_with_options)
        actions["open_demo"].triggered.connect(self.open_demo)
        actions["save"].triggered.connect(self.save)
        actions["save_as"].triggered.connect(self.ask_where_to_save)
        window.welcome.open_requested.connect(self.ask_what_to_open)
        window.welcome.path_requested.connect(self._open_path)
        window.welcome.demo_requested.connect(self.open_demo)
        window.welcome.files_dropped.connect(self.add)
        window.images.files_dropped.connect(self.add)
        window.images.add_requested.connect(self._ask_what_to_add)
        window.files_dropped.connect(self.add)
        window.parameters.label_map_requested.connect(self._ask_for_label_map)
        controller.jobs.succeeded.connect(self._job_succeeded)
        FileProgress(controller)
        self._recent = RecentFiles(window, self)
        self._recent.chosen.connect(self._open_path)

    # -- commands ----------------------------------------------------------------------------

    @Slot()
    def new(self) -> None:
        """Close everything that is open."""
        self._instead(partial(self._become, None, Session(), {}, {}, None))

    @Slot()
    def open_demo(self) -> None:
        """Open the made scene and start."""
        self._instead(self._become_demo)

    def _become_demo(self) -> None:
        self._become(None, Session(images=(ImageEntry(scene="demo"),)), {}, {}, None)
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
            self._adding = False
            chosen = [Path(path).absolute() for path in paths]
            self._instead(partial(self._probe, chosen, always_ask=True))

    def _instead(self, go_on: Callable[[], None]) -> None:
        """Do what replaces the open work; unsaved work is asked about first."""
        self._next = go_on
        if not self._controller.has_unsaved_work:
            self._go_on()
            return
        question = unsaved_question(self._window)
        question.finished.connect(self._decided)
        question.finished.connect(question.deleteLater)
        question.open()

    @Slot(int)
    def _decided(self, answer: int) -> None:
        if answer == QMessageBox.StandardButton.Discard:
            self._go_on()
        elif answer == QMessageBox.StandardButton.Save:
            self.save()
        else:
            self._next = None

    def _go_on(self) -> None:
        go_on, self._next = self._next, None
        if go_on is not None:
            go_on()

    def _chosen(self, title: str) -> list[str]:
        folder = settings().get("files/folder")
        names, _ = QFileDialog.getOpenFileNames(self._window, title, folder, _FILTER)
        return names

    @Slot(list)
    def open(self, paths: Sequence[str | Path]) -> None:
        """Open files instead of what is open: a workspace, or images as a new one."""
        self._start(paths, adding=False)

    @Slot(list)
    def add(self, paths: Sequence[str | Path]) -> None:
        """Add images to those that are open; a workspace replaces them."""
        self._start(paths, adding=bool(self._controller.session.images))

    @Slot(str)
    def _open_path(self, path: str) -> None:
        self.open([path])

    def _start(self, given: Sequence[str | Path], adding: bool) -> None:
        paths = [Path(path).absolute() for path in given]
        if not paths:
            return
        settings().set("files/folder", str(paths[0].parent))
        for path in paths:
            hide_folder(path.parent)
        workspaces = [path for path in paths if path.suffix.lower() == SUFFIX]
        self._adding = adding and not workspaces
        if workspaces:
            load = partial(load_workspace, workspaces[0])
            self._instead(partial(self._controller.jobs.start, "load", load))
        elif self._adding:
            self._probe(paths, always_ask=False)
        else:
            self._instead(partial(self._probe, paths, always_ask=False))

    def _probe(self, paths: list[Path], always_ask: bool) -> None:
        self._controller.jobs.start("probe", partial(probe_paths, paths, always_ask))

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

    @Slot()
    def save(self) -> None:
        """Save where the workspace belongs, or ask where."""
        if self.path is None:
            self.ask_where_to_save()
        else:
            self.save_to(self.path)

    @Slot()
    def ask_where_to_save(self) -> None:
        """Choose a file and save."""
        offered = self.path or Path(settings().get("files/folder")) / "workspace.pmlda"
        name, _ = QFileDialog.getSaveFileName(
            self._window, "Save workspace", str(offered), "Workspaces (*.pmlda)"
        )
        if name:
            self.save_to(Path(name))
        else:
            self._next = None

    def save_to(self, path: Path) -> None:
        """Save into a file: the run is copied between sweeps, written in the background."""
        from pmlda_gui.workspace import archive

        path = path.absolute()
        if path.suffix.lower() != SUFFIX:
            path = path.with_name(path.name + SUFFIX)
        hide_folder(path.parent)
        session, arrays = self._controller.session, dict(self.arrays)
        if self._controller.chain.exists:
            self._controller.chain.ask(
                "save", partial(archive.take, session, arrays=arrays), partial(self._write, path)
            )
        else:
            self._write(path, archive.take(session, None, arrays))

    def _write(self, path: Path, snapshot: Any) -> None:
        # The file this workspace belongs to should be as it was left; another was chosen.
        known = self._stamp if path == self.path else None
        self._controller.jobs.start("save", partial(write_workspace, path, snapshot, known))

    def _ask_about_overwriting(self, other: SavedElsewhere) -> None:
        question = overwriting_question(other.path.name, other.when, self._window)
        question.finished.connect(partial(self._overwriting_decided, other))
        question.finished.connect(question.deleteLater)
        question.open()

    def _overwriting_decided(self, other: SavedElsewhere, answer: int) -> None:
        if answer == OVERWRITE:
            self._stamp = None
            self._write(other.path, other.snapshot)
        elif answer == SAVE_ELSEWHERE:
            self.ask_where_to_save()
        else:
            self._next = None

    # -- what the jobs bring -----------------------------------------------------------------

    @Slot(str, object)
    def _job_succeeded(self, name: str, result: Any) -> None:
        if name == "probe":
            self._probed(result)
        elif name == "open":
            self._opened(result)
        elif name == "load":
            self.take_up(result, result.path, saved=True)
        elif name == "resume":
            self._resumed(result)
        elif name == "save":
            self._saved(result)

    def _probed(self, probed: Probed) -> None:
        options = ReadOptions()
        if probed.ask is not None:
            dialog = OpenOptionsDialog(probed.ask, self._window)
            dialog.accepted.connect(partial(self._options_chosen, dialog, probed.paths))
            dialog.finished.connect(dialog.deleteLater)
            dialog.open()
            return
        self._read(probed.paths, options)

    def _options_chosen(self, dialog: OpenOptionsDialog, paths: list[Path]) -> None:
        self._read(paths, dialog.options)

    def _read(self, paths: list[Path], options: ReadOptions) -> None:
        self._controller.jobs.start("open", partial(loading.open_paths, paths, options))

    def _opened(self, opened: loading.Opened) -> None:
        controller, session = self._controller, self._controller.session
        if self._adding:
            entries = tuple(entry for entry in opened.entries if entry not in session.images)
            controller.images.update(opened.images)
            names = entries[0].name if len(entries) == 1 else f"{len(entries)} images"
            controller.do(f"Add {names}", images=session.images + entries)
        else:
            session = Session(images=opened.entries)
            if opened.choices is not None:
                features, documents = opened.choices
                session = session.replace(features=features, documents=documents)
            self._become(None, session, dict(opened.images), {}, None)
        for entry in opened.entries:
            if entry.path is not None:
                self._recent.remember(entry.path)
        if opened.refused:
            self._window.message_bar.show_refused(opened.refused)

    def take_up(self, loaded: Loaded, path: Path | None, saved: bool) -> None:
        """Open a workspace that was read; it belongs to `path`, which it may not match."""
        self._belongs = (path, saved)
        if not loaded.missing:
            self._controller.jobs.start("resume", partial(resume_workspace, loaded))
            return
        dialog = MissingImagesDialog(loaded.missing, self._window)
        dialog.accepted.connect(partial(self._found, dialog, loaded))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _found(self, dialog: MissingImagesDialog, loaded: Loaded) -> None:
        missing = loaded.missing
        for number, path in dialog.found.items():
            loaded = loaded.with_image(missing[number], path)
        self._controller.jobs.start("resume", partial(resume_workspace, loaded))

    def _resumed(self, resumed: Resumed) -> None:
        loaded, (path, saved) = resumed.loaded, self._belongs
        self._become(path, loaded.session, resumed.images, loaded.arrays, resumed.run)
        self._stamp = loaded.stamp
        if not saved:
            self._stamp = None if path is None else stamp_of(path)
            self._controller.history.mark_unsaved()
            self.recovered.emit()
        if path is not None:
            self._recent.remember(path)
        if loaded.notes:
            self._window.message_bar.show_notes(loaded.notes)

    def _saved(self, result: Written | SavedElsewhere) -> None:
        if isinstance(result, SavedElsewhere):
            self._ask_about_overwriting(result)
            return
        self.path, self._stamp = result.path, result.stamp
        self._controller.history.mark_saved(result.session)
        log.info("saved %s", result.path.name)
        self._recent.remember(result.path)
        self._window.statusBar().showMessage(f"Saved {result.path.name}", 4000)
        self.path_changed.emit()
        self._go_on()

    def _become(
        self,
        path: Path | None,
        session: Session,
        images: Mapping[ImageEntry, Image],
        arrays: dict[str, NDArray[Any]],
        run: Run | None,
    ) -> None:
        self.path, self.arrays, self._stamp = path, dict(arrays), None
        names = [entry.name for entry in session.images]
        log.info("opened %s with %s", path.name if path else "a new workspace", names or "nothing")
        self._window.message_bar.dismiss()
        self._controller.begin_session(session, images, run)
        self.path_changed.emit()
