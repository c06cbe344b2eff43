"""Lowers the priority of background threads.

Qt's thread priorities do nothing on Linux; there each thread has a nice value of
its own, which the threads it starts inherit.
"""

from __future__ import annotations

import os
import sys
import threading

__all__ = ["lower_priority"]

NICENESS = 10


def lower_priority() -> None:
    """Let the calling thread, and those it starts from now on, run after the window's."""
    if sys.platform.startswith("linux"):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
