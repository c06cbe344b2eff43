"""Keeps the C library's memory together: many threads would each get a part of their own.

glibc gives every thread that asks while others do a heap of its own, up to eight a processor, and
returns little of them to the system.  A window whose runs, maps and savings each
have threads holds more and more memory in such heaps although it uses no more.
"""

from __future__ import annotations

import ctypes
import os
import sys

__all__ = ["limit_heaps"]

_MOST_HEAPS = 2
# From glibc's malloc.h.
_M_ARENA_MAX = -8


def limit_heaps() -> bool:
    """Let all threads share two heaps, unless the environment says how many; whether it worked."""
    if not sys.platform.startswith("linux") or "MALLOC_ARENA_MAX" in os.environ:
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _MOST_HEAPS))
    except (OSError, AttributeError):
        # Another C library, which has its own ways.
        return False
