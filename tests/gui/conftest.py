"""The window's tests run off screen, with settings of their own, and leave nothing behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pmlda_gui.workspace.settings import settings
from tests.gui.isolation import (
    isolated_settings,
    nothing_left_behind,
    pytest_collection_modifyitems,
)

from tests.gui.flows import Flows, image_file  # isort: skip (after the isolation)
from pmlda_gui.gui.program import Program

__all__ = ["isolated_settings", "nothing_left_behind", "pytest_collection_modifyitems"]


@pytest.fixture
def flows(qtbot: QtBot, qapp: QApplication) -> Iterator[Flows]:
    """The whole program, with nothing open; images wait for Run."""
    settings().set("chain/start", "no")
    program = Program(qapp)
    program.window.show()
    yield Flows(program, qtbot)
    program.window.close()
    program.wait()
    program.dispose()


@pytest.fixture
def first(flows: Flows, tmp_path: Path) -> str:
    """The name of an image that is open, with a first map."""
    path = image_file(tmp_path, "first.npy")
    flows.open(path)
    return path.name
