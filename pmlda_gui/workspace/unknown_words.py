"""Where an image shows what none of the given topics explains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.segmentation import UNKNOWN_BELOW
from pmlda_gui.workspace.export import Result
from pmlda_gui.workspace.given_topics import notes_on_sizes
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.topic_distances import (
    averaged_distances,
    tail_probabilities,
)
from pmlda_gui.workspace.topic_set import TopicSet

__all__ = ["about_given", "unknown_of_image", "unknown_words"]


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


def about_given(result: Result, given: TopicSet) -> list[str]:
    """What is to be said about topics that were found elsewhere."""
    said = []
    for each in result.images:
        share = each.segmentation.unknown_fraction or 0.0
        said.append(
            f"{each.image.name}: {share:.1%} of the area is unknown, farther from every mixture of "
            f"the topics than all but {UNKNOWN_BELOW:.0%} of where they were found."
        )
        said += notes_on_sizes([each.image], given)
    return said
