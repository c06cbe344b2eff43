"""Two thousand damaged files and workspaces, a tenth of `python -m benchmarks fuzz`.

The same seeds as there: a case that fails is made again by its kind and number.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import fuzz, fuzz_trials

CASES = fuzz.CASES // 10


def test_damaged_files_open_or_are_refused_in_a_sentence_and_nothing_crashes(tmp_path: Path):
    found = fuzz.tried(CASES, tmp_path)
    faults = [f"{each.kind}, {fault}" for each in found for fault in each.faults]
    assert not faults, "\n".join(faults)
    counted = sum(each.opened + each.refused for each in found)
    assert CASES - len(fuzz_trials.KINDS) < counted <= CASES
    opened = sum(each.opened for each in found)
    assert 0.1 < opened / counted < 0.9, "the damage is neither harmless nor always fatal"
    for each in found:
        # A Humminbird recording has no header of its own that could be damaged.
        assert each.refused > 0 or each.kind == "son", each.kind


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("os.abort()", "crash"),
        ("time.sleep(60)", "crash"),
        ("raise KeyError('of somebody else')", "KeyError"),
        ("raise PmldaError('two\\nlines')", "no sentence"),
    ],
)
def test_a_crash_a_hang_and_a_foreign_error_are_seen_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, said: str
):
    """A child whose second case ends badly."""
    child = tmp_path / "child.py"
    child.write_text(
        "import os, sys, time\n"
        "from benchmarks import fuzz_trials\n"
        "from pmlda_gui.core.errors import PmldaError\n"
        "def use(path, case):\n"
        f"    if case == 1:\n        {ending}\n"
        "fuzz_trials._use_image = use\n"
        "fuzz_trials.main(sys.argv[1:])\n"
    )
    (tmp_path / "sound.npy").write_bytes(b"anything")
    monkeypatch.setattr(fuzz, "CHILD", [str(child)])
    monkeypatch.setattr(fuzz, "LONGEST_SECONDS", 3.0)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    outcomes = fuzz.tried_kind(tmp_path, "npy", 3)
    assert outcomes.opened == 2
    (fault,) = outcomes.faults
    assert fault.startswith(f"case 1: {said}")
