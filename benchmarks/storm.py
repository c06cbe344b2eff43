"""A storm of an operator's steps on the real window: nothing that was made may be lost.

After each step: names sit on their seabed, by correlation with the truth of a synthetic
scene, and what was sampled is still there: the run goes on, or undo has it, or a question
was asked.  `python -m benchmarks storm` does 5000 steps, off screen unless there is a display.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.storm_steps import Found, Script, Storm, image_files
from benchmarks.tables import show

__all__ = ["MEMORY_TABLE", "SHAPE", "driven", "memory_rows", "run", "tell"]

EVENTS = 5000
SHAPE = (160, 150)
SEED = 20_262
MEMORY_TABLE = ("Memory in MB", ["minute", "resident", "kept for undo", "the rest"])
# Kernels may have to be compiled first.
PATIENCE_SECONDS = 180.0


def driven(events: int, seconds: float = float("inf"), seed: int = SEED) -> Found:
    """A storm on a program of its own, in this process."""
    from pmlda_gui.imagery.scenes import make_survey

    if not (sys.platform != "linux" or os.environ.get("DISPLAY")):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from tests.e2e import driver

    driver.PATIENCE = PATIENCE_SECONDS
    survey = make_survey(2, "demo", SHAPE, seed=1)
    storms: list[Storm] = []
    with tempfile.TemporaryDirectory(prefix="pmlda-storm-") as made:
        folder = Path(made)
        # The operator's own settings and autosaves are no part of this.
        for kind in ("STATE", "CONFIG"):
            os.environ[f"XDG_{kind}_HOME"] = str(folder / kind)
        application = importlib.import_module("pmlda_gui.gui.app").make_application()
        paths = image_files(survey, folder)

        def script(stage: Any) -> Script:
            storms.append(Storm(stage, survey, paths, seed))
            yield from storms[0].script(events, seconds)

        driver.drive([str(paths[0])], script)
        del application
    return storms[0].found


def run(quick: bool) -> None:
    """Print the steps and what was wrong; exit code 1 if anything was."""
    began = time.monotonic()
    tell(driven(EVENTS // 10 if quick else EVENTS), began)


def memory_rows(found: Found) -> list[list[str]]:
    """The memory of each minute, with what is kept for undo told apart."""
    return [
        [f"{seconds / 60:.0f}", f"{held:.0f}", f"{kept:.1f}", f"{held - kept:.0f}"]
        for seconds, held, kept in found.memory
    ]


def tell(found: Found, began: float) -> None:
    """Print the steps of a storm that `began` then; exit code 1 if anything was wrong."""
    show("Steps", ["step", "times"], [[kind, count] for kind, count in found.steps.most_common()])
    show(*MEMORY_TABLE, memory_rows(found))
    minutes = (time.monotonic() - began) / 60
    print(
        f"{found.events} steps in {minutes:.0f} minutes, names checked {found.names_checked} "
        f"times ({found.names_missing} names had gone), {len(found.faults)} faults"
    )
    for fault in found.faults:
        print(fault)
    if found.faults:
        raise SystemExit(1)
