"""Damaged files of every kind and damaged workspaces: each opens or is refused in a sentence.

The files are tried in child processes, so that a crash is seen and the next case goes
on.  Seeds are fixed: kind and number of a case make it again.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.fuzz_trials import KINDS, READ_APART, WORKSPACES, make_sound_files
from benchmarks.tables import show

__all__ = ["Outcomes", "run", "tried", "tried_kind"]

CASES = 20_000
# A workspace is resumed and swept, which takes as long as many images do.
WORKSPACE_SHARE = 0.25
# Longer than any small file takes, on any machine.
LONGEST_SECONDS = 60.0
CHILD = ["-m", "benchmarks.fuzz_trials"]


@dataclass
class Outcomes:
    """How the cases of one kind ended; `faults` tells of those that should not have."""

    kind: str
    opened: int = 0
    refused: int = 0
    other: int = 0
    crashed: int = 0
    faults: list[str] = field(default_factory=list)


def run(quick: bool) -> None:
    """Try 20,000 files, or a tenth, and print how they ended; exit code 1 if any was unexpected."""
    found = tried(CASES // 10 if quick else CASES)
    total = Outcomes("all", *(sum(getattr(each, name) for each in found) for name in _COUNTS))
    rows = [[each.kind, *(getattr(each, name) for name in _COUNTS)] for each in (*found, total)]
    show("Damaged files", ["kind", "opened", "refused", "other exception", "crash"], rows)
    for each in found:
        for fault, times in Counter(each.faults).most_common(20):
            print(f"{each.kind}: {fault} ({times} times)")
    if total.other or total.crashed:
        raise SystemExit(1)


_COUNTS = ("opened", "refused", "other", "crashed")


def tried(cases: int, folder: Path | None = None) -> list[Outcomes]:
    """Try so many cases over all kinds."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="pmlda-fuzz-") as made:
            return tried(cases, Path(made))
    make_sound_files(folder)
    workspaces = int(cases * WORKSPACE_SHARE) // len(WORKSPACES)
    images = (cases - workspaces * len(WORKSPACES)) // (len(KINDS) - len(WORKSPACES))
    return [
        tried_kind(folder, kind, workspaces if kind in WORKSPACES else images) for kind in KINDS
    ]


def tried_kind(folder: Path, kind: str, cases: int) -> Outcomes:
    """Try so many cases of one kind, whose sound file is in the folder."""
    outcomes, case = Outcomes(kind), 0
    while case < cases:
        for number, told in _child(folder, kind, case, cases):
            case, outcome = number + 1, told
            if kind in READ_APART and told.startswith("crash"):
                # The program reads these in a process that may die, which takes longer.
                ((_, outcome),) = _child(folder, kind, number, case, "apart")
            if outcome == "opened":
                outcomes.opened += 1
            elif outcome == "refused":
                outcomes.refused += 1
            elif outcome.startswith("crash"):
                outcomes.crashed += 1
            else:
                outcomes.other += 1
            if outcome not in ("opened", "refused"):
                outcomes.faults.append(f"case {number}: {outcome}")
    return outcomes


def _child(
    folder: Path, kind: str, first: int, end: int, how: str = "here"
) -> Iterator[tuple[int, str]]:
    """Numbers and outcomes of the cases one process tries, up to a crash or the end.

    It reads `here`, by itself, or all that the program reads `apart` as the program does.
    """
    command = [sys.executable, *CHILD, folder, kind, first, end, how]
    root = Path(__file__).parents[1]
    with subprocess.Popen(
        list(map(str, command)),
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        said: list[str] = []
        listener = threading.Thread(target=lambda: said.extend(child.stderr or ()), daemon=True)
        listener.start()
        number = first
        while line := _line_of(child):
            number = int(line)
            outcome = _line_of(child)
            if not outcome:
                break
            yield number, outcome.strip()
            number += 1
        code = child.wait()
    listener.join(5)
    if code or number < end:
        why = f"ended with {code}" + (f", {said[-1].strip()}" if said else "")
        yield number, f"crash: {why}"


def _line_of(child: subprocess.Popen[str]) -> str:
    """The next line of a child; empty at its end, or if it says nothing for too long."""
    assert child.stdout is not None
    too_long = threading.Timer(LONGEST_SECONDS, child.kill)
    too_long.start()
    try:
        return child.stdout.readline()
    finally:
        too_long.cancel()
