"""Loads the scientific libraries, one thread at a time.

Two threads that import scipy at the same moment can meet a package that is half loaded, and
one of them fails.  Whoever needs them in a thread loads all of them here first.
"""

from __future__ import annotations

import importlib
import threading

__all__ = ["load_libraries"]

_LIBRARIES = (
    "numba",
    "scipy.cluster.vq",
    "scipy.fft",
    "scipy.ndimage",
    "scipy.optimize",
    "scipy.sparse.csgraph",
    "scipy.sparse.linalg",
    "scipy.spatial",
    "scipy.special",
    "skimage.color",
    "skimage.measure",
    "skimage.segmentation",
    "skimage.transform",
)
_loading = threading.Lock()


def load_libraries() -> None:
    """Return once everything is there; only the first call takes time."""
    with _loading:
        for name in _LIBRARIES:
            importlib.import_module(name)
