"""Background jobs: opening, preparing, saving and exporting off the window's thread.

A job is a function of a progress report and a cancel question.  Whoever starts one says
what to do with its result; nobody else hears of it, and nobody hears of it once the job
is cancelled.  All answers come on the window's thread.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar, cast

from PySide6.QtCore import QObject, QThread, Signal, Slot

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.gui.library_loading import load_libraries
from pmlda_gui.gui.priority import lower_priority

__all__ = ["Cancel", "Job", "JobProgress", "Jobs", "Progress", "Work"]

log = logging.getLogger(__name__)
# What needs none of the scientific libraries, and may come before they are loaded.
_LIGHT = ("look for work", "probe", "save")

Result = TypeVar("Result")
Progress = Callable[[float, str], None]
Cancel = Callable[[], bool]
Work = Callable[[Progress, Cancel], Result]


class JobProgress(NamedTuple):
    """How far a job is: 0 to 1, what it is doing, and for how many seconds."""

    fraction: float
    text: str
    seconds: float


class Job(QThread, Generic[Result]):
    """One piece of work on a thread of its own, and what is to be done with its result.

    `ended` is told once, on the window's thread: after the answer was given, or when the
    job is cancelled.
    """

    ended = Signal()
    _returned = Signal(object)
    _raised = Signal(object)

    def __init__(
        self,
        name: str,
        work: Work[Result],
        on_done: Callable[[Result], None] | None,
        on_failed: Callable[[Exception], None],
        quiet: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}_job")
        self.name = name
        self._work = work
        self._on_done = on_done
        self._on_failed: Callable[[Exception], None] | None = on_failed
        self._quiet = quiet
        self._under_way = True
        self._cancelled = False
        self._progress = (0.0, "")
        self._started = time.monotonic()
        self._returned.connect(self._done)
        self._raised.connect(self._failed)

    @property
    def under_way(self) -> bool:
        """Whether an answer may still come."""
        return self._under_way

    @property
    def progress(self) -> JobProgress:
        """How far the work is; cheap enough to be read by a timer."""
        return JobProgress(*self._progress, time.monotonic() - self._started)

    @Slot()
    def cancel(self) -> None:
        """Give the work up: it stops at its next opportunity, and has no answer."""
        self._cancelled = True
        self._conclude()

    def run(self) -> None:
        """The thread's whole life."""
        lower_priority()
        try:
            if self.name not in _LIGHT:
                load_libraries()
            result = self._work(self._report, self._is_cancelled)
        except Exception as error:
            # Errors of our own say all there is to say; others are for us to mend.
            ours = isinstance(error, PmldaError)
            log.warning("%s failed: %s", self.name, error, exc_info=None if ours else error)
            self._raised.emit(error)
        else:
            level = logging.DEBUG if self._quiet else logging.INFO
            log.log(level, "%s took %.2f s", self.name, self.progress.seconds)
            self._returned.emit(result)

    @Slot(object)
    def _done(self, result: object) -> None:
        if self._under_way:
            answer = self._on_done
            self._under_way = False
            if answer is not None:
                answer(cast(Result, result))
            self._finish()

    @Slot(object)
    def _failed(self, error: Exception) -> None:
        if self._under_way:
            answer = self._on_failed
            self._under_way = False
            # Work that stopped because it was told to has nothing to say.
            if answer is not None and not isinstance(error, Cancelled):
                answer(error)
            self._finish()

    def _conclude(self) -> None:
        if self._under_way:
            self._under_way = False
            self._finish()

    def _finish(self) -> None:
        self._on_done = self._on_failed = None
        self.ended.emit()

    def _report(self, fraction: float, text: str) -> None:
        self._progress = (fraction, text)

    def _is_cancelled(self) -> bool:
        return self._cancelled


class Jobs(QObject):
    """Starts jobs and sees to it that all of them end.

    `error_raised` carries the exception of a job whose starter did not say what to do with it.
    """

    error_raised = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._alive: list[Job[Any]] = []

    def start(
        self,
        work: Work[Result],
        on_done: Callable[[Result], None] | None = None,
        on_failed: Callable[[Exception], None] | None = None,
        *,
        name: str,
        instead_of: Job[Any] | None = None,
        quiet: bool = False,
    ) -> Job[Result]:
        """Do `work(progress, cancel)` in the background; `on_done(result)` is called here.

        `name` is for logs and debugging.  The job `instead_of` which this one is
        started is cancelled.  Of `quiet` ones nobody reads in the log how long they took.
        """
        if instead_of is not None:
            instead_of.cancel()
        job: Job[Result] = Job(
            name, work, on_done, on_failed or self.error_raised.emit, quiet, self
        )
        job.finished.connect(self._forget)
        self._alive.append(job)
        job.start()
        return job

    @property
    def names(self) -> tuple[str, ...]:
        """The jobs under way."""
        return tuple(job.name for job in self._alive if job.under_way)

    @property
    def all_ended(self) -> bool:
        """Whether no thread is left, of cancelled jobs neither."""
        return not self._alive

    def shut_down(self) -> None:
        """Cancel everything; `wait` for it."""
        for job in tuple(self._alive):
            job.cancel()

    def wait(self, seconds: float) -> bool:
        """Wait at most so long for the threads; whether all have ended."""
        deadline = time.monotonic() + seconds
        for job in tuple(self._alive):
            job.wait(max(0, int(1000 * (deadline - time.monotonic()))))
        return all(job.isFinished() for job in self._alive)

    @Slot()
    def _forget(self) -> None:
        job = self.sender()
        assert isinstance(job, Job)
        self._alive.remove(job)
        job.deleteLater()
