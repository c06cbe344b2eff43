"""The program with its window: parses the command line and runs the event loop.

Heavy libraries are loaded only once the window is on the screen, by a thread of low
priority.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

# One matrix product on all cores would freeze the window; the chain has its own threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from PySide6.QtWidgets import QApplication

from pmlda_gui import __version__
from pmlda_gui.gui.allocator import limit_heaps
from pmlda_gui.gui.qt_messages import logged_qt_messages
from pmlda_gui.gui.variant_guard import refuse_pickled_variants
from pmlda_gui.workspace.logs import Log

__all__ = ["has_display", "run"]

log = logging.getLogger(__name__)


def has_display() -> bool:
    """Whether there is a screen to show a window on."""
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="pmlda-gui", description="Soft segmentation of sonar imagery with PM-LDA."
    )
    parser.add_argument("--version", action="version", version=f"pmlda-gui {__version__}")
    parser.add_argument("--demo", action="store_true", help="open a synthetic scene and start")
    parser.add_argument(
        "--self-test",
        nargs="?",
        const="",
        metavar="DIR",
        help="check that everything works, then exit; DIR keeps what is written",
    )
    parser.add_argument(
        "--verbose", action="store_true", help="print what is being done on the terminal"
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="files to open")
    return parser.parse_args(arguments)


def make_application() -> QApplication:
    """The application object with the names its settings are stored under."""
    refuse_pickled_variants()
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    application.setOrganizationName("pmlda_gui")
    application.setApplicationName("pmlda_gui")
    application.setApplicationVersion(__version__)
    return application


def run(arguments: Sequence[str] | None = None, alone: bool = False) -> int:
    """Show the window until it is closed; the exit code.

    `alone` says that nothing else goes on in this process, so that it may end at once.
    """
    parsed = _parse(arguments)
    limit_heaps()
    # A demo or a test without anybody watching leaves no log behind.
    attended = parsed.self_test is None and has_display()
    log_output = Log(to_file=attended, to_terminal=parsed.verbose, crashes=alone)
    try:
        with logged_qt_messages():
            code = _run(parsed, alone, log_output)
    finally:
        log_output.close()
    return code


def _not_there(missing: Sequence[str]) -> str:
    """A sentence that names every file that is missing."""
    if len(missing) == 1:
        return f"{missing[0]} was not found: check the name and the folder."
    return f"{', '.join(missing)} were not found: check the names and the folder."


def _run(parsed: argparse.Namespace, alone: bool, log_output: Log) -> int:
    testing = parsed.self_test is not None
    if not has_display():
        if not (parsed.demo or testing):
            print(
                "pmlda-gui: there is no display to show a window on: set DISPLAY, or run "
                "`pmlda-gui segment FILE --out DIR` without one.",
                file=sys.stderr,
            )
            return 2
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        # That platform complains about every dialog that it cannot move or size.
        os.environ.setdefault("QT_LOGGING_RULES", "default.warning=false")
        if parsed.demo:
            from pmlda_gui.gui.offscreen import run_demo

            return run_demo(make_application())
    missing = [str(path) for path in parsed.files if not path.exists()]
    if missing and len(missing) == len(parsed.files):
        print(f"pmlda-gui: {_not_there(missing)}", file=sys.stderr)
        return 2
    application = make_application()
    if testing:
        from pmlda_gui.gui.self_test import run_self_test

        return run_self_test(application, Path(parsed.self_test) if parsed.self_test else None)
    # Until the warm-up ends: what is loaded before the window is there stays anyway.
    gc.disable()
    try:
        from pmlda_gui.gui.program import Program

        program = Program(application)
        program.heed_the_system()
        program.show()
        program.open_later(parsed.files, parsed.demo)
        code = application.exec()
        program.shut_down()
    finally:
        gc.enable()
    log.info("the program ends with code %d", code)
    if alone:
        log_output.close()
        # Libraries may still be loading, or be busy with what cannot be interrupted; an
        # operator who has closed the window should not wait for them.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    program.wait()
    program.dispose()
    return code
