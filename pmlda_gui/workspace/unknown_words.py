"""Where an image shows what none of the given topics explains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.topic_distances import (
    averaged_distances,
    tail_probabilities,
)
from pmlda_gui.workspace.topic_set import TopicSet

__all__ = ["unknown_of_image", "unknown_words"]


def unknown_words(
    words: NDArray[np.float32], valid: NDArray[np.bool_], given: TopicSet, deviation: float
) -> NDArray[np.float32]:
    """The tail probability (height, width) of words (p, N), those of the valid pixels.

    `deviation` is that of the average they are looked at in, in pixels.
    """
    away = averaged_distances(words, valid, given.mean_words, given.variance, deviation)
    return tail_probabilities(away, given.distances)


def unknown_of_image(
    prepared: Prepared, number: int, given: TopicSet, smoothness: float
) -> NDArray[np.float32]:
    """The tail probability of every pixel of a prepared image, NaN outside its documents."""
    inside = prepared.fields[number].labels >= 0
    words = prepared.standardised(number)[:, inside]
    return unknown_words(words, inside, given, prepared.averaging(smoothness))
