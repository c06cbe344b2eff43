"""Soft segmentation of sonar imagery with Partial Membership LDA."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pmlda_gui.workspace.segment import segment

__version__ = "0.1.0"

__all__ = ["__version__", "segment"]

# Whoever uses the package decides where its log goes; without that, nowhere.
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    # Imported when first used: it needs the compiler, which a window must not wait for.
    if name == "segment":
        from pmlda_gui.workspace.segment import segment

        return segment
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
