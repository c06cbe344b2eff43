"""The demo without a display: the same window, drawn off screen for a few seconds."""

from __future__ import annotations

import tempfile
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication

from pmlda_gui.gui.dialogs.export import ExportChoice
from pmlda_gui.gui.program import Program
from pmlda_gui.workspace.settings import settings_in

__all__ = ["run_demo"]

SECONDS = 3.0
# On a slow machine the program waits this long for a map of every pixel.
LONGEST_SECONDS = 60.0
SCREENSHOT = "screenshot.png"
_LOOK_EVERY_MILLISECONDS = 100


class _Demo(QObject):
    """Watches the chain; once it has run long enough, writes what there is and quits."""

    def __init__(self, application: QApplication, program: Program, folder: Path) -> None:
        super().__init__(program)
        self._application = application
        self._program = program
        self._folder = folder
        self._elapsed = 0.0
        self._exporting = False
        self.code = 1
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MILLISECONDS)
        self._timer.timeout.connect(self._look)
        program.controller.error_raised.connect(self._fail)
        program.exporting.exported.connect(self._written)
        self._timer.start()

    @Slot()
    def _look(self) -> None:
        self._elapsed += _LOOK_EVERY_MILLISECONDS / 1000
        snapshot = self._program.controller.presenter.snapshot
        fine = snapshot is not None and snapshot.sharp
        if not self._exporting and snapshot is not None and fine:
            # A chain whose maps are done rests before that.
            rests = snapshot.figures.sweep > 0 and not self._program.controller.chain.running
            if rests or snapshot.figures.seconds >= SECONDS:
                self._exporting = True
                self._program.controller.pause()
                self._program.window.grab().save(str(self._folder / SCREENSHOT))
                self._program.exporting.export(ExportChoice(self._folder, "mean"))
        elif self._elapsed > LONGEST_SECONDS:
            self._quit(1)

    @Slot()
    def _written(self) -> None:
        self._quit(0)

    @Slot(object)
    def _fail(self, error: object) -> None:
        print(f"pmlda-gui: {error}")
        self._quit(1)

    def _quit(self, code: int) -> None:
        self.code = code
        self._timer.stop()
        self._application.quit()


def run_demo(application: QApplication) -> int:
    """Open the synthetic scene, run it, and write a screenshot and the maps; the exit code."""
    folder = Path(tempfile.mkdtemp(prefix="pmlda-gui-demo-"))
    # Nobody's settings are read or changed by a demo without a screen.
    with tempfile.TemporaryDirectory() as own, settings_in(Path(own)):
        program = Program(application)
        program.show()
        demo = _Demo(application, program, folder)
        program.open_later((), demo=True)
        application.exec()
        program.window.close()
        program.wait()
        program.dispose()
    if demo.code == 0:
        print(f"There is no display: the demo ran off screen; see {folder}.")
    return demo.code
