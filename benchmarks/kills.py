"""Savings and whole programs killed at any moment: what is lost, and is anything unreadable?

A saving counts as done once whoever saves has said so; from then on the file must hold that
state or a later one.  A program that is killed must leave an autosave, or the file it was
saved to, from which it goes on, and nothing older than that file may be offered.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.tables import show
from pmlda_gui.core.errors import PmldaError

if TYPE_CHECKING:
    from pmlda_gui.workspace.recovery import Recoverable
    from pmlda_gui.workspace.run import Run
    from pmlda_gui.workspace.session import Session

__all__ = ["KilledProgram", "KilledSaving", "killed_programs", "killed_savings", "run"]

SAVINGS, PROGRAMS = 200, 30
SEED = 20_261
SHAPE = (90, 80)
AUTOSAVE_SECONDS = 2.0
LONGEST_SECONDS = 120.0
MOST_SAVING_SECONDS = 0.25
# A program is killed so long after it has begun to sample.
PROGRAM_SECONDS = (0.5, 7.0)
# On a busy machine an autosave takes a while to be begun and written.
GRACE_SECONDS = 2.0


@dataclass(frozen=True)
class KilledSaving:
    """What was found after a saving was killed, and how many sweeps it was short of."""

    state: str
    sweeps_lost: int = 0


@dataclass(frozen=True)
class KilledProgram:
    """What was found after a program was killed, and how many seconds of sampling were lost."""

    state: str
    seconds_lost: float = 0.0


def run(quick: bool) -> None:
    """Kill, and print what was left; exit code 1 if anything was unreadable or older than saved."""
    share = 10 if quick else 1
    with tempfile.TemporaryDirectory(prefix="pmlda-kills-") as made:
        folder = Path(made)
        savings = killed_savings(folder, SAVINGS // share)
        counted = Counter(each.state for each in savings)
        rows = [[state, count] for state, count in counted.most_common()]
        show(f"{len(savings)} savings killed", ["what the file holds", "times"], rows)
        programs = killed_programs(folder, PROGRAMS // share)
        rows = []
        for state, count in Counter(each.state for each in programs).most_common():
            lost = [each.seconds_lost for each in programs if each.state == state]
            rows.append([state, count, f"{statistics.median(lost):.1f}", f"{max(lost):.1f}"])
        show(
            f"{len(programs)} programs killed, autosaved every {AUTOSAVE_SECONDS:g} s",
            ["what was left", "times", "median s lost", "most s lost"],
            rows,
        )
    bad = [each.state for each in (*savings, *programs) if is_fault(each.state)]
    if bad:
        raise SystemExit(f"{len(bad)} states that must not be: {sorted(set(bad))}")


def is_fault(state: str) -> bool:
    """Whether a state is one that an operator could complain about."""
    return state.startswith(("unreadable", "older", "nothing"))


# -- savings ---------------------------------------------------------------------------------


def killed_savings(folder: Path, count: int) -> list[KilledSaving]:
    """Kill so many processes that save one workspace again and again."""
    way = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(way)
    rng = np.random.default_rng(SEED)
    path = folder / "work.pmlda"
    # What is loaded and compiled here need not be in each of the processes.
    _new_run()[0].close()
    return [_kill_a_saving(context, path, rng) for _ in range(count)]


def _kill_a_saving(
    context: multiprocessing.context.BaseContext, path: Path, rng: np.random.Generator
) -> KilledSaving:
    before = _sweeps_in(path) if path.exists() else 0
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_save_for_ever, args=(path, theirs))  # type: ignore[attr-defined]
    process.start()
    theirs.close()
    told = before
    if ours.poll(LONGEST_SECONDS):
        ours.recv()
        time.sleep(rng.uniform(0.0, MOST_SAVING_SECONDS))
    process.kill()
    process.join()
    try:
        while ours.poll():
            told = max(told, ours.recv())
    except EOFError:
        pass
    if not path.exists():
        return KilledSaving("never saved" if told == 0 else "nothing is there")
    try:
        found = _sweeps_in(path)
    except PmldaError as error:
        return KilledSaving(f"unreadable: {error}")
    if found < told:
        return KilledSaving("older than told", told - found)
    return KilledSaving("as saved" if found == told else "newer than told")


def _sweeps_in(path: Path) -> int:
    from pmlda_gui.workspace import archive, replay

    loaded = archive.load(path)
    assert loaded.checkpoint is not None
    return replay.begun_sweeps(loaded.checkpoint)


def _new_run() -> tuple[Run, Session]:
    from pmlda_gui.core.parameters import Parameters
    from pmlda_gui.imagery.scenes import make_scene
    from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
    from pmlda_gui.workspace.run import Run
    from pmlda_gui.workspace.session import ImageEntry, Session

    features, documents = FeatureChoice(("mean", "std"), window=5), DocumentChoice("grid", 9)
    prepared = prepare([make_scene("demo", SHAPE).image], features, documents)
    begun = Run(prepared, Parameters(3), seed=5, threads=1)
    begun.sweep(1)
    session = Session(
        images=(ImageEntry(scene="demo"),),
        features=features,
        documents=documents,
        parameters=begun.parameters,
        seed=5,
    )
    return begun, session


def _save_for_ever(path: Path, told: Connection) -> None:
    """Sweep and save, and tell after each saving how many sweeps are in the file."""
    from pmlda_gui.workspace import archive

    done, session = _new_run()
    if path.exists():
        # What is saved now must be later than what is there.
        done.sweep(_sweeps_in(path))
    told.send(0)
    while True:
        done.sweep(1)
        archive.save(path, session, done)
        told.send(done.sweeps)


# -- programs --------------------------------------------------------------------------------


def killed_programs(folder: Path, count: int) -> list[KilledProgram]:
    """Kill so many programs while they sample and autosave; half of them also save."""
    from pmlda_gui.imagery.scenes import make_scene

    image = folder / "seabed.npy"
    np.save(image, make_scene("demo", SHAPE).image.pixels)
    rng = np.random.default_rng(SEED)
    return [
        _kill_a_program(folder / f"program_{number}", image, number % 2 == 1, rng)
        for number in range(count)
    ]


def _kill_a_program(
    folder: Path, image: Path, saves: bool, rng: np.random.Generator
) -> KilledProgram:
    folder.mkdir()
    path = folder / "work.pmlda"
    environment = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        **{f"XDG_{kind}_HOME": str(folder / kind) for kind in ("STATE", "CONFIG")},
    }
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "benchmarks.kills_program", str(AUTOSAVE_SECONDS)),
            *(str(path) if saves else "-", str(image)),
        ],
        cwd=Path(__file__).parents[1],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    heard: list[tuple[float, str, int]] = []
    sampling = threading.Event()

    def listen() -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                what, sweeps = line.split()
                heard.append((time.monotonic(), what, int(sweeps)))
                sampling.set()

    listener = threading.Thread(target=listen)
    listener.start()
    if sampling.wait(LONGEST_SECONDS):
        time.sleep(rng.uniform(*PROGRAM_SECONDS))
    killed = time.monotonic()
    process.kill()
    process.wait()
    listener.join()
    try:
        return _left_by(folder, path, heard, killed)
    finally:
        shutil.rmtree(folder)


def _left_by(
    folder: Path, path: Path, heard: list[tuple[float, str, int]], killed: float
) -> KilledProgram:
    from pmlda_gui.workspace import recovery

    began = heard[0][0] if heard else killed
    saved = max((sweeps for _, what, sweeps in heard if what == "saved"), default=0)
    offered = [
        each for place in (folder / "STATE").glob("*/autosave") for each in recovery.found(place)
    ]
    try:
        in_file = _sweeps_in(path) if path.exists() else 0
        recovered = max((_sweeps_of(each) for each in offered), default=0)
    except PmldaError as error:
        return KilledProgram(f"unreadable: {error}")
    if in_file < saved:
        return KilledProgram("older than saved")
    if offered and recovered < in_file:
        return KilledProgram("older than the file")
    kept = max(in_file, recovered)
    # When the chain had got as far as what is left, everything after that is lost.
    reached = max((when for when, _, sweeps in heard if sweeps <= kept), default=began)
    lost = max(0.0, killed - reached)
    if kept:
        return KilledProgram("an autosave" if recovered > in_file else "the saved file", lost)
    early = killed - began < AUTOSAVE_SECONDS + GRACE_SECONDS
    return KilledProgram("too early for an autosave" if early else "nothing was left", lost)


def _sweeps_of(offered: Recoverable) -> int:
    from pmlda_gui.workspace import recovery, replay

    loaded = recovery.recover(offered)
    return 0 if loaded.checkpoint is None else replay.begun_sweeps(loaded.checkpoint)
