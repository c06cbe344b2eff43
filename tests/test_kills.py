"""A few savings and a program killed, of those in `python -m benchmarks kills`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import kills

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are killed as Unix does")


def test_a_killed_saving_leaves_what_was_saved_or_something_newer(tmp_path: Path) -> None:
    states = [each.state for each in kills.killed_savings(tmp_path, 5)]
    assert set(states) <= {"as saved", "newer than told", "never saved"}, states
    assert states[-1] != "never saved"


def test_a_killed_program_leaves_its_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kills, "AUTOSAVE_SECONDS", 0.3)
    monkeypatch.setattr(kills, "PROGRAM_SECONDS", (4.0, 4.5))
    (left,) = kills.killed_programs(tmp_path, 1)
    assert left.state == "an autosave"


def test_what_is_missing_or_older_than_told_is_a_fault() -> None:
    assert all(map(kills.is_fault, ("unreadable: torn", "older than the file", "nothing was left")))
    assert not any(map(kills.is_fault, ("as saved", "newer than told", "an autosave")))
