"""Whoever ends the program, the system or its user, finds unsaved work at the next start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.recovery import Recoverable, found, recover

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX")

# The whole program; once something was changed and sampled it says how far it is.
_PROGRAM = """
import os, signal, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QSlider
from pmlda_gui.gui.app import make_application, run
from pmlda_gui.gui.controller import Controller
from pmlda_gui.gui.main_window import MainWindow

# Whoever started the tests may ignore signals, which children take over.
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
application = make_application()
how = sys.argv.pop(1)

def look():
    for window in QApplication.topLevelWidgets():
        if isinstance(window, MainWindow):
            controller = window.findChild(Controller)
            snapshot = controller.presenter.snapshot
            if snapshot is None:
                return
            if controller.session.parameters.topics != 4:
                window.findChild(QSlider, "topics").setValue(4)
                controller.run()
            elif snapshot.figures.sweep > 5 and len(snapshot.topics) == 4:
                timer.stop()
                print(snapshot.figures.sweep, flush=True)
                act(window)

def act(window):
    if how == "session":
        application.commitDataRequest.emit(None)
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "dialog":
        QFileDialog.getOpenFileNames(window, "Open")

timer = QTimer()
timer.setInterval(20)
timer.timeout.connect(look)
timer.start()
sys.exit(run(sys.argv[1:], alone=True))
"""


_IDLE = """
import signal, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pmlda_gui.gui.app import make_application, run

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
application = make_application()

def look():
    if any(widget.isVisible() for widget in QApplication.topLevelWidgets()):
        timer.stop()
        print("ready", flush=True)

timer = QTimer()
timer.setInterval(20)
timer.timeout.connect(look)
timer.start()
sys.exit(run([], alone=True))
"""


@pytest.fixture
def image_file(tmp_path: Path) -> Path:
    path = tmp_path / "seabed.npy"
    np.save(path, make_scene("demo", (80, 70)).image.pixels)
    return path


@contextmanager
def program(image: Path, how: str = "") -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The program and the number of sweeps that can be seen in it."""
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, how, str(image)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    ) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        assert line.strip().isdigit(), "the program has ended early"
        yield running, int(line)


def assert_kept(offered: list[Recoverable], sweeps: int) -> None:
    (left,) = offered
    assert left.images == ("seabed.npy",)
    assert left.sweeps is not None
    assert left.sweeps >= sweeps
    loaded = recover(left)
    assert loaded.session.parameters.topics == 4
    assert loaded.journal is not None
    assert loaded.journal.sweeps == left.sweeps


@pytest.mark.parametrize(
    ("number", "how"), [("SIGTERM", ""), ("SIGTERM", "dialog"), ("SIGINT", ""), ("SIGHUP", "")]
)
def test_a_signal_saves_and_ends_with_the_usual_code(
    image_file: Path, number: str, how: str
) -> None:
    sent = signal.Signals[number]
    with program(image_file, how) as (running, sweeps):
        running.send_signal(sent)
        assert running.wait(30.0) == 128 + sent
    assert_kept(found(), sweeps)


def test_the_end_of_the_session_saves_before_the_program_is_killed(image_file: Path) -> None:
    with program(image_file, "session") as (running, sweeps):
        assert running.wait(30.0) == -signal.SIGKILL
    assert_kept(found(), sweeps)


def test_a_program_without_unsaved_work_leaves_nothing_at_a_signal(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _IDLE],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline().strip() == "ready"
        running.send_signal(signal.SIGTERM)
        assert running.wait(30.0) == 128 + signal.SIGTERM
    assert found() == []
    assert not list(tmp_path.rglob("*.pmlda"))
