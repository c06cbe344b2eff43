"""How well soft maps agree with ground truth at points.

Topics have no names, so each is first given the class it goes with; then points are
counted by true and found class, and memberships are held against how often they are right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError

__all__ = ["CalibrationBin", "PointScores", "classes_of_topics", "score_points"]

BINS = 10


@dataclass(frozen=True)
class CalibrationBin:
    """Points whose found class has a membership in `low` to `high`.

    If memberships tell how sure a result is, their mean is the share that is right.
    """

    low: float
    high: float
    points: int
    mean_membership: float
    share_right: float


@dataclass(frozen=True, eq=False)
class PointScores:
    """Scores of one result.

    `overlap` (C, K) sums the memberships of the points of each class by topic and
    `class_of` (K) is the place of each topic's class; `confusion` (C, C) counts points by
    true class (rows) and found class.  `calibration_error` is the mean distance between
    membership and share right, over points; `brier` the mean squared distance of class
    memberships from the truth, summed over classes.
    """

    classes: tuple[str, ...]
    overlap: NDArray[np.float64]
    class_of: tuple[int, ...]
    confusion: NDArray[np.int64]
    accuracy: float
    kappa: float
    calibration_error: float
    brier: float
    bins: tuple[CalibrationBin, ...]

    @property
    def points(self) -> int:
        return int(self.confusion.sum())


def classes_of_topics(overlap: NDArray[np.float64]) -> tuple[int, ...]:
    """The class of each topic, by the overlap (C, K) of classes with topics.

    The assignment with the largest sum gives as many classes as it can a topic of their
    own; a topic that is left over takes the class it overlaps most.
    """
    from scipy.optimize import linear_sum_assignment

    found = overlap.argmax(axis=0)
    rows, columns = linear_sum_assignment(-overlap)
    found[columns] = rows
    return tuple(int(place) for place in found)


def score_points(memberships: NDArray[np.floating], truth: Sequence[str]) -> PointScores:
    """Scores of memberships (n, K) at points with these classes.

    Points without memberships, NaN, are left out.
    """
    known = ~np.isnan(memberships).any(axis=1)
    if not known.any():
        raise PmldaError("No point lies where the result has memberships: check their places.")
    names = tuple(sorted({name for name, kept in zip(truth, known, strict=True) if kept}))
    true = np.array([names.index(name) for name, kept in zip(truth, known, strict=True) if kept])
    values = np.asarray(memberships[known], dtype=np.float64)
    one_hot = np.eye(len(names))[true]
    overlap = one_hot.T @ values
    class_of = classes_of_topics(overlap)
    shares = values @ np.eye(len(names))[list(class_of)]
    found = shares.argmax(axis=1)
    confusion = np.zeros((len(names), len(names)), np.int64)
    np.add.at(confusion, (true, found), 1)
    bins, error = _calibration(shares.max(axis=1), found == true)
    return PointScores(
        classes=names,
        overlap=overlap,
        class_of=class_of,
        confusion=confusion,
        accuracy=float(np.mean(found == true)),
        kappa=_kappa(confusion),
        calibration_error=error,
        brier=float(np.mean(np.sum((shares - one_hot) ** 2, axis=1))),
        bins=bins,
    )


def _kappa(confusion: NDArray[np.int64]) -> float:
    """Cohen's kappa: agreement beyond chance, 1 if complete, NaN where chance is certain."""
    total = confusion.sum()
    agreed = np.trace(confusion) / total
    by_chance = float(confusion.sum(axis=0) @ confusion.sum(axis=1)) / float(total) ** 2
    return float("nan") if by_chance == 1.0 else float((agreed - by_chance) / (1.0 - by_chance))


def _calibration(
    memberships: NDArray[np.float64], right: NDArray[np.bool_]
) -> tuple[tuple[CalibrationBin, ...], float]:
    """The filled bins, and the mean over points of how far they are off."""
    places = np.minimum((memberships * BINS).astype(int), BINS - 1)
    bins = []
    for place in np.unique(places):
        inside = places == place
        bins.append(
            CalibrationBin(
                place / BINS,
                (place + 1) / BINS,
                int(inside.sum()),
                float(memberships[inside].mean()),
                float(right[inside].mean()),
            )
        )
    off = sum(each.points * abs(each.mean_membership - each.share_right) for each in bins)
    return tuple(bins), off / len(memberships)
