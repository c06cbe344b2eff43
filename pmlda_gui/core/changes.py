"""Changes that a running chain takes up, and the sample it continues from."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.field import influence_of
from pmlda_gui.core.hints import Hints
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.state import Globals
from pmlda_gui.core.target import Target
from pmlda_gui.core.topic_numbers import TopicNumbers
from pmlda_gui.core.warm_changes import (
    add_topics,
    least_used,
    move_to_corpus,
    remove_topic,
    same_features,
    softened,
    turned_means,
)

__all__ = [
    "NO_CHANGES",
    "Changes",
    "Sample",
    "differences",
    "held_fixed",
    "with_corpus",
    "with_parameters",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Changes:
    """What is new from the next sweep on; None stays as it is.

    A `corpus` has other documents or features of the same things, and `prior` is the prior
    of the topics in its features: by default the old one if the features are the same.
    `hints` are all hints on words from now on, in place of those before.
    """

    parameters: Parameters | None = None
    corpus: Corpus | None = None
    prior: TopicPrior | None = None
    hints: Hints | None = None


NO_CHANGES = Changes()


@dataclass(frozen=True, eq=False)
class Sample:
    """A sample to go on from: topics and documents, ln z (K, N), and the topics' numbers.

    `refit` says that the memberships have to find their places under the new target.
    """

    globals: Globals
    logs: Array
    topics: TopicNumbers
    refit: bool = True


def held_fixed(current: Globals, parameters: Parameters) -> Globals:
    """The same with proportions and scaling as far as the operator has fixed them.

    Arrays keep their layout in memory, and with it the order in which they are summed.
    """
    proportions, scaling = current.proportions, current.scaling
    if parameters.proportions is not None:
        proportions = np.empty_like(proportions)
        proportions[:] = parameters.proportions
    if parameters.scaling is not None:
        scaling = np.full_like(scaling, parameters.scaling)
    return replace(current, proportions=proportions, scaling=scaling)


def with_corpus(
    target: Target, sample: Sample, corpus: Corpus, prior: TopicPrior | None
) -> tuple[Target, Sample]:
    """The target and sample on other documents or features of the same sources."""
    influence = influence_of(corpus, target.parameters)
    old = target.corpus
    if prior is None:
        kept = corpus.cores is old.cores and same_features(old, corpus)
        prior = target.prior if kept else TopicPrior.from_corpus(corpus)
    moved, logs = move_to_corpus(
        old, corpus, sample.globals, sample.logs, target.parameters.fuzzifier, prior
    )
    prior = prior.matched_to(corpus.cores, moved.means, sample.topics.ids)
    held = np.isin(sample.topics.ids, target.parameters.held)
    if held.any() and not same_features(old, corpus):
        moved.means[held] = turned_means(old, corpus, sample.globals.means[held], moved.means[held])
    if corpus.cores is not old.cores:
        means = _at_painted(corpus, moved.means, prior, sample.topics, held)
        moved = replace(moved, means=means)
    return (
        replace(target, corpus=corpus, prior=prior, influence=influence),
        Sample(held_fixed(moved, target.parameters), logs, sample.topics),
    )


def _at_painted(
    corpus: Corpus,
    means: Array,
    prior: TopicPrior,
    topics: TopicNumbers,
    held: NDArray[np.bool_],
) -> Array:
    """The means (K, p), but topics with a painted core begin there, unless they are held."""
    numbers = () if corpus.cores is None else corpus.cores.numbers
    if not numbers or prior.centre.shape != means.shape:
        return means
    painted = (np.isin(topics.ids, numbers) & ~held)[:, None]
    return np.where(painted, np.clip(prior.centre, prior.low, prior.high), means)


def with_parameters(
    target: Target, sample: Sample, average: Array, parameters: Parameters
) -> tuple[Target, Sample]:
    """The target and sample under other parameters.

    `average` (K, N) are the mean memberships: where there are to be fewer topics, those with
    the least go.
    """
    before, influence = target.parameters, target.influence
    if (parameters.smoothness, parameters.coupling) != (before.smoothness, before.coupling):
        influence = influence_of(target.corpus, parameters)
    current, logs, topics = sample.globals, sample.logs, sample.topics
    more = parameters.topics - len(current.means)
    if more > 0:
        current, logs = add_topics(
            target.corpus, current, logs, more, before.fuzzifier, target.prior
        )
        topics = topics.with_more(more)
    for _ in range(-more):
        wanted = np.isin(topics.ids, target.hints.topics[~target.hints.against])
        wanted |= np.isin(topics.ids, before.held)
        topic = least_used(average, wanted)
        current, logs = remove_topic(current, logs, topic)
        average = np.delete(average, topic, axis=0)
        topics = topics.without(topic)
    loosened = _loosened(before, parameters)
    if loosened:
        current = softened(current)
    current = held_fixed(current, parameters)
    prior = target.prior.matched_to(target.corpus.cores, current.means, topics.ids)
    if more:
        held = np.isin(topics.ids, parameters.held)
        means = _at_painted(target.corpus, current.means, prior, topics, held)
        current = replace(current, means=means)
    other_influence = (influence is None) != (target.influence is None)
    refit = more != 0 or loosened or other_influence
    return (
        replace(target, parameters=parameters, prior=prior, influence=influence),
        Sample(current, logs, topics, refit),
    )


def _loosened(old: Parameters, new: Parameters) -> bool:
    """Whether documents may now be softer than the old target let them.

    Crisp documents keep their words crisp and these them, for hundreds of sweeps: such a
    change has to start them anew.
    """
    if new.scaling is not None:
        return False
    return (
        old.scaling is not None
        or new.rate < old.rate
        or new.coupling < old.coupling
        or new.smoothness != old.smoothness
    )


def differences(old: Parameters, new: Parameters) -> list[str]:
    """What changed, in words for the trace's mark."""
    texts = []
    for name in [field.name for field in fields(Parameters)]:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            texts.append(f"{name} {_in_words(after)}")
    return texts


def _in_words(value: float | tuple[float, ...] | None) -> str:
    """A parameter's value with as many digits as a person wants to read."""
    if value is None:
        return "learned"
    if value == ():
        return "none"
    return " ".join(f"{each:.3g}" for each in (value if isinstance(value, tuple) else (value,)))
