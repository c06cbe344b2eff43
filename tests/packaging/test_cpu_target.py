"""Kernels compiled in advance suit many processors; the others are noticed."""

from __future__ import annotations

import re
from pathlib import Path

import numba
import pytest

from pmlda_gui.core import cpu_target
from pmlda_gui.core.cpu_target import aim_at_portable_processor, portable_processor

PACKAGE = Path(cpu_target.__file__).parents[1]
HASWELL = dict.fromkeys(("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"), True)


@pytest.mark.parametrize("machine", ["x86_64", "AMD64"])
def test_a_processor_with_all_features_gets_the_portable_kernels(machine: str) -> None:
    assert portable_processor(machine, "linux", HASWELL) == "x86-64-v3"
    assert portable_processor(machine, "win32", {**HASWELL, "avx512f": True}) == "x86-64-v3"


@pytest.mark.parametrize("lacking", sorted(HASWELL))
def test_an_older_one_compiles_for_itself(lacking: str) -> None:
    assert portable_processor("x86_64", "linux", {**HASWELL, lacking: False}) is None
    without = {name: there for name, there in HASWELL.items() if name != lacking}
    assert portable_processor("x86_64", "linux", without) is None


def test_an_unknown_one_compiles_for_itself() -> None:
    assert portable_processor("x86_64", "linux", None) is None
    assert portable_processor("aarch64", "linux", {"neon": True}) is None
    assert portable_processor("arm64", "darwin", None) == "apple-m1"


def test_numba_is_told_only_where_the_portable_kernels_can_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(numba.config, "CPU_NAME", None)
    monkeypatch.setattr(numba.config, "CPU_FEATURES", None)
    monkeypatch.setattr(cpu_target.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(cpu_target, "_host_features", lambda: {})
    aim_at_portable_processor()
    assert (numba.config.CPU_NAME, numba.config.CPU_FEATURES) == (None, None)
    monkeypatch.setattr(cpu_target, "_host_features", lambda: HASWELL)
    aim_at_portable_processor()
    assert (numba.config.CPU_NAME, numba.config.CPU_FEATURES) == ("x86-64-v3", "")


def test_every_cached_kernel_is_ours_to_find_again() -> None:
    """numba's own njit would cache beside the sources, which a built program has not got."""
    own = re.compile(r"numba\.njit\([^)]*cache=True|from numba import .*njit")
    offenders = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if own.search(path.read_text(encoding="utf-8"))
    ]
    assert offenders == ["core/kernel_compiler.py"]
