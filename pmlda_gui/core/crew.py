"""A small crew of threads that works off numbered pieces of a pass.

numba's own parallel loops abort the process when two threads enter them; our
kernels release the GIL instead and are called from these threads.  Pieces are
handed out in order and each writes only to places of its own, so the result does
not depend on how many hands there are.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

__all__ = ["Crew", "available_threads", "one_thread"]

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


class Crew:
    """`threads` hands, the caller's among them; the others start when first needed."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = available_threads() if threads is None else max(1, int(threads))
        self._pool: ThreadPoolExecutor | None = None

    def work(
        self,
        piece: Callable[[int], None],
        first: int,
        end: int,
        cancel: Callable[[], bool] | None = None,
    ) -> int:
        """Call `piece(i)` for i from first to end; return where it stopped.

        Everything before the returned number is done.  `cancel` is asked before
        each piece.  An error in a piece is raised here once all hands are idle.
        """
        lock = threading.Lock()
        position = first

        def labour() -> None:
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
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="pmlda-crew")
                weakref.finalize(self, self._pool.shutdown, wait=False)
            count = min(self.threads - 1, end - first - 1)
            helpers = [self._pool.submit(labour) for _ in range(count)]
        try:
            labour()
        finally:
            for helper in helpers:
                helper.exception()
        for helper in helpers:
            helper.result()
        return position

    def close(self) -> None:
        """Let the hands go; they come back when there is work again."""
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._pool = None
