"""Names that go away: they work for one more minor version and say what to use instead."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["deprecated", "warn_deprecated"]

P = ParamSpec("P")
R = TypeVar("R")


def warn_deprecated(what: str, instead: str, removed_in: str, depth: int = 1) -> None:
    """Warn the code `depth` calls above the caller that it uses what goes away."""
    warnings.warn(
        f"{what} is deprecated and will be removed in pmlda_gui {removed_in}: use {instead}.",
        DeprecationWarning,
        stacklevel=2 + depth,
    )


def deprecated(instead: str, removed_in: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a public function that goes away; calling it warns and works as before."""

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> R:
            warn_deprecated(f"pmlda_gui.{function.__name__}", instead, removed_in)
            return function(*arguments, **named)

        return call

    return mark
