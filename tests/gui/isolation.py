"""What every test of the window needs: no screen, own settings, and nothing left behind."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

# Chosen before Qt is imported, which is when it takes effect.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from pmlda_gui.workspace.settings import settings_in


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The platform without a screen says what it cannot do; that is no fault of ours."""
    for item in items:
        if {"gui", "e2e"} & set(item.path.parts):
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support", extend=True))


@pytest.fixture(autouse=True)
def isolated_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads or writes the settings or the autosaved work of whoever runs it."""
    # For programs that a test starts, and for what the settings do not hold.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with settings_in(tmp_path / "settings"):
        yield


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Whatever a test starts or shows has ended when the test has."""
    threads = set(threading.enumerate())
    yield
    if QApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        shown = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]
        assert not shown, f"still shown: {shown}"
    left = [
        thread
        for thread in set(threading.enumerate()) - threads
        if not isinstance(thread, threading._DummyThread)
    ]
    for thread in left:
        # Only loading and compiling, which the program does not wait for, takes this long.
        thread.join(60.0 if thread.name == "warm-up" else 2.0)
    assert not [thread for thread in left if thread.is_alive()], f"still running: {left}"
