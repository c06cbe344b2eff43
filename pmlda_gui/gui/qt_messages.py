"""Writes messages of Qt to the log."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

__all__ = ["logged_qt_messages"]

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}

log = logging.getLogger(__name__)


@contextmanager
def logged_qt_messages() -> Iterator[None]:
    """Log Qt's messages until the block ends; the previous handler still gets them."""

    def handle(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        log.log(_LEVELS.get(kind, logging.WARNING), "%s", message)
        if before is not None:
            before(kind, context, message)
        elif sys.stderr is not None and kind != QtMsgType.QtDebugMsg:
            print(message, file=sys.stderr)

    before: Any = None
    before = qInstallMessageHandler(handle)
    try:
        yield
    finally:
        qInstallMessageHandler(before)
