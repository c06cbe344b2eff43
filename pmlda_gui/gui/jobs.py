"""Long work off the window's thread: opening, preparing, saving, exporting.

A job is a function of a progress report and a cancel question.  Of the jobs under
one name only the newest counts: what an older one returns is dropped.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QObject, QThread, Signal, Slot

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.libraries import load_libraries
from pmlda_gui.gui.priority import lower_priority

__all__ = ["Job", "JobProgress", "Jobs"]

log = logging.getLogger(__name__)
# What an operator asked for; the rest follows from that, and comes often.
_TOLD = ("open", "load", "resume", "save", "export", "prepare", "recover")
# What needs none of the scientific libraries, and may come before they are loaded.
_LIGHT = ("look for work", "probe", "save")

Result = TypeVar("Result")
Work = Callable[[Callable[[float, str], None], Callable[[], bool]], Any]


class JobProgress(NamedTuple):
    """How far a job is: 0 to 1, what it is doing, and for how many seconds."""

    fraction: float
    text: str
    seconds: float


class Job(QThread, Generic[Result]):
    """One piece of work on a thread of its own."""

    succeeded = Signal(object)
    failed = Signal(object)

    def __init__(self, name: str, work: Work, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}_job")
        self.name = name
        self._work = work
        self._cancelled = False
        self._progress = (0.0, "")
        self._started = time.monotonic()

    def cancel(self) -> None:
        """Ask the work to stop at its next opportunity."""
        self._cancelled = True

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    @property
    def progress(self) -> JobProgress:
        """How far the work is; cheap enough to be read by a timer."""
        return JobProgress(*self._progress, time.monotonic() - self._started)

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
            self.failed.emit(error)
        else:
            log.log(
                logging.INFO if self.name in _TOLD else logging.DEBUG,
                "%s took %.2f s",
                self.name,
                self.progress.seconds,
            )
            self.succeeded.emit(result)

    def _report(self, fraction: float, text: str) -> None:
        self._progress = (fraction, text)

    def _is_cancelled(self) -> bool:
        return self._cancelled


class Jobs(QObject):
    """Starts jobs and tells how they ended; at most one of each name counts.

    `succeeded` carries the name and the result, `failed` the name and the exception;
    a cancelled job tells neither, `ended` every job that counted.
    """

    succeeded = Signal(str, object)
    failed = Signal(str, object)
    ended = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current: dict[str, Job[Any]] = {}
        self._alive: set[Job[Any]] = set()

    def start(self, name: str, work: Work) -> None:
        """Do `work(progress, cancel)` in the background; a job of that name is given up."""
        self.cancel(name)
        job: Job[Any] = Job(name, work, self)
        job.succeeded.connect(self._succeeded)
        job.failed.connect(self._failed)
        job.finished.connect(self._finished)
        self._current[name] = job
        self._alive.add(job)
        job.start()

    def cancel(self, name: str) -> None:
        """Give up the job of that name, if there is one."""
        job = self._current.pop(name, None)
        if job is not None:
            job.cancel()
            self.ended.emit(name)

    def progress(self, name: str) -> JobProgress | None:
        """How far the job of that name is, None without one."""
        job = self._current.get(name)
        return None if job is None else job.progress

    @property
    def names(self) -> tuple[str, ...]:
        """The jobs under way."""
        return tuple(self._current)

    def shut_down(self) -> None:
        """Cancel everything; `wait` for it."""
        for name in self.names:
            self.cancel(name)

    def wait(self, seconds: float) -> bool:
        """Wait at most so long for the threads; whether all have ended."""
        deadline = time.monotonic() + seconds
        for job in tuple(self._alive):
            job.wait(max(0, int(1000 * (deadline - time.monotonic()))))
        return all(job.isFinished() for job in self._alive)

    def _conclude(self) -> Job[Any] | None:
        """The job that speaks, if it still counts."""
        job = self.sender()
        assert isinstance(job, Job)
        if self._current.get(job.name) is not job:
            return None
        del self._current[job.name]
        self.ended.emit(job.name)
        return job

    @Slot(object)
    def _succeeded(self, result: object) -> None:
        job = self._conclude()
        if job is not None:
            self.succeeded.emit(job.name, result)

    @Slot(object)
    def _failed(self, error: object) -> None:
        job = self._conclude()
        if job is not None:
            self.failed.emit(job.name, error)

    @Slot()
    def _finished(self) -> None:
        job = self.sender()
        assert isinstance(job, Job)
        self._alive.discard(job)
        job.deleteLater()
