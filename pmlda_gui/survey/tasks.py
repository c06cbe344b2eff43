"""Many tasks on whatever runs them, a few at a time, with progress and an end when asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, TypeVar

from pmlda_gui.core.errors import Cancelled, PmldaError

__all__ = ["run_all"]

Found = TypeVar("Found")
# Tasks that wait for a worker, so that none is ever idle.
_WAITING_PER_WORKER = 3
_LOOK_SECONDS = 0.2


def run_all(
    executor: Executor,
    workers: int,
    work: Callable[..., Found],
    arguments: Sequence[tuple[Any, ...]],
    progress: Callable[[float], None],
    cancel: Callable[[], bool] | None = None,
    refused: dict[int, PmldaError] | None = None,
) -> dict[int, Found]:
    """Do `work` with each of the arguments; what was found by their number.

    A task that ends in a sentence ends all, unless there is a place for `refused` ones.
    `progress` receives the share that is done.
    """
    found: dict[int, Found] = {}
    waiting = list(reversed(range(len(arguments))))
    running: dict[Future[Found | _Refusal], int] = {}
    done = 0
    try:
        while waiting or running:
            while waiting and len(running) < _WAITING_PER_WORKER * workers:
                number = waiting.pop()
                running[executor.submit(_attempt, work, *arguments[number])] = number
            finished, _ = wait(running, _LOOK_SECONDS, FIRST_COMPLETED)
            for future in finished:
                number = running.pop(future)
                done += 1
                try:
                    found[number] = _result(future)
                except PmldaError as error:
                    if refused is None:
                        raise
                    refused[number] = error
                progress(done / len(arguments))
            if cancel is not None and cancel():
                raise Cancelled("The survey was stopped: the same command continues from here.")
    finally:
        for future in running:
            future.cancel()
        # What a worker has begun it ends, so that nobody writes into a folder that is left.
        wait([future for future in running if not future.cancelled()])
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class _Refusal:
    """A sentence about a task: errors and what caused them do not all travel."""

    text: str


def _attempt(work: Callable[..., Found], *arguments: Any) -> Found | _Refusal:
    try:
        return work(*arguments)
    except PmldaError as error:
        return _Refusal(str(error))


def _result(future: Future[Found | _Refusal]) -> Found:
    """What a task has found; a worker that dies again and again is told in a sentence."""
    try:
        found = future.result()
    except Exception as error:
        if type(error).__name__ in ("KilledWorker", "BrokenProcessPool"):
            raise PmldaError(
                "The workers died several times on the same tile, most likely for want of memory: "
                "use fewer workers.  The same command continues from here."
            ) from error
        raise
    if isinstance(found, _Refusal):
        raise PmldaError(found.text)
    return found
