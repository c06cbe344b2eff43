"""The versions of program, libraries and system, for the about box and error reports."""

from __future__ import annotations

import platform

from PySide6.QtCore import qVersion

from pmlda_gui import __version__

__all__ = ["versions"]

_LIBRARIES = (
    "numpy",
    "numba",
    "scipy",
    "scikit-image",
    "rasterio",
    "PySide6-Essentials",
    "pyqtgraph",
)


def versions() -> tuple[tuple[str, str], ...]:
    """Names and versions, the program's own first."""
    from importlib import metadata  # which takes a hundredth of the time to start

    rows = [
        ("pmlda-gui", __version__),
        ("Python", platform.python_version()),
        ("System", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("Qt", qVersion()),
    ]
    for name in _LIBRARIES:
        try:
            rows.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            # A frozen program may carry a library without its description.
            rows.append((name, "included"))
    return tuple(rows)
