"""Scores of two results: matches their topics and measures their agreement.

Topics have no order of their own, so before anything is shown or counted they are
matched by the overlap of their memberships over all images together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.metrics import (
    adjusted_rand_index,
    match_maps,
    mean_intersection_over_union,
    membership_error,
    normalised_mutual_information,
    topic_correlations,
    transition_zone,
)
from pmlda_gui.imagery.segmentation import Segmentation

__all__ = ["Scores", "Truth", "aligned", "matching_order", "score"]

Maps = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Truth:
    """What is known of an image: `memberships` (K, height, width), NaN where nothing is.

    `crisp` says that they come from labels, so that there are no transitions.
    """

    memberships: NDArray[np.float32]
    crisp: bool = False

    @classmethod
    def from_labels(cls, labels: NDArray[np.integer]) -> Truth:
        """Each value of a label map (height, width) is a class."""
        classes = np.unique(labels)
        maps = (labels[None] == classes[:, None, None]).astype(np.float32)
        return cls(maps, crisp=True)

    @property
    def labels(self) -> NDArray[np.int32]:
        """The class with the largest membership, (height, width), -1 where nothing is known."""
        known = ~np.isnan(self.memberships[0]) & (self.memberships.sum(axis=0) > 0.0)
        best = np.nan_to_num(self.memberships).argmax(axis=0)
        return np.where(known, best, -1).astype(np.int32)


@dataclass(frozen=True)
class Scores:
    """How near a segmentation comes to the truth.

    `error` is the root mean squared difference of memberships and `correlations` has one
    number for each true topic; both overall and within transition zones, NaN where
    there are none.  The indices are those of the crisp labels.
    """

    error: float
    error_in_transitions: float
    correlations: tuple[float, ...]
    correlations_in_transitions: tuple[float, ...]
    rand_index: float
    mutual_information: float
    intersection_over_union: float


def score(truth: Truth, segmentation: Segmentation) -> Scores:
    """Compare the maps and labels of an image with its truth."""
    maps, known = segmentation.memberships, truth.memberships
    zone = np.zeros(known.shape[1:], np.bool_) if truth.crisp else transition_zone(known)
    labels = np.where(truth.labels >= 0, segmentation.labels, -1)
    return Scores(
        error=membership_error(known, maps),
        error_in_transitions=membership_error(known, maps, zone),
        correlations=tuple(topic_correlations(known, maps).tolist()),
        correlations_in_transitions=tuple(topic_correlations(known, maps, zone).tolist()),
        rand_index=adjusted_rand_index(truth.labels, labels),
        mutual_information=normalised_mutual_information(truth.labels, labels),
        intersection_over_union=mean_intersection_over_union(truth.labels, labels),
    )


def matching_order(maps: Sequence[Maps], reference: Sequence[Maps]) -> list[int]:
    """The topics of `maps`, one stack for each image, in the order of the `reference`.

    One order is found for all images; topics that match none come last.
    """

    def together(each: Sequence[Maps]) -> Maps:
        return np.concatenate([stack.reshape(len(stack), 1, -1) for stack in each], axis=2)

    partners = [int(row) for row in match_maps(together(reference), together(maps)) if row >= 0]
    return partners + [row for row in range(len(maps[0])) if row not in partners]


def aligned(segmentations: Sequence[Segmentation], reference: Sequence[Maps]) -> list[Segmentation]:
    """Segmentations of some images with topics in the order of the `reference` maps."""
    order = matching_order([each.memberships for each in segmentations], reference)
    return [each.reordered(order) for each in segmentations]
