"""The program as it is killed: it samples, autosaves often, and says how far it is.

`python -m benchmarks.kills_program SECONDS FILE IMAGE`: SECONDS between autosaves, FILE to
save the workspace to now and then, or - for none.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from pmlda_gui.gui.app import make_application
from pmlda_gui.gui.app import run as run_program
from pmlda_gui.gui.controller import Controller, autosave
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.main_window import MainWindow

_LOOK_MILLISECONDS = 20
_SAVE_EVERY = 60


def main(seconds: float, path: Path | None, image: str) -> int:
    """Run the window; the exit code, if it is not killed."""
    autosave.autosave_seconds = lambda: seconds
    make_application()
    timer = QTimer()
    timer.setInterval(_LOOK_MILLISECONDS)
    looks, sweeps_saving = 0, 0

    def saved() -> None:
        print("saved", sweeps_saving, flush=True)

    def look() -> None:
        nonlocal looks, sweeps_saving
        windows = [each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow)]
        controller = windows[0].findChild(Controller) if windows else None
        snapshot = None if controller is None else controller.presenter.snapshot
        if controller is None or snapshot is None:
            return
        looks += 1
        files = controller.findChild(Files)
        if looks == 1:
            parameters = replace(controller.session.parameters, topics=4)
            controller.do("Change the topics", parameters=parameters)
            controller.run()
            files.path_changed.connect(saved)
        elif snapshot.figures.sweep:
            print("sampled", snapshot.figures.sweep, flush=True)
            if path is not None and looks % _SAVE_EVERY == 0:
                sweeps_saving = snapshot.figures.sweep
                files.save_to(path)

    timer.timeout.connect(look)
    timer.start()
    return run_program([image], alone=True)


if __name__ == "__main__":
    sys.exit(
        main(float(sys.argv[1]), None if sys.argv[2] == "-" else Path(sys.argv[2]), sys.argv[3])
    )
