"""Starts and stops comparisons, between the main controller, a thread and the window."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Slot

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.gui.compare.comparison_job import Plan, WindowResult, compare, window_result
from pmlda_gui.gui.compare.methods import offers, store_methods, stored_methods
from pmlda_gui.gui.compare.presenter import ComparisonPresenter
from pmlda_gui.gui.compare.window import CompareWindow
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.dialogs.help import help_window
from pmlda_gui.gui.inbox import Question
from pmlda_gui.gui.jobs import Job
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.recipe import Recipe
from pmlda_gui.workspace.session import Session

__all__ = ["ComparisonFlow"]

_STALE = "The settings have changed since this comparison: compare again to see what they do."


class ComparisonFlow(QObject):
    """One comparison at a time, of the images and settings that are open.

    The main window's chain rests while methods run, so that these have the cores and
    their times mean something; afterwards it goes on, unless the operator has decided
    about it meanwhile.
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._offers = {offer.name: offer for offer in offers()}
        self._running = False
        self._resumes = False
        self._question: Question[WindowResult | None] | None = None
        self._job: Job[None] | None = None
        self._compared: Session | None = None
        self.window = CompareWindow(tuple(self._offers.values()), controller.window)
        self.presenter = ComparisonPresenter(controller, self.window)
        self.window.chooser.choose(stored_methods())
        self.window.bar.run_requested.connect(self.start)
        self.window.bar.cancel_requested.connect(self.cancel)
        self.window.closed.connect(self.cancel)
        self.window.bar.help_requested.connect(self._show_help)
        controller.window.closing.connect(self._leave)
        controller.ticked.connect(self._tick)
        controller.changed.connect(self._session_changed)
        controller.chain.state_changed.connect(self._chain_changed)

    @Slot()
    def show(self) -> None:
        """Bring the window to the front."""
        self._show_readiness()
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    # -- beginning and end -------------------------------------------------------------------

    @Slot()
    def start(self) -> None:
        """Compare the methods that are ticked."""
        controller, prepared = self._controller, self._controller.prepared
        methods, session = self.window.chooser.chosen, controller.session
        if self._running or prepared is None or not methods:
            return
        store_methods(methods)
        self._running = True
        self.window.set_busy()
        self._resumes = controller.chain.running
        controller.pause()
        begin = partial(self._begin, methods, prepared, session)
        # Before its first map a chain has no result, and perhaps never will.
        if controller.chain.exists and controller.topic_ids:
            found = partial(window_result, prepared, session.parameters.topics, session.estimate)
            self._question = controller.chain.ask(found, begin, self._fail)
        else:
            begin(None)

    def _begin(
        self,
        methods: tuple[str, ...],
        prepared: Prepared,
        session: Session,
        found: WindowResult | None,
    ) -> None:
        shown = self._controller.presenter.snapshot
        seconds = 0.0 if shown is None else shown.figures.seconds
        plan = Plan(methods, prepared, session.parameters, session.seed, found, seconds)
        self._compared = session
        feed = self.presenter.begin(plan, [self._offers[name] for name in methods], session)
        self._job = self._controller.jobs.start(
            partial(compare, plan, feed),
            on_failed=self._controller.error_raised.emit,
            name="compare",
        )
        self._job.ended.connect(self._ended)

    def _fail(self, error: Exception) -> None:
        """The chain has no answer, and the comparison no beginning."""
        self._ended()
        if not isinstance(error, Cancelled):
            self._controller.error_raised.emit(error)

    @Slot()
    def cancel(self) -> None:
        """Stop the methods that are not done."""
        for step in (self._question, self._job):
            if step is not None:
                step.cancel()
        # Where the chain has not answered yet, there is no job that could end.
        self._ended()

    @Slot()
    def _ended(self) -> None:
        if not self._running:
            return
        self.presenter.take_letters()
        self._running = False
        if self._resumes:
            self._controller.run()
        self._resumes = False
        self.window.finish(self._summary())

    def _summary(self) -> str:
        """How a comparison has ended, in words; the columns of stopped methods say so too."""
        plan, results, columns = self.presenter.plan, self.presenter.results, self.window.columns
        if plan is None:
            return ""
        stopped = [
            name for name in plan.methods if name not in results and not columns.has_failed(name)
        ]
        for name in stopped:
            columns.header(name).set_status("stopped")
        asked, done = len(plan.methods), len(results)
        if stopped:
            return f"Stopped: {done} of {asked} methods are done."
        if done < asked:
            return f"{done} of {asked} methods are done; the others could not be run."
        return f"All {done} methods are done." if done > 1 else "The method is done."

    @Slot()
    def _chain_changed(self) -> None:
        if self._controller.chain.running:
            self._resumes = False

    @Slot()
    def _leave(self) -> None:
        """The program ends."""
        self._resumes = False
        self.window.close()

    # -- meanwhile ---------------------------------------------------------------------------

    @Slot()
    def _tick(self) -> None:
        if not self.window.isVisible():
            return
        self._show_readiness()
        if self._job is None or not self._job.under_way:
            return
        self.presenter.take_letters()
        method, fraction = self.presenter.progress
        if not method:  # the thread has not begun
            return
        if method not in self.presenter.results and not self.window.columns.has_failed(method):
            self.window.columns.header(method).set_progress(fraction)
        resting = "  The chain of the main window is paused meanwhile." if self._resumes else ""
        title = self._offers[method].title
        self.window.set_progress(f"Running {title}.{resting}", self._job.progress.fraction)

    def _show_readiness(self) -> None:
        controller, session = self._controller, self._controller.session
        waits = controller.prepared is None or controller.is_preparing
        if not session.images:
            hint = "Open an image in the main window first."
        elif waits:
            hint = "The documents and features are being prepared."
        else:
            count, topics = len(session.images), session.parameters.topics
            images = session.images[0].name if count == 1 else f"{count} images together"
            hint = f"Tick methods and press Compare: each divides {images} into {topics} topics."
        self.window.set_ready(bool(session.images) and not waits, hint)

    @Slot(object, object)
    def _session_changed(self, _old: Session, new: Session) -> None:
        compared = self._compared
        if compared is None:
            return
        if new.images != compared.images:
            self._resumes = False
            self.cancel()
            self._compared = None
            self.presenter.forget()
        elif _settings_of(new) != _settings_of(compared):
            self.window.message_bar.show_note(_STALE)

    @Slot()
    def _show_help(self) -> None:
        help_window(self._controller.window).show_page("comparing")


def _settings_of(session: Session) -> Recipe:
    """What the result of a comparison depends on, apart from the images."""
    return replace(session.recipe, sampler="fast", estimate="mean")
