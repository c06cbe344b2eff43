"""Joins the session, the chain and the window.

The history holds the one true session.  Panels ask for changes, which become steps
of the history; whatever the step was, undo included, the same function (`_pass_on`)
compares the session before and after it and passes on what is different.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller import background_tasks
from pmlda_gui.gui.controller.chain_control import ChainControl
from pmlda_gui.gui.controller.frame_display import Frames
from pmlda_gui.gui.controller.preparing import Preparing
from pmlda_gui.gui.controller.presenter import Presenter
from pmlda_gui.gui.controller.session_differences import (
    chain_of,
    new_states,
    pictures_of,
    preparation_of,
    run_of,
)
from pmlda_gui.gui.controller.source_pictures import SourcePictures
from pmlda_gui.gui.controller.unsaved_sampling import Sampled
from pmlda_gui.gui.controller.view_tracking import Looking
from pmlda_gui.gui.jobs import Jobs
from pmlda_gui.gui.main_window import MainWindow
from pmlda_gui.gui.view_request import looks_of
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.history import History
from pmlda_gui.workspace.session import ImageEntry, Session, TopicLook

if TYPE_CHECKING:
    from pmlda_gui.workspace.preparation import Prepared
    from pmlda_gui.workspace.run import Run
    from pmlda_gui.workspace.topic_matching import FormerTopics
    from pmlda_gui.workspace.undo_states import RunState

__all__ = ["Controller"]


class Controller(QObject):
    """What happens when.

    `error_raised` carries every exception an operator should hear of; `changed` the
    session before and after a change; `work_changed` tells that sampling has become work
    worth keeping; `ticked` comes 40 times a second.
    """

    error_raised = Signal(object)
    changed = Signal(object, object)
    work_changed = Signal()
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
        self.sampled = Sampled()
        # A demo that nobody has changed can be had again at any time.
        self._disposable = self._ended = False
        self.preparing = Preparing(
            self.jobs, self._take_prepared, self._prepare_failed, self._prepare
        )
        # What is being prepared is for another sampler, or for a run that is kept, so that the
        # present one does not go on with it.
        self._begins_anew = self._brings_back = False
        self.states = new_states()
        # The session that the next run is begun for; names may change while it is prepared.
        self._brought = Session()
        self.frames = Frames(self)
        self.chain.failed.connect(self.error_raised)
        self.jobs.error_raised.connect(self.error_raised)
        self._looking = Looking(self)
        self._pictures = SourcePictures(self)

    # -- the session -------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """The present session."""
        return self.history.session

    @property
    def has_unsaved_work(self) -> bool:
        """Whether there is anything that neither a file nor the program itself can give again."""
        if self._disposable:
            return False
        return self.sampled.worth_keeping or bool(self.session.images and not self.history.saved)

    def mark_saved(self, session: Session, sampled: float) -> None:
        """This session is in a file, with so many seconds of sampling."""
        self.history.mark_saved(session)
        self.sampled.mark_kept(sampled)
        self._disposable = False

    def do(
        self, text: str, merge: str | None = None, state: RunState | None = None, **changes: Any
    ) -> None:
        """Change some fields of the session as one step that can be undone.

        With a `state`, the run becomes what it was in it.
        """
        old = self.session
        try:
            session = old.replace(**changes)
            if state is not None:
                self.states.put(session, state)
            self.history.do(text, session, merge)
            self._pass_on(old)
        except PmldaError as error:
            self.error_raised.emit(error)

    @Slot()
    def undo(self) -> None:
        self.go_to(self.history.done - 1)

    @Slot()
    def redo(self) -> None:
        self.go_to(self.history.done + 1)

    @Slot(int)
    def go_to(self, done: int) -> None:
        """Have the first `done` steps in effect, as one change."""
        old = self.session
        self.history.go_to(done)
        self._pass_on(old)

    def begin_session(
        self,
        session: Session,
        images: Mapping[ImageEntry, Image],
        run: Run | None = None,
        disposable: bool = False,
        former: FormerTopics | None = None,
    ) -> None:
        """Replace everything that is open; `run` goes on where it is, else one is begun.

        What is `disposable` is not work before anything of it is changed.  The topics of
        a run that is begun are matched with the `former`.
        """
        old = self.session
        self.images = dict(images)
        self.prepared, self.current_image = None, 0
        self.history, self.sampled = History(session), Sampled()
        self._disposable = disposable
        self.states = new_states(former)
        self._drop_run()
        if run is not None:
            self.prepared = run.prepared.untuned or run.prepared
            self.window.scatter.set_features(run.prepared.feature_names, run.prepared.feature_units)
            self.chain.begin(partial(self.states.adopt, run, session))
        self._pass_on(old, anew=True)

    def _pass_on(self, old: Session, anew: bool = False) -> None:
        """Tell everybody what is different from an older session; the only place that does."""
        new = self.session
        if self._ended or (new is old and not anew):
            return
        self._disposable &= anew
        if not anew and run_of(old) != run_of(new):
            self._keep_state(old)
            self._brought = new
        if new.images != old.images:
            self.current_image = min(self.current_image, max(len(new.images) - 1, 0))
        if anew:
            if self.prepared is None:
                self._prepare()
        elif old.images != new.images:
            self._brings_back = self.states.has(new)
            self._prepare()
        elif preparation_of(old) != preparation_of(new):
            self._begins_anew |= chain_of(old) != chain_of(new)
            self._brings_back = self.states.has(new)
            self.preparing.start_soon()
        elif run_of(old) != run_of(new) and (
            self.states.has(new) or chain_of(old) != chain_of(new)
        ):
            self._begin_again()
        goes_on = not (anew or self._begins_anew or self._brings_back)
        if new.parameters != old.parameters and goes_on:
            self.chain.requests.set_parameters(new.parameters)
        if new.strokes != old.strokes and goes_on:
            self.chain.requests.set_strokes(new.strokes)
        if anew or (old.estimate, old.topics) != (new.estimate, new.topics):
            self.send_look()
        if anew or (old.display, old.images) != (new.display, new.images):
            self._pictures.show_source()
        if anew or old.outlines != new.outlines:
            self._pictures.show_outlines()
        self.presenter.choose(pictures_of(new))
        self.changed.emit(old, new)

    # -- preparing and running ---------------------------------------------------------------

    @Slot()
    def _prepare(self) -> None:
        if self.session.images:
            self.preparing.start(self.session, dict(self.images), self.prepared)
        else:
            self.preparing.stop()
            self.prepared = None
            self._drop_run()

    def _take_prepared(self, result: tuple[background_tasks.Opened, Prepared]) -> None:
        opened, prepared = result
        before, self.prepared = self.prepared, prepared
        known = all(self.images.get(each) is opened.images[each] for each in opened.entries)
        self.images.update(opened.images)
        self.window.scatter.set_features(prepared.feature_names, prepared.feature_units)
        self._pictures.show_outlines()
        if not known:
            self._pictures.show_source()
            self.changed.emit(self.session, self.session)
        goes_on = self.chain.exists and before is not None and before.is_of(prepared.images)
        if goes_on and not (self._begins_anew or self._brings_back):
            self.chain.requests.set_prepared(prepared)
            return
        self._begin_run(prepared)
        if notes := [note for image in prepared.images for note in image.notes]:
            self.window.message_bar.show_notes(notes)

    def _prepare_failed(self, error: Exception) -> None:
        if not self.chain.exists:
            # Nothing will come that could run.
            self.chain.set_running(False)
            self.changed.emit(self.session, self.session)
        self.error_raised.emit(error)

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
        self.states.keep_only(self.history.sessions)
        if self.chain.exists:
            self.states.expect(session)
            self.chain.ask(partial(self.states.take, self.states.awaited))

    def _drop_run(self) -> None:
        self.chain.drop()
        self.topic_ids = ()
        self.presenter.forget()
        self.window.trace.clear_trace()
        self.window.scatter.clear()

    @property
    def is_preparing(self) -> bool:
        """Whether documents and words are being made, or about to be."""
        return self.preparing.awaited

    @property
    def can_run(self) -> bool:
        """Whether there is a chain, or one is on its way."""
        return self.chain.exists or self.is_preparing

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

    def _begin_again(self) -> None:
        if self.prepared is not None and not self.is_preparing:
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
        return looks_of(self.topic_ids, self.session.topics)

    def show_image(self, number: int) -> None:
        """Look at another image of the session."""
        if 0 <= number < len(self.session.images) and number != self.current_image:
            self.current_image = number
            self._pictures.show_source()
            self._pictures.show_outlines()
            self.send_look()

    @Slot()
    def send_look(self) -> None:
        """Tell the worker what to paint."""
        self._looking.send()

    # -- the end -----------------------------------------------------------------------------

    def shut_down(self, farewell: Callable[[Run], object] | None = None) -> None:
        """Have all threads end; `farewell(run)` is the last that the chain's does."""
        self.frames.stop()
        self.preparing.stop()
        self._looking.stop()
        self._ended = True
        self.jobs.shut_down()
        self.chain.shut_down(farewell)

    def wait(self, seconds: float) -> bool:
        """Wait at most so long, first for the chain and then for the jobs; whether all ended."""
        deadline, ended = time.monotonic() + seconds, self.chain.wait(seconds)
        return self.jobs.wait(max(0.0, deadline - time.monotonic())) and ended
