"""Saves a picture as a PNG, completely or not at all, and reports disk errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QFileDialog, QWidget

from pmlda_gui.core.errors import PmldaError

__all__ = ["ask_to_save_picture"]

_SUFFIX = ".png"


def ask_to_save_picture(
    picture: QImage, window: QWidget, offered: str, warn: Callable[[str], None]
) -> None:
    """Ask where to, and save the picture there; `warn` hears why not."""
    from pmlda_gui.workspace.export.atomic import write_whole

    name, _ = QFileDialog.getSaveFileName(window, "Save picture", offered, "Pictures (*.png)")
    if not name:
        return
    path = Path(name)
    if path.suffix.lower() != _SUFFIX:
        path = path.with_name(path.name + _SUFFIX)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(picture)
    try:
        write_whole(path, bytes(buffer.data().data()))
    except PmldaError as error:
        warn(str(error))
