"""Stand-ins for `run_named`: the real methods, but for one that fails and one that never ends."""

from __future__ import annotations

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.comparison import MethodResult, run_named

REASON = "There are 2 words for 3 topics."


def fcm_fails(prepared: object, name: str, *arguments: object, **named: object) -> MethodResult:
    """Fuzzy c-means cannot be run."""
    if name == "fcm":
        raise PmldaError(REASON)
    return run_named(prepared, name, *arguments, **named)


def lda_is_endless(
    prepared: object, name: str, *arguments: object, **named: object
) -> MethodResult:
    """LDA begins again until it is stopped."""
    result = run_named(prepared, name, *arguments, **named)
    while name == "lda":
        run_named(prepared, name, *arguments, **named)
    return result
