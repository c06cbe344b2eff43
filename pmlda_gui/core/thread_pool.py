"""A small pool of threads that works through the numbered chunks of a pass.

numba's own parallel loops abort the process when two threads enter them; our
kernels release the GIL instead and are called from these threads.  Pieces are
handed out in order and each writes only to places of its own, so the result does
not depend on the number of threads.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

__all__ = ["ThreadPool", "available_threads", "one_thread"]

_MOST_THREADS = 16
_ALONE = threading.local()


@contextmanager
def one_thread() -> Iterator[None]:
    """Within the block there is one thread to be had: others are at work on other pieces."""
    before = getattr(_ALONE, "alone", False)
    _ALONE.alone = True
    try:
        yield
    finally:
        _ALONE.alone = before


def available_threads() -> int:
    """How many threads the caller may run at once."""
    if getattr(_ALONE, "alone", False):
        return 1
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:
        count = os.cpu_count() or 1
    return max(1, min(count, _MOST_THREADS))


class ThreadPool:
    """`threads` threads, the caller's among them; the others start when first needed."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = available_threads() if threads is None else max(1, int(threads))
        self._executor: ThreadPoolExecutor | None = None

    def run(
        self,
        piece: Callable[[int], None],
        first: int,
        end: int,
        cancel: Callable[[], bool] | None = None,
    ) -> int:
        """Call `piece(i)` for i from first to end; return where it stopped.

        Everything before the returned number is done.  `cancel` is asked before
        each piece.  An error in a piece is raised here once all threads are idle.
        """
        lock = threading.Lock()
        position = first

        def take_pieces() -> None:
            nonlocal position
            while True:
                with lock:
                    if position >= end or (cancel is not None and cancel()):
                        return
                    mine = position
                    position += 1
                piece(mine)

        helpers: list[Future[None]] = []
        if self.threads > 1 and end - first > 1:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(
                    self.threads - 1, thread_name_prefix="pmlda-pool"
                )
                weakref.finalize(self, self._executor.shutdown, wait=False)
            count = min(self.threads - 1, end - first - 1)
            helpers = [self._executor.submit(take_pieces) for _ in range(count)]
        try:
            take_pieces()
        finally:
            for helper in helpers:
                helper.exception()
        for helper in helpers:
            helper.result()
        return position

    def close(self) -> None:
        """End the threads; they are started again when there is work."""
        if self._executor is not None:
            self._executor.shutdown(wait=True)
            self._executor = None
