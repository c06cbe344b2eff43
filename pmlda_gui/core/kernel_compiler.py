"""Compiles the kernels, and detects when cached machine code is out of date.

numba notices a change in the file of a cached function but not in the functions
it calls, so a cache can go stale when a helper in another file changes.  Our
locator stamps every kernel with the digest of all our sources instead, or where there
are no sources, in a built program, with the id of the build.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import njit
from numba.core import caching
from numba.core.dispatcher import Dispatcher

from pmlda_gui.core.cpu_target import aim_at_portable_processor
from pmlda_gui.core.kernel_cache import build_id, kernel_folder

# Our modules take njit from here: what it caches is then ours to find again.
__all__ = ["KernelCacheLocator", "compiled_here", "kernel", "njit"]

_PACKAGE = Path(__file__).resolve().parent.parent
_Function = TypeVar("_Function", bound=Callable[..., Any])


@cache
def _source_digest(layer: str) -> str:
    """A digest of the sources a kernel of this layer may be made of: its own and the core's."""
    digest = hashlib.sha256()
    for folder in sorted({layer, "core"}):
        for path in sorted((_PACKAGE / folder).rglob("*.py")):
            source = path.read_bytes()
            # Files without kernels are left out, or every edit would compile everything anew.
            if b"numba" in source or b"kernel_compiler import" in source:
                digest.update(path.name.encode())
                digest.update(source)
    return digest.hexdigest()[:16]


class KernelCacheLocator(caching._CacheLocator):  # type: ignore[misc]
    """Keeps the machine code of this package's kernels, stamped by all its sources."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._line = py_func.__code__.co_firstlineno
        self._module = py_func.__module__

    def get_cache_path(self) -> str:
        return str(kernel_folder())

    def get_source_stamp(self) -> str:
        return build_id() or _source_digest(self._module.split(".")[1])

    def get_disambiguator(self) -> str:
        return f"{self._module.rpartition('.')[2]}-{self._line}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> KernelCacheLocator | None:
        """A locator for our own kernels; None leaves every other function to numba."""
        if not py_func.__module__.startswith("pmlda_gui."):
            return None
        locator = cls(py_func)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


def _register() -> None:
    """Put our locator in front of numba's own; they go on serving other packages."""
    ours = f"{__name__}.KernelCacheLocator"
    listed = numba.config.CACHE_LOCATOR_CLASSES
    if ours not in listed:
        rest = listed or "UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator"
        numba.config.CACHE_LOCATOR_CLASSES = f"{ours},{rest}"


if build_id() is not None:
    aim_at_portable_processor()
_register()


def kernel(function: _Function) -> _Function:
    """Compile a numeric kernel: releases the GIL, divides as C does, may fuse multiply-add.

    Sums are not reassociated: exp and log below round by adding a large number,
    which reassociation would undo.
    """
    compiled = numba.njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
    return compiled(function)


def compiled_here() -> tuple[str, ...]:
    """The names of those of our kernels that this process had to compile, not just load."""
    names = {
        f"{each.py_func.__module__}.{each.py_func.__name__}"
        for name, module in tuple(sys.modules.items())
        if name.startswith("pmlda_gui.")
        for each in tuple(vars(module).values())
        if isinstance(each, Dispatcher) and each.stats.cache_misses
    }
    return tuple(sorted(names))
