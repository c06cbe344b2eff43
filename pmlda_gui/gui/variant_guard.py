"""Stops Qt from creating Python objects from files and dragged data.

Qt for Python stores a Python object in a QVariant as a pickle, and whoever reads such a
variant back runs it: Qt's own file dialog from its settings, a desktop's theme from
those of the desktop, a list from what is dropped on it.  This program has no use for
that.  Qt for Python looks up `pickle.loads` once, when the first such variant is read; so
one is read here, at the start, while a function that refuses stands in its place.
"""

from __future__ import annotations

import logging
import pickle
from functools import cache

from PySide6.QtCore import QByteArray, QDataStream, QIODevice

__all__ = ["refuse_pickled_variants"]

log = logging.getLogger(__name__)


@cache
def refuse_pickled_variants() -> None:
    """From now on a pickled object in a QVariant is read as None."""
    stored = QByteArray()
    QDataStream(stored, QIODevice.OpenModeFlag.WriteOnly).writeQVariant(_Nothing())
    names = vars(pickle)
    usual, names["loads"] = names["loads"], _refuse
    try:
        QDataStream(stored, QIODevice.OpenModeFlag.ReadOnly).readQVariant()
    finally:
        names["loads"] = usual


class _Nothing:
    """An object that Qt does not know."""


def _refuse(_data: bytes) -> None:
    log.warning("a pickled object was refused")
