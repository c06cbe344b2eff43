"""A worker without a window, and what came out of it."""

from __future__ import annotations

import time
from collections.abc import Callable

from pmlda_gui.gui.frame import Snapshot
from pmlda_gui.gui.inbox import Question
from pmlda_gui.gui.mailbox import Mailbox, Scalar
from pmlda_gui.gui.worker import ChainWorker
from pmlda_gui.workspace.run import Run


class RecordingMailbox(Mailbox[Snapshot]):
    """Remembers every frame that was ever posted."""

    def __init__(self) -> None:
        super().__init__()
        self.posted: list[Snapshot] = []

    def put(self, letter: Snapshot) -> None:
        self.posted.append(letter)
        super().put(letter)


class Desk:
    """A worker with its mailbox, and what came out of it so far."""

    def __init__(self) -> None:
        self.mailbox = RecordingMailbox()
        self.worker = ChainWorker(self.mailbox)
        self.scalars: list[Scalar] = []
        self.snapshot: Snapshot | None = None

    def ask(self, ask: Callable[[Run], object]) -> Question[object]:
        """Ask the worker; its signals bring the answer, which nobody else waits for."""
        question = Question(ask, None, lambda error: None)
        self.worker.ask(question)
        return question

    def drain(self) -> Snapshot | None:
        snapshot, scalars = self.mailbox.take()
        self.scalars += scalars
        self.snapshot = snapshot or self.snapshot
        return self.snapshot

    def until(self, holds: Callable[[Snapshot], bool], seconds: float = 10.0) -> Snapshot:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            snapshot = self.drain()
            if snapshot is not None and holds(snapshot):
                return snapshot
            time.sleep(0.002)
        raise AssertionError(f"no such frame within {seconds} s; the last was {self.snapshot}")
