"""Threads share two heaps, so that memory that was given back can be used by others."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pmlda_gui.gui import allocator

HEAPS = """
import ctypes, os, re, sys, threading
from pmlda_gui.gui.allocator import limit_heaps
if sys.argv[1] == "limited":
    assert limit_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
started, done = threading.Barrier(9), threading.Event()
def ask():
    libc.malloc(1000)
    started.wait()
    done.wait()
threads = [threading.Thread(target=ask) for _ in range(8)]
for each in threads:
    each.start()
started.wait()
reading, writing = os.pipe()
libc.fdopen.restype = ctypes.c_void_p
stream = ctypes.c_void_p(libc.fdopen(writing, b"w"))
assert libc.malloc_info(0, stream) == 0
libc.fclose(stream)
print(len(re.findall(b"<heap nr=", os.read(reading, 1 << 20))))
done.set()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a matter of glibc")
def test_many_threads_share_two_heaps() -> None:
    def heaps(how: str) -> int:
        environment = {k: v for k, v in os.environ.items() if k != "MALLOC_ARENA_MAX"}
        command = [sys.executable, "-c", HEAPS, how]
        return int(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)

    if heaps("free") <= 2:
        pytest.skip("this C library gives threads no heaps of their own")
    assert heaps("limited") <= 2


def test_the_environment_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_ARENA_MAX", "5")
    assert not allocator.limit_heaps()
