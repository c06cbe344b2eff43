"""Runs the checks of the self-test in the window, and reports the outcome."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtWidgets import QApplication

from pmlda_gui.gui.program import Program
from pmlda_gui.gui.self_test.checks import CHECKS, Check
from pmlda_gui.gui.self_test.stage import CheckError, Stage, StuckError
from pmlda_gui.gui.self_test.starting import FirstPaint
from pmlda_gui.workspace.settings import settings_in

__all__ = ["run_self_test"]


def run_self_test(
    application: QApplication,
    keep: Path | None = None,
    checks: Mapping[str, Check] = CHECKS,
) -> int:
    """Print a line for every check; the exit code, 0 if all went well.

    What is written, a screenshot included, goes into the folder `keep` or is removed.
    """
    # Nobody's settings are read or changed by a test.
    with (
        tempfile.TemporaryDirectory(prefix="pmlda-gui-", ignore_cleanup_errors=True) as made,
        settings_in(Path(made) / "settings") as own,
    ):
        # The checks press Run themselves.
        own.set("chain/start", "no")
        folder = Path(made) if keep is None else keep.absolute()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            print(f"pmlda-gui: {folder} cannot be written to ({error.strerror or error}).")
            return 2
        program = Program(application)
        stage = Stage(program, folder)
        try:
            well = _run(stage, {"start": _start(stage), **checks})
        finally:
            stage.close()
            # The work is a test's: nobody will want to go on with it.
            program.controller.history.mark_saved()
            program.window.close()
            program.wait()
            program.dispose()
    print("The self-test passed." if well else "The self-test failed.", flush=True)
    return 0 if well else 1


def _start(stage: Stage) -> Check:
    """Show the window; the check that it was painted."""
    first_paint = FirstPaint(stage.window)
    stage.program.show()

    def start(stage: Stage) -> str:
        stage.wait_until(lambda: first_paint.seconds is not None, "the window was not painted")
        name = QApplication.platformName()
        return f"first painted window after {first_paint.seconds:.2f} s, on {name}"

    return start


def _run(stage: Stage, checks: Mapping[str, Check]) -> bool:
    """Whether all checks went well; one that cannot be got over is the last."""
    well = True
    for name, check in checks.items():
        try:
            _tell("ok", name, check(stage))
        except CheckError as failure:
            well = False
            _tell("FAILED", name, f"{failure}.")
            if isinstance(failure, StuckError):
                break
        except Exception as error:  # such as a module that was left out of a built program
            _tell("FAILED", name, f"{type(error).__name__}: {error}")
            return False
    return well


def _tell(outcome: str, name: str, words: str) -> None:
    print(f"{outcome:7} {name}: {words}", flush=True)
