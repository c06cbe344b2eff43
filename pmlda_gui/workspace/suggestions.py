"""Suggestions from the images: how many topics, and at what scale to measure.

Both compare how far the seabeds' words stand apart with their noise, and need no chain.
They are suggestions: what an operator sees in the image may be the better guide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.features import (
    LARGEST_SCALE,
    PRESETS,
    SMALLEST_SCALE,
    USUAL_PRESET,
    compute_features,
    intensity_ranges,
    is_fine_grained,
    middle_part,
    signal_to_noise,
    words_to_noise,
)
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.choices import DocumentChoice, FeatureChoice, choices_of

if TYPE_CHECKING:
    from pmlda_gui.workspace.preparation import Prepared

__all__ = [
    "ScaleSuggestion",
    "TopicSuggestion",
    "pixels_of_each",
    "suggest_choices",
    "suggest_preset",
    "suggest_scale",
    "suggest_topics",
]

# Directions in which words vary this many times as much as their noise tell seabeds apart,
# unless they vary less than this share of the most: mixtures of kinds that are far apart do
# not lie quite on a line, and its bend is no kind of its own.
_STANDS_OUT = 5.0
_LEAST_SHARE = 0.15
_FEWEST_TOPICS, _USUAL_TOPICS = 2, 3
# Images of fewer windows than these from side to side are narrow: hardly two are independent.
_WINDOWS_ACROSS = 4
# What is tried: half, the same and double.
_FACTORS = (0.5, 1.0, 2.0)
# Words farther apart differ by more than noise, since the seabed changes: what a scale is
# credited for each doubling, in logarithms of the variances' ratio to the noise.
_PER_DOUBLING = 0.5
# By how much another scale must be better; less is chance.
_MARGIN = 0.65
# Of more pixels than these, those in the middle are looked at.
_MOST_PIXELS = 1 << 20


def suggest_preset(
    images: Sequence[Image], progress: Progress = UNWATCHED
) -> tuple[FeatureChoice, DocumentChoice]:
    """The features and documents that fit the texture of these images, at the usual scale.

    Those for fine texture only where images are narrow: elsewhere the usual ones measure waves
    of 3 pixels as well, and their wider windows leave less noise.
    """
    narrow = all(min(image.shape) < _WINDOWS_ACROSS * USUAL_PRESET.window for image in images)
    fine = narrow and is_fine_grained(images, progress)
    return choices_of(PRESETS["seabed-fine"] if fine else USUAL_PRESET)


def suggest_choices(
    images: Sequence[Image], progress: Progress = UNWATCHED
) -> tuple[FeatureChoice, DocumentChoice]:
    """Suggested features, their scale and documents for these images."""
    features, documents = suggest_preset(images, progress)
    scale = suggest_scale(images, features, _USUAL_TOPICS, progress=progress).scale
    return replace(features, scale=scale), documents


@dataclass(frozen=True)
class TopicSuggestion:
    """How many topics the words suggest, and why.

    `eigenvalues` are the words' variances along their principal axes in units of the
    noise, largest first; `directions` is how many of them stand out.
    """

    topics: int
    eigenvalues: tuple[float, ...]
    reason: str
    directions: int = 0


def suggest_topics(prepared: Prepared) -> TopicSuggestion:
    """One topic more than there are directions in which words stand out of their noise.

    That many directions are what so many kinds of seabed and their mixtures span.
    """
    found = _ratios(prepared)
    least = max(_STANDS_OUT, _LEAST_SHARE * max(found, default=0.0))
    directions = sum(value > least for value in found)
    topics = max(_FEWEST_TOPICS, directions + 1)
    ways = "one way" if directions == 1 else f"{directions} ways"
    if directions:
        reason = (
            f"{topics} topics: the features vary clearly more than their noise in {ways}, and each "
            "way tells one more kind of seabed apart; one topic more or less may suit as well."
        )
    else:
        reason = (
            f"{topics} topics, the fewest there can be: no feature varies clearly more than its "
            "noise, so this may be a single kind of seabed."
        )
    return TopicSuggestion(topics, found, reason, directions)


def _ratios(prepared: Prepared) -> tuple[float, ...]:
    """The words' variances in units of the noise, which words a window apart tell if they can."""
    choice = prepared.feature_choice
    if choice.noise_window is None:
        values = [each.values for each in prepared.features]
        found = words_to_noise(
            values, [image.valid for image in prepared.images], choice.scaled_window
        )
        if found:
            return found
    return signal_to_noise(prepared.measured_words, prepared.standardisation.noise)


@dataclass(frozen=True)
class ScaleSuggestion:
    """At what scale features tell the seabeds apart best, and why.

    `scores` has a number for each scale that was tried, larger where seabeds stand out
    more; the scale that was given is kept unless another is clearly better.
    """

    scale: float
    scores: Mapping[float, float]
    reason: str


def pixels_of_each(images: int) -> int:
    """How many pixels in the middle of each of so many images a scale is suggested by."""
    return max(1, _MOST_PIXELS // max(1, images))


def suggest_scale(
    images: Sequence[Image],
    choice: FeatureChoice,
    topics: int,
    progress: Progress = UNWATCHED,
) -> ScaleSuggestion:
    """Measure at half, the same and double scale, and compare how seabeds stand out.

    So many `topics` span one direction less; the mean logarithm of the variances in these,
    in units of the noise, is what counts.
    """
    if choice.noise_window is None:
        # Their lengths were chosen with the whitening they have, some for fine texture.
        reason = "these features are meant for the lengths they have."
        return ScaleSuggestion(choice.scale, {}, f"Scale {choice.scale:g}, as before: {reason}")
    each = pixels_of_each(len(images))
    parts = [part for part in (middle_part(image, each) for image in images) if part.valid.any()]
    scores: dict[float, float] = {}
    progress = progress.named("Looking for a scale", "; the old one is still in use")
    for number, factor in enumerate(_FACTORS):
        progress.check()
        scale = choice.scale * factor
        if parts and SMALLEST_SCALE <= scale <= LARGEST_SCALE:
            score = _score(parts, replace(choice, scale=scale), topics)
            if score is not None:
                scores[scale] = score + _PER_DOUBLING * math.log2(factor)
        progress.report((number + 1) / len(_FACTORS))
    same = choice.scale
    if same not in scores:
        return ScaleSuggestion(
            same,
            scores,
            f"Scale {same:g}, as before: the images are too small or too even to compare scales.",
        )
    best = max(scores, key=lambda scale: scores[scale])
    if scores[best] <= scores[same] + _MARGIN:
        return ScaleSuggestion(
            same,
            scores,
            f"Scale {same:g}, as before: at half and double the scale the kinds of seabed do not "
            "stand out of the noise clearly better.",
        )
    return ScaleSuggestion(
        best,
        scores,
        f"Scale {best:g}: the kinds of seabed stand out of the noise more clearly in windows of "
        f"{replace(choice, scale=best).scaled_window} pixels than in windows of "
        f"{choice.scaled_window}.",
    )


def _score(parts: Sequence[Image], choice: FeatureChoice, topics: int) -> float | None:
    """The mean logarithm of how seabeds stand out of the noise; None where there is no telling."""
    levels = intensity_ranges(parts)
    values = [
        compute_features(
            part, choice.names, window=choice.window, levels=levels, scale=choice.scale
        ).values
        for part in parts
    ]
    valid = [part.valid for part in parts]
    found = words_to_noise(values, valid, choice.scaled_window)[: topics - 1]
    return float(np.log(np.maximum(found, 1.0)).mean()) if found else None
