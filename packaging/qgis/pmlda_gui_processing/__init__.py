"""The plugin's entrance, which QGIS calls."""

from __future__ import annotations

from typing import Any


def classFactory(iface: Any) -> Any:  # noqa: N802 (the name QGIS looks for)
    """The plugin."""
    from .provider import SegmentPlugin

    return SegmentPlugin()
