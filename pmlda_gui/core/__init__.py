"""The model and its samplers: numpy and numba only, no windows.

Names are imported when first used, so that a program that shows a window first
does not wait for the compiler.
"""

from __future__ import annotations

import importlib
from typing import Any

_WHERE = {
    "Chain": "chain",
    "Changes": "changes",
    "Checkpoint": "checkpoint",
    "Corpus": "corpus",
    "Estimate": "state",
    "Globals": "state",
    "Hints": "hints",
    "Info": "state",
    "Ladder": "ladder",
    "LogJoint": "densities",
    "Parameters": "parameters",
    "PmldaError": "errors",
    "State": "state",
    "TopicPrior": "prior",
    "bfc_log_density": "related_models",
    "bpm_log_density": "related_models",
    "coarse_to_fine": "ladder",
    "generate": "simulate",
    "generating_distribution": "related_models",
    "log_joint": "densities",
    "log_joint_terms": "densities",
    "quality": "fit_quality",
    "unified_log_density": "related_models",
}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value
