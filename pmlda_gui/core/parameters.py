"""The parameters of the model: frozen values, checked when they are created."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError

__all__ = [
    "COUPLING_RANGE",
    "FUZZIFIER_RANGE",
    "MOST_TOPICS",
    "SCALING_RANGE",
    "SMOOTHNESS_RANGE",
    "Parameters",
]

MOST_TOPICS = 64
SCALING_RANGE = (1e-3, 1e8)
FUZZIFIER_RANGE = (-5.0, 20.0)
SMOOTHNESS_RANGE = (0.0, 5.0)
COUPLING_RANGE = (0.0, 100.0)
_POSITIVE = (1e-6, 1e6)
# The smallest proportion that may be fixed: exact zeros would forbid a topic.
_LEAST_PROPORTION = 1e-9


@dataclass(frozen=True)
class Parameters:
    """What the operator sets; the paper's symbols in brackets.

    `topics` [K]; `alpha` [alpha], one number for all topics or one per topic;
    `rate` [lambda] of the exponential prior of the scaling; `scaling` [s] and
    `proportions` [pi]: None is learned per document, a value is fixed for all;
    `fuzzifier` [m].

    `smoothness` [h] is how far documents act beyond their borders, the width of a
    Gaussian in units of the features' window; `coupling` [tau] is how strongly
    documents that touch are drawn together.  With both 0 the model is the paper's.

    `held` are the numbers of topics whose means stay as they are; the variance stays where
    all topics are held.
    """

    topics: int
    alpha: float | tuple[float, ...] = 1.0
    rate: float = 0.5
    scaling: float | None = None
    fuzzifier: float = 1.0
    proportions: tuple[float, ...] | None = None
    smoothness: float = 0.0
    coupling: float = 0.0
    held: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        whole = _number("topics", self.topics)
        if whole != int(whole) or not 2 <= whole <= MOST_TOPICS:
            raise PmldaError(
                f"topics is {self.topics}, but must be a whole number from 2 to {MOST_TOPICS}."
            )
        set_field = object.__setattr__
        set_field(self, "topics", int(whole))
        if _is_list(self.alpha):
            values = tuple(_within("alpha", value, _POSITIVE) for value in self.alpha)  # type: ignore[union-attr]
            if len(values) != self.topics:
                raise PmldaError(
                    f"alpha has {len(values)} values, but there are {self.topics} topics: "
                    "give one number, or one per topic."
                )
            set_field(self, "alpha", values)
        else:
            set_field(self, "alpha", _within("alpha", self.alpha, _POSITIVE))
        set_field(self, "rate", _within("rate", self.rate, _POSITIVE))
        set_field(self, "fuzzifier", _within("fuzzifier", self.fuzzifier, FUZZIFIER_RANGE))
        set_field(self, "smoothness", _within("smoothness", self.smoothness, SMOOTHNESS_RANGE))
        set_field(self, "coupling", _within("coupling", self.coupling, COUPLING_RANGE))
        set_field(self, "held", _topic_numbers(self.held))
        if self.scaling is not None:
            set_field(self, "scaling", _within("scaling", self.scaling, SCALING_RANGE))
        if self.proportions is not None:
            set_field(self, "proportions", _shares(self.proportions, self.topics))

    @property
    def hard_documents(self) -> bool:
        """Whether documents act on their own words alone and know nothing of their neighbours."""
        return self.smoothness == 0.0 and self.coupling == 0.0

    @cached_property
    def alpha_vector(self) -> NDArray[np.float64]:
        """alpha, one number per topic; every sweep asks several times, so it is kept."""
        return np.broadcast_to(np.asarray(self.alpha, dtype=np.float64), (self.topics,)).copy()


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence | np.ndarray) and np.ndim(value) == 1


def _number(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise PmldaError(f"{name} is {value!r}, but must be a number.") from None
    if not math.isfinite(number):
        raise PmldaError(f"{name} is {number}, but must be a finite number.")
    return number


def _within(name: str, value: object, limits: tuple[float, float]) -> float:
    number = _number(name, value)
    low, high = limits
    if not low <= number <= high:
        raise PmldaError(f"{name} is {number:g}, but must lie between {low:g} and {high:g}.")
    return number


def _topic_numbers(values: Sequence[int]) -> tuple[int, ...]:
    """Numbers of topics in order, each once."""
    whole = [isinstance(value, int | np.integer) and value >= 0 for value in values]
    if not all(whole):
        raise PmldaError(f"held is {values!r}, but must be numbers of topics, from 0 on.")
    return tuple(sorted({int(value) for value in values}))


def _shares(values: Sequence[float], topics: int) -> tuple[float, ...]:
    if not _is_list(values):
        raise PmldaError(
            f"proportions is {values!r}, but must be a list of numbers, one per topic."
        )
    shares = tuple(_number("proportions", value) for value in values)
    if len(shares) != topics:
        raise PmldaError(
            f"proportions has {len(shares)} values, but there are {topics} topics: "
            "give one per topic."
        )
    if min(shares) < 0.0 or abs(sum(shares) - 1.0) > 1e-6:
        listed = ", ".join(f"{share:g}" for share in shares)
        raise PmldaError(
            f"proportions is ({listed}), but must be numbers from 0 to 1 that sum to 1."
        )
    # What was raised and divided once is left alone the next time, and so is what sums to 1
    # but for rounding: a value that is read back is the same value.
    raised = tuple(
        share if share >= 0.5 * _LEAST_PROPORTION else _LEAST_PROPORTION for share in shares
    )
    if abs(sum(raised) - 1.0) <= 1e-15 * topics:
        return raised
    return tuple(share / sum(raised) for share in raised)
