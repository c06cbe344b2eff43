"""Joins the session, the chain and the window.

The history holds the one true session.  Panels ask for changes, which become steps
of the history; whatever the step was, undo included, the same function compares the
session before and after it and passes on what is different.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QPainterPath

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.gui.controller import loading
from pmlda_gui.gui.controller.chain_control import ChainControl
from pmlda_gui.gui.controller.looking import Looking
from pmlda_gui.gui.controller.presenter import PICTURES, Presenter
from pmlda_gui.gui.jobs import Jobs
from pmlda_gui.gui.look import default_topic
from pmlda_gui.gui.main_window import MainWindow
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.history import History
from pmlda_gui.workspace.session import ImageEntry, Session, TopicLook

if TYPE_CHECKING:
    from pmlda_gui.workspace.preparation import Prepared
    from pmlda_gui.workspace.run import Run
    from pmlda_gui.workspace.run_states import KeptStates, RunState

__all__ = ["Controller"]

TICK_MILLISECONDS = 25
TRACE_SECONDS = 0.2
SETTLING_MILLISECONDS = 120
# Work that takes less than this needs no progress bar.
PATIENCE_SECONDS = 0.3


class Controller(QObject):
    """What happens when.

    `troubled` carries every exception an operator should hear of; `changed` the
    session before and after a change; `ticked` comes 40 times a second.
    """

    troubled = Signal(object)
    changed = Signal(object, object)
    ticked = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.history = History(Session())
        self.chain = ChainControl(self)
        self.jobs = Jobs(self)
        self.presenter = Presenter(window, self)
        self.images: dict[ImageEntry, Image] = {}
        self.prepared: Prepared | None = None
        self.current_image = 0
        self.topic_ids: tuple[int, ...] = ()
        self._outlines: tuple[Prepared, int, QPainterPath] | None = None
        self._trace_due = 0.0
        # What is being prepared is for another sampler, or for a run that is kept, so that the
        # present one does not go on with it.
        self._begins_anew = self._brings_back = False
        self.states = _new_states()
        # The session that the next run is begun for; names may change while it is prepared.
        self._brought = Session()
        self.chain.posted.connect(self._take_frame)
        self.chain.failed.connect(self.troubled)
        self.jobs.succeeded.connect(self._job_succeeded)
        self.jobs.failed.connect(self._job_failed)
        self._unsubscribe = self.history.subscribe(self._pass_on)
        self._prepare_soon = QTimer(self)
        self._prepare_soon.setSingleShot(True)
        self._prepare_soon.setInterval(SETTLING_MILLISECONDS)
        self._prepare_soon.timeout.connect(self._prepare_present)
        self._looking = Looking(self)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MILLISECONDS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    # -- the session -------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """The present session."""
        return self.history.session

    @property
    def has_unsaved_work(self) -> bool:
        """Whether there is anything that neither a file nor the program itself can give again."""
        made = all(entry.scene is not None for entry in self.session.images)
        return not (self.history.saved or made)

    def do(self, text: str, merge: str | None = None, **changes: Any) -> None:
        """Change some fields of the session as one step that can be undone."""
        try:
            self.history.do(text, self.session.replace(**changes), merge)
        except PmldaError as error:
            self.troubled.emit(error)

    def begin_session(
        self,
        session: Session,
        images: Mapping[ImageEntry, Image],
        run: Run | None = None,
    ) -> None:
        """Replace everything that is open; `run` goes on where it is, else one is begun."""
        self._unsubscribe()
        old = self.session
        self.images = dict(images)
        self.prepared, self.current_image = None, 0
        self.history = History(session)
        self.states = _new_states()
        self._unsubscribe = self.history.subscribe(self._pass_on)
        self._drop_run()
        if run is not None:
            self.prepared = run.prepared.untuned or run.prepared
            self.window.scatter.set_features(run.prepared.feature_names, run.prepared.feature_units)
            self.chain.begin(partial(self.states.adopt, run, session))
        self._pass_on(old, session, anew=True)

    def _pass_on(self, old: Session, new: Session, anew: bool = False) -> None:
        """Tell everybody what is different; the only place that does."""
        if not anew and _run_of(old) != _run_of(new):
            self._keep_state(old)
            self._brought = new
        if new.images != old.images:
            self.current_image = min(self.current_image, max(len(new.images) - 1, 0))
        if anew:
            if self.prepared is None:
                self._prepare(new)
        elif old.images != new.images:
            self._brings_back = self.states.has(new)
            self._prepare(new)
        elif _preparation_of(old) != _preparation_of(new):
            self._begins_anew |= _chain_of(old) != _chain_of(new)
            self._brings_back = self.states.has(new)
            # A slider on its way passes many values; the one where it rests counts.
            self._prepare_soon.start()
        elif _run_of(old) != _run_of(new) and (
            self.states.has(new) or _chain_of(old) != _chain_of(new)
        ):
            self._begin_again()
        goes_on = not (anew or self._begins_anew or self._brings_back)
        if new.parameters != old.parameters and goes_on:
            self.chain.set_parameters(new.parameters)
        if anew or (old.estimate, old.topics) != (new.estimate, new.topics):
            self.send_look()
        if anew or (old.display, old.images) != (new.display, new.images):
            self._show_source()
        if anew or old.outlines != new.outlines:
            self._show_outlines()
        self.presenter.choose(pictures_of(new))
        self.changed.emit(old, new)

    # -- preparing and running ---------------------------------------------------------------

    @Slot()
    def _prepare_present(self) -> None:
        self._prepare(self.session)

    def _prepare(self, session: Session) -> None:
        self._prepare_soon.stop()
        if not session.images:
            self.jobs.cancel("prepare")
            self.prepared = None
            self._drop_run()
            return
        known = dict(self.images)
        self.jobs.start("prepare", partial(loading.prepare_session, session, known, self.prepared))

    def _take_prepared(self, result: tuple[loading.Opened, Prepared]) -> None:
        opened, prepared = result
        before, self.prepared = self.prepared, prepared
        known = all(self.images.get(each) is opened.images[each] for each in opened.entries)
        self.images.update(opened.images)
        self.window.scatter.set_features(prepared.feature_names, prepared.feature_units)
        self._outlines = None
        self._show_outlines()
        if not known:
            self._show_source()
            self.changed.emit(self.session, self.session)
        goes_on = self.chain.exists and before is not None and _same_images(before, prepared)
        if goes_on and not (self._begins_anew or self._brings_back):
            self.chain.set_prepared(prepared)
            return
        self._begin_run(prepared)
        notes = [note for image in prepared.images for note in image.notes]
        if notes:
            self.window.message_bar.show_notes(notes)

    def _begin_run(self, prepared: Prepared) -> None:
        self._begins_anew = self._brings_back = False
        self.window.trace.clear_trace()
        states = self.states
        self.chain.begin(
            partial(states.begin, prepared, self.session, self._brought, states.awaited)
        )
        self.send_look()

    def _keep_state(self, session: Session) -> None:
        """Keep the run of a session that is about to have another, or another target."""
        if self.chain.exists:
            self.states.expect(session)
            awaited = self.states.awaited
            self.chain.ask("keep_state", partial(self.states.take, awaited), _ignore)

    def _drop_run(self) -> None:
        self.chain.drop()
        self.topic_ids = ()
        self.presenter.forget()
        self.window.trace.clear_trace()
        self.window.scatter.clear()

    @property
    def can_run(self) -> bool:
        """Whether there is a chain, or one is on its way."""
        return self.chain.exists or self.jobs.progress("prepare") is not None

    @Slot()
    def run(self) -> None:
        """Let the chain run, as soon as there is one."""
        if self.can_run:
            self.chain.set_running(True)

    @Slot()
    def pause(self) -> None:
        """Hold the chain where it is."""
        self.chain.set_running(False)

    @Slot()
    def toggle(self) -> None:
        """Run if paused, pause if running."""
        (self.pause if self.chain.running else self.run)()

    @Slot()
    def step(self) -> None:
        """Do one sweep."""
        self.chain.step()

    @Slot()
    def restart(self) -> None:
        """Begin again from the first sweep with the present settings."""
        if self.chain.exists:
            self.do("Restart", restarts=self.session.restarts + 1)

    def go_back(self, text: str, state: RunState, **changes: Any) -> None:
        """Have a run as it was, with the settings it had, as one step that can be undone."""
        try:
            restarts = self.session.restarts + 1
            session = self.session.replace(restarts=restarts, **changes)
        except PmldaError as error:
            self.troubled.emit(error)
            return
        self.states.put(session, state)
        self.history.do(text, session)

    def _begin_again(self) -> None:
        if self.prepared is not None and self.jobs.progress("prepare") is None:
            self._begin_run(self.prepared)
        else:
            self._begins_anew = True

    # -- what is shown -----------------------------------------------------------------------

    @property
    def shown_image(self) -> Image | None:
        """The image in the source view, None while it is being read."""
        entries = self.session.images
        return self.images.get(entries[self.current_image]) if entries else None

    @property
    def looks(self) -> tuple[TopicLook, ...]:
        """The looks of the chain's topics, in order of display."""
        known = {look.id for look in self.session.topics}
        there = tuple(look for look in self.session.topics if look.id in self.topic_ids)
        return there + tuple(default_topic(each) for each in self.topic_ids if each not in known)

    def show_image(self, number: int) -> None:
        """Look at another image of the session."""
        if 0 <= number < len(self.session.images) and number != self.current_image:
            self.current_image = number
            self._show_source()
            self._show_outlines()
            self.send_look()

    @Slot()
    def send_look(self) -> None:
        """Tell the worker what to paint."""
        self._looking.send()

    def _show_source(self) -> None:
        window, image = self.window, self.shown_image
        window.show_page(window.grid if self.session.images else window.welcome)
        self.presenter.set_topics_expected(self.session.parameters.topics)
        if image is not None:
            self.jobs.start("source", partial(loading.source_picture, image, self.session.display))

    def _show_outlines(self) -> None:
        look, prepared, number = self.session.outlines, self.prepared, self.current_image
        if prepared is None or not look.shown:
            self.presenter.set_outlines(None, look)
        elif self._outlines is not None and self._outlines[:2] == (prepared, number):
            self.presenter.set_outlines(self._outlines[2], look)
        else:
            self.jobs.start("outlines", partial(loading.outline_path, prepared, number))

    @Slot()
    def _tick(self) -> None:
        self._take_frame()
        self._show_progress()
        self.ticked.emit()

    @Slot()
    def _take_frame(self) -> None:
        """Show what the worker has sent, if anything."""
        snapshot, scalars = self.chain.take()
        self.window.trace.append(scalars)
        if snapshot is not None:
            self._show_progress()
        if snapshot is not None and snapshot.image == self.current_image:
            self.presenter.show(snapshot)
            self.window.chain.set_figures(snapshot.figures)
            if snapshot.scatter is not None:
                self.window.scatter.set_scatter(snapshot.scatter)
            if snapshot.topic_ids != self.topic_ids:
                self.topic_ids = snapshot.topic_ids
                self.changed.emit(self.session, self.session)
        now = time.monotonic()
        if (scalars or snapshot is not None) and now >= self._trace_due:
            self._trace_due = now + TRACE_SECONDS
            if self.presenter.snapshot is not None:
                self.window.trace.set_marks(self.presenter.snapshot.marks)
            self.window.trace.refresh()

    def _show_progress(self) -> None:
        progress = self.jobs.progress("prepare")
        if progress is None:
            self.window.set_activity(self._activity())
        elif progress.seconds > PATIENCE_SECONDS:
            self.window.set_activity(f"{progress.text}…", progress.fraction)

    def _activity(self) -> str:
        """What the chain is doing that the maps do not show."""
        shown = self.presenter.snapshot
        if self.chain.starting:
            return "Making the first map…"
        if shown is not None and not (self.chain.running or shown.complete):
            return "Refining the maps to every pixel…"
        return ""

    # -- jobs --------------------------------------------------------------------------------

    @Slot(str, object)
    def _job_succeeded(self, name: str, result: Any) -> None:
        if name == "prepare":
            self._take_prepared(result)
        elif name == "source":
            self.presenter.set_source(result)
        elif name == "outlines":
            self._outlines = result
            self._show_outlines()

    @Slot(str, object)
    def _job_failed(self, name: str, error: object) -> None:
        if name == "prepare" and not self.chain.exists:
            # Nothing will come that could run.
            self.chain.set_running(False)
            self.changed.emit(self.session, self.session)
        if not isinstance(error, Cancelled):
            self.troubled.emit(error)

    def shut_down(self, farewell: Callable[[Run], Any] | None = None) -> None:
        """Have all threads end; `farewell(run)` is the last that the chain's does."""
        self._timer.stop()
        self._prepare_soon.stop()
        self._looking.stop()
        self._unsubscribe()
        self.jobs.shut_down()
        self.chain.shut_down(farewell)

    def wait(self, seconds: float) -> bool:
        """Wait at most so long, first for the chain and then for the jobs; whether all ended."""
        deadline = time.monotonic() + seconds
        ended = self.chain.wait(seconds)
        return self.jobs.wait(max(0.0, deadline - time.monotonic())) and ended


def pictures_of(session: Session) -> tuple[str, ...]:
    """Which kinds of pictures a session shows."""
    chosen = session.view.get("pictures")
    if not isinstance(chosen, tuple):
        return Presenter.DEFAULT_PICTURES
    return tuple(kind for kind in PICTURES if kind in chosen)


def _preparation_of(session: Session) -> tuple[object, ...]:
    """What decides about documents and words."""
    labels = session.label_file if session.documents.kind == "labels" else None
    return session.images, session.features, session.documents, labels


def _chain_of(session: Session) -> tuple[object, ...]:
    """What no chain can change on its way."""
    return session.sampler, session.seed, session.restarts


def _run_of(session: Session) -> tuple[object, ...]:
    """What no step back leaves to the chain: it brings the run that belongs to it."""
    return _preparation_of(session), _chain_of(session), session.parameters.topics


def _same_images(first: Prepared, second: Prepared) -> bool:
    return len(first.images) == len(second.images) and all(
        a is b for a, b in zip(first.images, second.images, strict=True)
    )


def _new_states() -> KeptStates:
    from pmlda_gui.workspace.run_states import KeptStates

    return KeptStates()


def _ignore(_answer: object) -> None:
    """Nobody waits for this answer."""
