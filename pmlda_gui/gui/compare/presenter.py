"""Shows the results of a comparison in its window while they arrive."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QPainterPath

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.compare.comparison_job import Failed, Feed, Frame, Plan, Wanted, paint_results
from pmlda_gui.gui.compare.methods import Offer
from pmlda_gui.gui.compare.window import CompareWindow
from pmlda_gui.gui.controller import background_tasks
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.frame import Pictures
from pmlda_gui.gui.jobs import Cancel, Job, Progress
from pmlda_gui.gui.view_request import ShownTopic, arrange
from pmlda_gui.imagery.display import Display
from pmlda_gui.workspace.comparison import MethodResult
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.session import Session

__all__ = ["ComparisonPresenter"]

Painted = tuple[Wanted, Mapping[str, Pictures]]
ImageWithOutlines = tuple[int, background_tasks.SourcePicture, QPainterPath]


class ComparisonPresenter(QObject):
    """Shows one image of the methods that were compared last.

    `plan` is what was compared, None if that is no longer open; `results` are the
    methods that are done, by name and in the order of their columns.
    """

    def __init__(self, controller: Controller, window: CompareWindow) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window
        self._columns = window.columns
        self._feed = Feed(Wanted(0, ()))
        self.plan: Plan | None = None
        self.results: dict[str, MethodResult] = {}
        self._image_job: Job[ImageWithOutlines] | None = None
        self._pictures_job: Job[Painted] | None = None
        window.bar.image_chosen.connect(self._choose_image)
        window.bar.outlines_toggled.connect(self._show_image)
        controller.changed.connect(self._session_changed)

    @property
    def topics(self) -> tuple[ShownTopic, ...]:
        """The topics as they are shown."""
        return self._feed.wanted.topics

    @property
    def progress(self) -> tuple[str, float]:
        """The running method and the fraction of it that is done."""
        return self._feed.progress

    def begin(self, plan: Plan, offers: list[Offer], session: Session) -> Feed:
        """Make room for what a plan will find; what it finds is to be fed in."""
        topics = arrange(plan.topic_ids, session.topics)
        self.plan, self.results = plan, {}
        self._feed = Feed(Wanted(self._controller.current_image, topics))
        self._window.begin([entry.name for entry in session.images], self._feed.wanted.image)
        self._columns.begin(offers)
        self._window.set_topics(topics)
        for offer in offers:
            self._columns.header(offer.name).set_status("waiting")
        self._show_image()
        return self._feed

    def forget(self) -> None:
        """What was compared is no longer open."""
        self.plan, self.results = None, {}
        self._window.clear()

    # -- results as they come ----------------------------------------------------------------

    def take_letters(self) -> None:
        """Show everything that has been fed in."""
        for letter in self._feed.take():
            if isinstance(letter, Failed):
                self._show_failure(letter)
            else:
                self._show_frame(letter)

    def _show_frame(self, frame: Frame) -> None:
        wanted = self._feed.wanted
        if frame.wanted == wanted:
            self._columns.show_pictures(frame.method, frame.pictures)
        if frame.result is None:
            return
        self.results[frame.method] = frame.result
        self._columns.header(frame.method).set_status(self._told_of(frame.result))
        if frame.wanted != wanted:
            self._repaint()

    def _told_of(self, result: MethodResult) -> str:
        plan = self.plan
        if result.name == "pmlda" and plan is not None and plan.found and plan.takes_over:
            return f"sweep {plan.found.sweeps}"
        return f"{result.seconds:.1f} s"

    def _show_failure(self, failed: Failed) -> None:
        known = isinstance(failed.error, PmldaError)
        self._columns.header(failed.method).set_status("failed")
        self._columns.fail(
            failed.method,
            str(failed.error) if known else "An unexpected error stopped this method.",
        )
        if not known:
            self._controller.error_raised.emit(failed.error)

    # -- what is looked at -------------------------------------------------------------------

    @Slot(int)
    def _choose_image(self, number: int) -> None:
        self._feed.wanted = self._feed.wanted._replace(image=number)
        self._columns.clear_maps()
        self._show_image()
        self._repaint()

    @Slot(object, object)
    def _session_changed(self, old: Session, new: Session) -> None:
        if self.plan is None:
            return
        topics = arrange(self.plan.topic_ids, new.topics)
        if topics != self.topics:
            self._feed.wanted = self._feed.wanted._replace(topics=topics)
            self._window.set_topics(topics)
            self._repaint()
        if (new.display, new.outlines) != (old.display, old.outlines):
            self._show_image()

    def _repaint(self) -> None:
        """Paint the finished methods as they are wanted now."""
        paint = partial(paint_results, tuple(self.results.values()), self._feed.wanted)
        self._pictures_job = self._controller.jobs.start(
            paint,
            self._take_pictures,
            name="compare pictures",
            instead_of=self._pictures_job,
            quiet=True,
        )

    @Slot()
    def _show_image(self) -> None:
        if self.plan is not None:
            display = self._controller.session.display
            image = partial(
                _image_with_outlines, self.plan.prepared, self._feed.wanted.image, display
            )
            self._image_job = self._controller.jobs.start(
                image,
                self._take_image,
                name="compare image",
                instead_of=self._image_job,
                quiet=True,
            )

    def _take_image(self, shown: ImageWithOutlines) -> None:
        number, source, path = shown
        if self.plan is None or number != self._feed.wanted.image:
            return
        outlines = path if self._window.bar.outlines_shown else QPainterPath()
        self._columns.set_source(source, outlines, self._controller.session.outlines)
        self._columns.set_documents(self.plan.prepared.documents[number].count)

    def _take_pictures(self, painted_results: Painted) -> None:
        wanted, pictures = painted_results
        if wanted == self._feed.wanted:
            for method, painted in pictures.items():
                self._columns.show_pictures(method, painted)


def _image_with_outlines(
    prepared: Prepared,
    number: int,
    display: Display,
    progress: Progress,
    cancel: Cancel,
) -> ImageWithOutlines:
    """One image and the outlines of its documents, for a job."""
    source = background_tasks.source_picture(prepared.images[number], display, progress, cancel)
    _, _, path = background_tasks.outline_path(prepared, number, progress, cancel)
    return number, source, path
