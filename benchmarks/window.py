"""How the window behaves while the chain takes all cores, on the 600 x 544 demo scene.

Measured on the real program from outside: no shipped code knows that it is watched.
With a display (or Xvfb) it is used, without one everything is drawn off screen.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.tables import show

if TYPE_CHECKING:
    from pmlda_gui.gui.program import Program

__all__ = ["drive", "run"]

STARTS = 5
HEARTBEAT_MILLISECONDS = 5
CHANGES = 180
RESTARTS = 5
STROKES = 20

_START = """
import sys, time
from PySide6.QtCore import QEvent, QObject, QTimer
from pmlda_gui.gui import app

class Watcher(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and watched.objectName() == "main_window":
            QTimer.singleShot(0, self.report)
        return False

    def report(self):
        print(time.time() - float(sys.argv[1]), flush=True)
        application.closeAllWindows()

application = app.make_application()
watcher = Watcher()
application.installEventFilter(watcher)
app.run([])
"""


@dataclass
class Figures:
    """Everything that was measured; times in seconds, memory in MB."""

    start: list[float] = field(default_factory=list)
    first_map: list[float] = field(default_factory=list)
    sharp_map: list[float] = field(default_factory=list)
    change: list[float] = field(default_factory=list)
    stroke: list[float] = field(default_factory=list)
    used: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    frames_per_second: float = 0.0
    sweeps_per_second: float = 0.0
    memory: list[float] = field(default_factory=list)


def _start_up(starts: int) -> list[float]:
    """From starting the interpreter to the first painted window."""
    times = []
    # As for users: what was compiled once is not compiled again.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(starts + 1):
        finished = subprocess.run(
            [sys.executable, "-c", _START, str(time.time())],
            capture_output=True, text=True, check=True, timeout=60, env=environment,
        )  # fmt: skip
        times.append(float(finished.stdout.split()[0]))
    return times[1:]  # the first one fills the disk cache


def _resident_megabytes() -> float:
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _script(
    program: Program, figures: Figures, changes: int, seconds: float, minutes: float
) -> Iterator[Callable[[], bool]]:
    """What is done, one step after each condition that is yielded."""
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QSlider

    controller, window = program.controller, program.window
    presenter = controller.presenter
    program.files.open_demo()
    yield lambda: not program.warm_up.is_alive()
    yield lambda: presenter.snapshot is not None and presenter.snapshot.sharp

    for _ in range(RESTARTS):
        controller.pause()
        controller.restart()
        old = presenter.snapshot
        yield lambda old=old: presenter.snapshot is not old
        began = time.perf_counter()
        controller.run()
        yield lambda: presenter.snapshot.figures.sweep > 0
        figures.first_map.append(time.perf_counter() - began)
        yield lambda: presenter.snapshot.sharp
        figures.sharp_map.append(time.perf_counter() - began)

    slider = window.findChild(QSlider, "rate")
    for number in range(changes):
        yield from _timed(
            program, figures.change,
            lambda number=number: slider.setValue(slider.value() + (5 if number % 2 else -5)),
        )  # fmt: skip
    yield from _in_use(program, figures, max(STROKES * changes // CHANGES, 6))

    beats: list[float] = []
    heart = QTimer(window)
    heart.setTimerType(Qt.TimerType.PreciseTimer)
    heart.setInterval(HEARTBEAT_MILLISECONDS)
    heart.timeout.connect(lambda: beats.append(time.perf_counter()))
    shown = 0
    original = presenter.show

    def counted(snapshot: object) -> None:
        nonlocal shown
        shown += 1
        original(snapshot)

    presenter.show = counted
    heart.start()
    began, swept = time.perf_counter(), presenter.snapshot.figures.sweep
    yield lambda: time.perf_counter() - began > seconds
    spent = time.perf_counter() - began
    figures.frames_per_second = shown / spent
    figures.sweeps_per_second = (presenter.snapshot.figures.sweep - swept) / spent
    heart.stop()
    figures.gaps += list(np.diff(beats))

    began = time.perf_counter()
    while time.perf_counter() - began < 60 * minutes:
        figures.memory.append(_resident_megabytes())
        due = time.perf_counter() + 1.0
        yield lambda due=due: time.perf_counter() > due


def _timed(
    program: Program, times: list[float], deed: Callable[[], object]
) -> Iterator[Callable[[], bool]]:
    """Do something, and note how long it is until a map of it is on the screen."""
    presenter = program.controller.presenter
    settled = time.perf_counter() + 0.4
    yield lambda: time.perf_counter() > settled
    marks = len(presenter.snapshot.marks)
    began = time.perf_counter()
    deed()
    yield lambda: len(presenter.snapshot.marks) > marks
    times.append(time.perf_counter() - began)


def _in_use(program: Program, figures: Figures, strokes: int) -> Iterator[Callable[[], bool]]:
    """Strokes by the mouse, and sliders with hints, overlay and a profile; they stay in use."""
    from pyqtgraph import GraphicsView
    from PySide6.QtCore import QPoint, Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QSlider

    window, actions = program.window, program.window.actions_by_name
    view = window.grid.view("composite_view")
    port = view.findChild(GraphicsView).viewport()

    def drag(*places: tuple[float, float]) -> None:
        points = [QPoint(int(x * port.width()), int(y * port.height())) for x, y in places]
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QTest.mousePress(port, left, none, points[0])
        for point in points[1:]:
            QTest.mouseMove(port, point)
        QTest.mouseRelease(port, left, none, points[-1])

    actions["tool_profile"].trigger()
    drag((0.3, 0.5), (0.5, 0.5), (0.7, 0.5))
    actions["tool_brush"].trigger()
    for number in range(strokes):
        x, y = 0.3 + 0.4 * ((number * 7) % 10) / 10, 0.3 + 0.4 * (number % 10) / 10
        window.teach.choose(number % 3)
        yield from _timed(
            program, figures.stroke, lambda x=x, y=y: drag((x, y), (x + 0.03, y), (x + 0.06, y))
        )
    actions["tool_brush"].trigger()
    actions["overlay"].trigger()
    slider = window.findChild(QSlider, "rate")
    for number in range(strokes):
        yield from _timed(
            program, figures.used,
            lambda number=number: slider.setValue(slider.value() + (5 if number % 2 else -5)),
        )  # fmt: skip


def drive(script: Callable[[Program], Iterator[Callable[[], bool]]]) -> None:
    """Drive one program from within its event loop."""
    from PySide6.QtCore import QTimer

    from pmlda_gui.gui.app import make_application
    from pmlda_gui.gui.program import Program

    application = make_application()
    program = Program(application)
    program.show()
    steps = script(program)
    holds: list[Callable[[], bool]] = [lambda: True]
    failed: list[Exception] = []

    def advance() -> None:
        if holds[0]():
            try:
                holds[0] = next(steps)
            except Exception as error:
                if not isinstance(error, StopIteration):
                    failed.append(error)
                timer.stop()
                program.window.close()
                application.quit()

    timer = QTimer()
    timer.setInterval(1)
    timer.timeout.connect(advance)
    timer.start()
    application.exec()
    program.wait()
    program.dispose()
    if failed:
        raise failed[0]


def run(quick: bool = False) -> None:
    """Print one table."""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from pmlda_gui.workspace.settings import settings_in

    start = _start_up(2 if quick else STARTS)
    with tempfile.TemporaryDirectory() as own, settings_in(Path(own)) as settings:
        # The chain is to be at work all the time.
        settings.set("chain/rest", "no")
        figures = Figures()
        changes, seconds, minutes = (24, 3.0, 0.1) if quick else (CHANGES, 20.0, 10.0)
        drive(lambda program: _script(program, figures, changes, seconds, minutes))
    gaps = 1000 * np.array(figures.gaps)
    memory = np.array(figures.memory)
    tenth = max(1, len(memory) // 10)
    growth = float(np.median(memory[-tenth:]) - np.median(memory[tenth : 2 * tenth + 1]))
    show(
        "The window on the 600 x 544 demo scene, chain on all cores",
        ("what", "median", "worst", "wanted at most"),
        [
            ("start to first painted window, s", _median(start), max(start), 1.0),
            ("Run to first map, s", _median(figures.first_map), max(figures.first_map), 0.1),
            ("Run to map as fine as the screen, s", _median(figures.sharp_map),
             max(figures.sharp_map), 1.0),
            ("slider to first map, s", _median(figures.change), max(figures.change),
             "0.1 / 0.15"),
            ("stroke to first map, s", _median(figures.stroke), max(figures.stroke), 0.2),
            ("slider with hints, overlay and profile, s", _median(figures.used),
             max(figures.used), "0.1 / 0.15"),
            ("event-loop gap p50 / p99, ms", float(np.percentile(gaps, 50)),
             float(np.percentile(gaps, 99)), 20.0),
            ("event-loop gap longest, ms", "", float(gaps.max()), 50.0),
            ("frames a second, settled chain", figures.frames_per_second, "", ""),
            ("sweeps a second, maps included", figures.sweeps_per_second, "", ""),
            ("memory, MB; growth from second tenth to last", float(np.median(memory)), growth, ""),
        ],
    )  # fmt: skip


def _median(values: list[float]) -> float:
    return float(np.median(values))


if __name__ == "__main__":
    run("--quick" in sys.argv)
