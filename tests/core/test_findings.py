"""What is said about topics nobody needs, topics that are alike, and words nothing explains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmlda_gui.core import Corpus, Parameters, State, generate
from pmlda_gui.core.findings import look_at

MEANS = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])


def drawn() -> tuple[Corpus, State]:
    return generate(Parameters(3, rate=0.5), MEANS, 0.2, [40] * 12, seed=3)


def test_a_sample_of_distinct_topics_gives_nothing_to_say() -> None:
    corpus, state = drawn()
    assert look_at(corpus, state, 1.0) == ((), (), ())


def test_a_topic_without_words_is_nearly_empty() -> None:
    corpus, state = drawn()
    logs = state.log_memberships.copy()
    logs[:, 2] -= 12.0
    logs -= np.logaddexp.reduce(logs, axis=1)[:, None]
    assert look_at(corpus, replace(state, log_memberships=logs), 1.0).empty == (2,)


def test_means_within_the_noise_of_each_other_are_alike() -> None:
    corpus, state = drawn()
    means = state.means.copy()
    means[2] = means[0] + 0.2
    assert look_at(corpus, replace(state, means=means), 1.0).alike == ((0, 2),)


def test_a_document_far_from_every_mixture_is_not_explained() -> None:
    corpus, state = drawn()
    words = corpus.words.copy()
    words[corpus.offsets[4] : corpus.offsets[5]] += 3.0
    moved = Corpus(words, corpus.offsets)
    assert look_at(moved, state, 1.0).unexplained == (4,)
