"""The processor that kernels are compiled for.

A built program carries its kernels compiled in advance.  They must suit the machines of
all operators, so they are compiled for a processor that many others can stand in for.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping

import numba
from llvmlite import binding

__all__ = ["aim_at_portable_processor", "portable_processor"]

# What x86-64-v3 has beyond v2; Intel sells it since 2013, AMD since 2015.
_V3_FEATURES = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")


def portable_processor(
    machine: str, system: str, host_features: Mapping[str, bool] | None
) -> str | None:
    """LLVM's name for a processor this one can stand in for; None if it is older or unknown."""
    if machine.lower() in ("x86_64", "amd64"):
        known = host_features or {}
        return "x86-64-v3" if all(known.get(each, False) for each in _V3_FEATURES) else None
    return "apple-m1" if (machine, system) == ("arm64", "darwin") else None


def aim_at_portable_processor() -> None:
    """Have numba compile for the portable processor; an older one gets kernels of its own."""
    name = portable_processor(platform.machine(), sys.platform, _host_features())
    if name is not None:
        numba.config.CPU_NAME = name
        # Those that the name implies; the host's would make the code unfit for others.
        numba.config.CPU_FEATURES = ""


def _host_features() -> Mapping[str, bool] | None:
    try:
        features: Mapping[str, bool] = binding.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know this processor
        return None
    return features
