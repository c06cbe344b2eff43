"""Screenshots of the window: every kind of image, size of screen, theme and layout.

    python -m benchmarks.screenshots --out DIR [--scale 2] [--images demo,hf00] [--panels]

A display (or Xvfb) must be as large as the largest window, 2560 x 1440.  With `--scale` the
same sizes are drawn on a screen with so many dots to a pixel; with `--panels` the dialogs and
the panels behind tabs are shown too.  Real images are looked for in the folder named by
PMLDA_DATA, `../shared/data` without; those that are not there are left out.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pmlda_gui.gui.program import Program

__all__ = ["main"]

_SIZES = ((1280, 800), (1366, 768), (1920, 1080), (2560, 1440))
_THEMES = ("light", "dark")
_LAYOUTS = ("grid", "focus")
_FILES = {
    "demo": "",
    "hf00": "paper/hf00.mat",
    "sas": "sas/sas_03.png",
    "recording": "xtf/river.xtf",
    "geotiff": "geotiff/river_mosaic_u8.tif",
}
_PANELS = ("teach", "analysis", "trace", "explain", "topics", "history", "images", "display")
_DIALOGS = ("preferences", "palette", "export", "count_topics", "compare_methods", "help", "tour")
_LONGEST_SECONDS = 60.0


def _images(names: list[str]) -> dict[str, str]:
    folder = Path(os.environ.get("PMLDA_DATA", "../shared/data"))
    found = {name: str(folder / path) if path else "" for name, path in _FILES.items()}
    return {
        name: path
        for name, path in found.items()
        if (not names or name in names) and (not path or Path(path).exists())
    }


def _after(seconds: float) -> Callable[[], bool]:
    due = time.monotonic() + seconds
    return lambda: time.monotonic() > due


def _mapped(program: Program) -> Callable[[], bool]:
    """Whether the maps are as fine as the screen and the chain rests, or patience has ended."""
    due = time.monotonic() + _LONGEST_SECONDS
    presenter, chain = program.controller.presenter, program.controller.chain

    def holds() -> bool:
        snapshot = presenter.snapshot
        done = snapshot is not None and snapshot.sharp and snapshot.figures.sweep > 50
        return time.monotonic() > due or (done and not chain.running)

    return holds


def _script(
    program: Program, out: Path, names: list[str], scale: int, panels: bool
) -> Iterator[Callable[[], bool]]:
    window, actions = program.window, program.window.actions_by_name
    for name, path in _images(names).items():
        if path:
            program.files.open([path])
        else:
            program.files.open_demo()
        yield _after(1.0)
        yield lambda: program.controller.presenter.snapshot is not None
        if not program.controller.chain.running:
            program.controller.run()
        yield _mapped(program)
        for theme in _THEMES:
            actions[f"theme_{theme}"].trigger()
            for layout in _LAYOUTS:
                actions[f"layout_{layout}"].trigger()
                for width, height in _SIZES if scale == 1 else _SIZES[:1]:
                    window.resize(width, height)
                    yield _after(1.2)
                    window.grab().save(
                        str(out / f"{name}-{theme}-{layout}-{width}x{height}@{scale}.png")
                    )
            if panels:
                actions["layout_grid"].trigger()
                window.resize(1366, 768)
                yield from _behind_tabs(program, out, f"{name}-{theme}")
                yield from _dialogs(program, out, f"{name}-{theme}")


def _behind_tabs(program: Program, out: Path, prefix: str) -> Iterator[Callable[[], bool]]:
    docks = program.window.docks
    for name in _PANELS:
        if name in docks:
            docks[name].show()
            docks[name].raise_()
            yield _after(0.5)
            program.window.grab().save(str(out / f"{prefix}-panel-{name}.png"))


def _dialogs(program: Program, out: Path, prefix: str) -> Iterator[Callable[[], bool]]:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    main = program.window

    def shot(name: str) -> None:
        for number, widget in enumerate(QApplication.topLevelWidgets()):
            if widget is not main and widget.isVisible() and widget.width() > 150:
                widget.grab().save(str(out / f"{prefix}-dialog-{name}-{number}.png"))
                QTimer.singleShot(0, widget.close)

    for name in _DIALOGS:
        action = main.actions_by_name[name]
        if action.isEnabled():
            QTimer.singleShot(2500, lambda name=name: shot(name))
            action.trigger()
            yield _after(3.5)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.screenshots", description=__doc__)
    parser.add_argument("--out", required=True, type=Path, metavar="DIR")
    parser.add_argument("--scale", type=int, default=1, metavar="N")
    parser.add_argument("--images", default="", metavar="NAME,NAME", help=", ".join(_FILES))
    parser.add_argument("--panels", action="store_true")
    arguments = parser.parse_args()
    if arguments.scale > 1:
        os.environ["QT_SCALE_FACTOR"] = str(arguments.scale)
    arguments.out.mkdir(parents=True, exist_ok=True)
    from benchmarks.window import drive
    from pmlda_gui.workspace.settings import settings, settings_in

    names = [name for name in arguments.images.split(",") if name]
    with tempfile.TemporaryDirectory() as own, settings_in(Path(own)):
        settings().set("help/tour", "seen")
        drive(
            lambda program: _script(
                program, arguments.out, names, arguments.scale, arguments.panels
            )
        )


if __name__ == "__main__":
    main()
