"""The inbox of the worker: requests and questions from the window.

This is the only queue between the two: of each kind the newest request counts, and what is
read is handed to the run at once, which takes it up at its next sweep.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from PySide6.QtCore import QObject, QThread

if TYPE_CHECKING:
    from pmlda_gui.core.parameters import Parameters
    from pmlda_gui.gui.view_request import ViewRequest
    from pmlda_gui.workspace.preparation import Prepared
    from pmlda_gui.workspace.run import Run

__all__ = ["Inbox", "InboxThread", "Question"]

Answer = TypeVar("Answer")


class Question(Generic[Answer]):
    """Something that only the thread of the run can tell, and who wants to know.

    It has at most one answer, given on the window's thread: `on_answer(answer)` or
    `on_failed(exception)`, and neither once it is cancelled.
    """

    def __init__(
        self,
        ask: Callable[[Run], Answer],
        on_answer: Callable[[Answer], None] | None,
        on_failed: Callable[[Exception], None],
    ) -> None:
        self.ask = ask
        self._on_answer = on_answer
        self._on_failed = on_failed
        self._open = True

    @property
    def is_open(self) -> bool:
        """Whether somebody still waits for the answer."""
        return self._open

    def cancel(self) -> None:
        """Nobody wants to know any more."""
        self._open = False

    def answer(self, answer: object) -> None:
        """Answer the question."""
        if self._open:
            self._open = False
            if self._on_answer is not None:
                self._on_answer(cast(Answer, answer))

    def fail(self, error: Exception) -> None:
        """Say that there will be no answer."""
        if self._open:
            self._open = False
            self._on_failed(error)


@dataclass
class Inbox:
    """Requests that the worker has not read yet.

    `former` are those that were meant for the run which `begin` or `drop` ends.
    """

    former: Inbox | None = None
    begin: tuple[int, Callable[[], Run]] | None = None
    drop: bool = False
    parameters: Parameters | None = None
    prepared: Prepared | None = None
    look: ViewRequest | None = None
    questions: list[Question[Any]] = field(default_factory=list)
    steps: int = 0

    @property
    def ends_the_run(self) -> bool:
        """Whether the present run goes, for another one or for none."""
        return self.drop or self.begin is not None

    def followed_by(
        self, begin: tuple[int, Callable[[], Run]] | None = None, drop: bool = False
    ) -> Inbox:
        """This inbox when the run is to end: what its run was asked is still answered by it.

        A run that was asked for and never made has nothing to answer with: its questions
        go to the one that comes instead.
        """
        if self.ends_the_run:
            return Inbox(self.former, begin, drop, look=self.look, questions=self.questions)
        former = replace(self, look=None) if self.questions else None
        return Inbox(former, begin, drop, look=self.look)


class InboxThread(QThread):
    """A thread with an inbox; every public method may be called from the window's thread."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._condition = threading.Condition()
        self._inbox = Inbox()
        self._news = False
        self._running = False
        self._closing = False
        self._farewell: Callable[[Run], object] | None = None

    def begin(self, number: int, make: Callable[[], Run]) -> None:
        """Drop the present run and make another, which `number` tells apart from it."""
        with self._condition:
            self._inbox = self._inbox.followed_by(begin=(number, make))
            self._notify()

    def drop(self) -> None:
        """Have no run."""
        with self._condition:
            self._inbox = self._inbox.followed_by(drop=True)
            self._notify()

    def set_parameters(self, parameters: Parameters) -> None:
        """Sample under these parameters from the next sweep on."""
        with self._condition:
            self._inbox.parameters = parameters
            self._notify()

    def set_prepared(self, prepared: Prepared) -> None:
        """Go on with other documents or features from the next sweep on."""
        with self._condition:
            self._inbox.prepared = prepared
            self._notify()

    def set_view(self, look: ViewRequest) -> None:
        """Paint this from now on, running or not."""
        with self._condition:
            self._inbox.look = look
            self._notify()

    def set_running(self, running: bool) -> None:
        """Run or pause."""
        with self._condition:
            self._running = running
            self._notify()

    def step(self) -> None:
        """Do one sweep although paused."""
        with self._condition:
            self._inbox.steps += 1
            self._notify()

    def ask(self, question: Question[Any]) -> None:
        """Have a question answered between kernel calls."""
        with self._condition:
            self._inbox.questions.append(question)
            self._notify()

    def shut_down(self, farewell: Callable[[Run], object] | None = None) -> None:
        """Have the thread end after the present kernel call; `wait` for it.

        `farewell(run)` is the last thing it does, if there is a run.
        """
        with self._condition:
            self._farewell = farewell
            self._closing = True
            self._notify()

    def _notify(self) -> None:
        self._news = True
        self._condition.notify()

    # -- for the thread itself ---------------------------------------------------------------

    def _next_requests(self) -> Inbox | None:
        """What to do next, once there is something; None when the thread is to end."""
        with self._condition:
            while not (self._closing or self._news or self._has_work):
                self._condition.wait()
            if self._closing:
                return None
            requests, self._inbox, self._news = self._inbox, Inbox(), False
        return requests

    @property
    def _has_work(self) -> bool:
        """Whether there is something to do although nobody has asked for anything."""
        raise NotImplementedError
