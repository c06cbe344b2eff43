"""How well two segmentations agree: soft maps by error, crisp ones by the usual indices.

Topics have no order of their own, so they are matched first by the overlap of
their memberships.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "adjusted_rand_index",
    "match_maps",
    "mean_intersection_over_union",
    "membership_error",
    "normalised_mutual_information",
    "topic_correlations",
    "transition_zone",
]

Maps = NDArray[np.floating]
Labels = NDArray[np.integer]

# A pixel lies in a transition where no topic has more than this share of it.
_PURE = 0.9


def match_maps(reference: Maps, maps: Maps) -> NDArray[np.int64]:
    """The topic of `maps` (K, height, width) that goes with each of `reference` (J, ...).

    The assignment with the largest overlap sum min(z, z') over all pixels valid in
    both; -1 where `maps` has fewer topics.
    """
    from scipy.optimize import linear_sum_assignment

    valid = ~(np.isnan(reference[0]) | np.isnan(maps[0]))
    first, second = reference[:, valid], maps[:, valid]
    overlap = np.array([[np.minimum(a, b).sum() for b in second] for a in first])
    rows, columns = linear_sum_assignment(-overlap)
    partner = np.full(len(reference), -1, np.int64)
    partner[rows] = columns
    return partner


def transition_zone(truth: Maps) -> NDArray[np.bool_]:
    """The valid pixels (height, width) of soft truth (K, height, width) that are not pure."""
    with np.errstate(invalid="ignore"):
        zone: NDArray[np.bool_] = truth.max(axis=0) <= _PURE
    return zone & ~np.isnan(truth[0])


def membership_error(truth: Maps, maps: Maps, where: NDArray[np.bool_] | None = None) -> float:
    """Root mean squared difference of matched memberships, over topics and pixels.

    `where` (height, width) restricts it; NaN if no pixel is left.
    """
    partner = match_maps(truth, maps)
    valid = ~(np.isnan(truth[0]) | np.isnan(maps[0]))
    valid = valid if where is None else valid & where
    if not valid.any():
        return float("nan")
    squares = [
        np.mean((truth[k][valid] - (maps[j][valid] if j >= 0 else 0.0)) ** 2)
        for k, j in enumerate(partner)
    ]
    return float(np.sqrt(np.mean(squares)))


def topic_correlations(
    truth: Maps, maps: Maps, where: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Pearson's correlation of each true topic (J) with the topic matched to it.

    `where` (height, width) restricts it; NaN where there is no match or a map is constant.
    """
    valid = ~(np.isnan(truth[0]) | np.isnan(maps[0]))
    valid = valid if where is None else valid & where
    found = np.full(len(truth), np.nan)
    for k, j in enumerate(match_maps(truth, maps)):
        if j < 0 or not valid.any():
            continue
        pair = np.stack([truth[k][valid], maps[j][valid]]).astype(np.float64)
        if np.ptp(pair, axis=1).min() > 0.0:
            found[k] = np.asarray(np.corrcoef(pair))[0, 1]
    return found


def _contingency(first: Labels, second: Labels) -> NDArray[np.float64]:
    valid = (first >= 0) & (second >= 0)
    _, a = np.unique(first[valid], return_inverse=True)
    _, b = np.unique(second[valid], return_inverse=True)
    table = np.zeros((a.max(initial=-1) + 1, b.max(initial=-1) + 1))
    np.add.at(table, (a, b), 1.0)
    return table


def adjusted_rand_index(first: Labels, second: Labels) -> float:
    """Agreement of two labellings of the same pixels, 1 if equal, about 0 by chance.

    Negative labels are left out.
    """
    table = _contingency(first, second)

    def pairs(counts: NDArray[np.float64]) -> float:
        return float(np.sum(counts * (counts - 1.0)) / 2.0)

    together, rows, columns = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    total = pairs(np.array([table.sum()]))
    if total == 0.0:
        return 1.0
    expected = rows * columns / total
    most = 0.5 * (rows + columns)
    return 1.0 if most == expected else (together - expected) / (most - expected)


def normalised_mutual_information(first: Labels, second: Labels) -> float:
    """Mutual information of two labellings over the mean of their entropies."""
    table = _contingency(first, second)
    joint = table / max(table.sum(), 1.0)

    def entropy(shares: NDArray[np.float64]) -> float:
        positive = shares[shares > 0.0]
        return float(-np.sum(positive * np.log(positive)))

    rows, columns = entropy(joint.sum(axis=1)), entropy(joint.sum(axis=0))
    if rows + columns == 0.0:
        return 1.0
    return max(0.0, rows + columns - entropy(joint.ravel())) / (0.5 * (rows + columns))


def mean_intersection_over_union(truth: Labels, labels: Labels) -> float:
    """Mean over the true classes of intersection over union with the label matched to each."""
    from scipy.optimize import linear_sum_assignment

    table = _contingency(truth, labels)
    union = table.sum(axis=1)[:, None] + table.sum(axis=0)[None] - table
    ratios = table / np.maximum(union, 1.0)
    rows, columns = linear_sum_assignment(-ratios)
    return float(ratios[rows, columns].sum() / max(len(ratios), 1))
