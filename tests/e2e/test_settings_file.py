"""A settings file that somebody else has written cannot make the program do anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QDockWidget

from pmlda_gui.workspace.settings import settings
from tests.e2e.driver import Script, Stage, drive

pytestmark = pytest.mark.usefixtures("qapp")


class Trap:
    """What unpickling this does can be seen."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.folder),)


_START = """
from pmlda_gui.gui.app import make_application
from pmlda_gui.gui.program import Program

program = Program(make_application())
print(program.window.actions_by_name["theme_dark"].isChecked())
program.window.close()
program.wait()
program.dispose()
"""


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the old settings were no file")
def test_a_pickled_object_in_old_settings_is_not_run(tmp_path: Path) -> None:
    sprung = tmp_path / "sprung"
    old = tmp_path / "config" / "pmlda_gui" / "pmlda_gui.conf"
    old.parent.mkdir(parents=True)
    written = QSettings(str(old), QSettings.Format.IniFormat)
    for name in ("window/geometry", "window/state", "files/recent", "files/folder"):
        written.setValue(name, Trap(sprung))
    written.setValue("window/theme", "dark")
    written.sync()
    assert b"PyObjectWrapper" in old.read_bytes()
    finished = subprocess.run(
        [sys.executable, "-c", _START],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.strip() == "True"
    assert not sprung.exists()


_FILE_DIALOG = """
from PySide6.QtWidgets import QFileDialog
from pmlda_gui.gui.app import make_application

application = make_application()
dialog = QFileDialog(None, "Open")
dialog.show()
application.processEvents()
dialog.close()
"""


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="Qt's own settings are no file")
def test_a_pickled_object_in_the_settings_of_qt_itself_is_not_run(tmp_path: Path) -> None:
    """Qt's file dialog keeps its state in a file of its own, and reads it by its own means."""
    sprung = tmp_path / "sprung"
    path = tmp_path / "config" / "QtProject.conf"
    path.parent.mkdir(parents=True)
    written = QSettings(str(path), QSettings.Format.IniFormat)
    for name in ("lastVisited", "history", "sidebarWidth", "viewMode", "shortcuts"):
        written.setValue(f"FileDialog/{name}", Trap(sprung))
    written.sync()
    finished = subprocess.run(
        [sys.executable, "-c", _FILE_DIALOG],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    assert finished.returncode == 0, finished.stderr
    assert not sprung.exists()


_VARIANTS = """
import os, pickle, sys
from PySide6.QtCore import QByteArray, QDataStream, QIODevice
from pmlda_gui.gui.app import make_application

class Trap:
    def __reduce__(self):
        return os.mkdir, (sys.argv[1],)

def read_back(value):
    data = QByteArray()
    QDataStream(data, QIODevice.OpenModeFlag.WriteOnly).writeQVariant(value)
    return QDataStream(data, QIODevice.OpenModeFlag.ReadOnly).readQVariant()

make_application()
assert read_back(Trap()) is None
assert read_back("plain") == "plain"
assert pickle.loads(pickle.dumps({1})) == {1}, "pickle itself is as it was"
"""


def test_a_pickled_object_in_dragged_data_is_not_run(tmp_path: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", _VARIANTS, str(tmp_path / "sprung")],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    assert finished.returncode == 0, finished.stderr
    assert not (tmp_path / "sprung").exists()


def test_damaged_settings_are_told_and_the_window_opens(tmp_path: Path) -> None:
    settings().path.parent.mkdir(parents=True)
    settings().path.write_text("{ nonsense")

    def script(stage: Stage) -> Script:
        yield lambda: "settings could not be read" in stage.window.message_bar.text

    assert drive([], script) == 0


def test_the_window_is_arranged_as_it_was() -> None:
    def arrange(stage: Stage) -> Script:
        yield lambda: True
        stage.trigger("theme_dark")
        stage.find(QDockWidget, "images_dock").close()
        yield lambda: True

    def find_again(stage: Stage) -> Script:
        yield lambda: True
        assert stage.window.actions_by_name["theme_dark"].isChecked()
        assert not stage.find(QDockWidget, "images_dock").isVisible()
        assert stage.find(QDockWidget, "chain_dock").isVisible()

    drive([], arrange)
    drive([], find_again)


def test_a_geometry_that_is_nonsense_is_not_followed() -> None:
    settings().set("window/geometry", bytes(range(200)) * 20)
    settings().set("window/state", b"\xff" * 20_000)

    def script(stage: Stage) -> Script:
        yield lambda: True
        assert stage.window.width() > 500

    assert drive([], script) == 0
