"""The tests that drive the whole program are isolated as those of its parts are."""

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QThread
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from pmlda_gui.gui.controller import unsaved_sampling
from pmlda_gui.gui.main_window import MainWindow
from tests.gui.isolation import (
    isolated_settings,
    nothing_left_behind,
    pytest_collection_modifyitems,
)

__all__ = ["isolated_settings", "nothing_left_behind", "pytest_collection_modifyitems"]


@pytest.fixture(autouse=True, scope="session")
def compiled() -> None:
    """Kernels that were changed are compiled now, so that no test waits for that."""
    from pmlda_gui.gui.warm_up import WarmUp

    WarmUp().touch_everything()


@pytest.fixture(autouse=True)
def sampling_is_never_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine ten seconds of sampling pass anywhere, and questions would come up.

    That they do is tested where sampling is counted by hand.
    """
    monkeypatch.setattr(unsaved_sampling, "WORTH_KEEPING_SECONDS", float("inf"))


@pytest.fixture(autouse=True)
def nothing_alive() -> Iterator[None]:
    """When the program has ended, no thread of its own runs and no window of its own exists."""
    yield
    running = [
        each
        for each in gc.get_objects()
        if isinstance(each, QThread) and isValid(each) and each.isRunning()
    ]
    assert not running, f"still running: {running}"
    windows = [each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow)]
    assert not windows
