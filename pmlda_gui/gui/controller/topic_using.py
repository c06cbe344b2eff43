"""Uses topics from a file on the open images: they are held, and what they miss is unknown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.gui.controller.background_tasks import prepare_session
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.file_progress import FileProgress
from pmlda_gui.gui.controller.session_differences import pictures_of
from pmlda_gui.gui.jobs import Job
from pmlda_gui.workspace.given_topics import notes_on_sizes
from pmlda_gui.workspace.privacy import hide_folder
from pmlda_gui.workspace.session import Session
from pmlda_gui.workspace.settings import settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pmlda_gui.imagery.image import Image
    from pmlda_gui.workspace.preparation import Prepared
    from pmlda_gui.workspace.session import ImageEntry
    from pmlda_gui.workspace.topic_set import TopicSet

__all__ = ["TOPICS_FILTER", "TopicUsing"]

TOPICS_FILTER = "Topics and workspaces (*.topics *.pmlda);;All files (*)"
_NOTHING = "Open an image first: topics from a file are found in what is open."
_MESSAGE_MILLISECONDS = 8000


@dataclass(frozen=True, eq=False)
class _Tried:
    """Topics that fit the images of a session, which are prepared for them."""

    session: Session
    topics: TopicSet
    changes: Mapping[str, Any]
    prepared: Prepared


class TopicUsing(QObject):
    """The commands *Use topics from* and *Learn topics anew*."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        self._job: Job[_Tried] | None = None
        window.actions_by_name["use_topics"].triggered.connect(self._ask)
        window.actions_by_name["learn_anew"].triggered.connect(self.learn_anew)

    @Slot()
    def _ask(self) -> None:
        if not self._controller.session.images:
            self._controller.error_raised.emit(PmldaError(_NOTHING))
            return
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Use topics from", settings().get("files/folder"), TOPICS_FILTER
        )
        if name:
            self.use(Path(name).absolute())

    def use(self, path: Path) -> None:
        """Find the topics of a file in the open images, as one step."""
        hide_folder(path.parent)
        self._job = job = self._controller.jobs.start(
            partial(_tried, path, self._controller.session, dict(self._controller.images)),
            partial(self._take, path),
            name="use topics",
            instead_of=self._job,
        )
        FileProgress(self._controller, job, f"Using topics from {path.name}")

    def _take(self, path: Path, tried: _Tried) -> None:
        controller, topics = self._controller, tried.topics
        if controller.session.images != tried.session.images:
            # Other images may not fit, which is to be known before anything is changed.
            self.use(path)
            return
        painted = bool(controller.session.strokes)
        pictures = tuple({**dict.fromkeys(pictures_of(controller.session)), "unknown": None})
        view = {**controller.session.view, "pictures": pictures}
        controller.preparing.offer(tried.prepared)
        controller.do(f"Use topics from {path.name}", **tried.changes, view=view)
        names = ", ".join(look.name for look in topics.looks)
        said = f"{topics.count} topics from {path.name} are held: {names}."
        notes = notes_on_sizes(tried.prepared.images, topics)
        if painted:
            notes.append("What was painted belongs to other topics and is gone; undo brings it.")
        if notes:
            self._window.message_bar.show_notes([said, *notes])
        else:
            self._window.statusBar().showMessage(said, _MESSAGE_MILLISECONDS)

    @Slot()
    def learn_anew(self) -> None:
        """Let go of topics from elsewhere: those of the open images are learned."""
        session = self._controller.session
        if session.given is None:
            return
        parameters = replace(session.parameters, held=())
        self._controller.do(
            "Learn topics anew", given=None, parameters=parameters, topics=(), strokes=()
        )


def _tried(
    path: Path, session: Session, known: Mapping[ImageEntry, Image], progress: Progress
) -> _Tried:
    """Read topics and prepare the images of a session for them; a sentence if they do not fit."""
    from pmlda_gui.workspace.batch.options import settings_from
    from pmlda_gui.workspace.topic_source import topics_from_file

    progress.report(0.0, f"Reading {path.name}")
    topics = topics_from_file(path)
    recipe = settings_from(topics_from=topics, seed=session.seed, estimate=session.estimate).recipe
    looks = tuple(
        replace(look, id=number, merged_into=None) for number, look in enumerate(topics.looks)
    )
    changes = {**vars(recipe), "given": topics, "topics": looks, "strokes": ()}
    progress.check()
    wanted = session.replace(**changes)
    _, prepared = prepare_session(wanted, known, None, progress.part(0.2, 1.0))
    return _Tried(session, topics, changes, prepared)
