"""The three samplers: what a sweep does before, in and after its pass over the words.

`fast` is ours, `paper` is Algorithm 1 with its slips mended, `least-squares` is
the variant in the authors' own code, which regresses the means and is therefore
no sampler of the posterior.  All draw from streams keyed by seed and sweep alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.checkpoint import Checkpoint, Draft
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.field import Influence
from pmlda_gui.core.kernels.documents import LEAST_CONCENTRATION, log_gamma, slice_documents
from pmlda_gui.core.kernels.field_documents import slice_field
from pmlda_gui.core.kernels.paper_memberships import propose_sweep
from pmlda_gui.core.kernels.slice_memberships import MOST_TRIES, slice_sweep
from pmlda_gui.core.kernels.stretch import stretch_documents
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.passes import Passes, SweepKernel
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.simulate import draw_log_dirichlet
from pmlda_gui.core.topics import (
    draw_free_means,
    draw_means,
    draw_variance,
    propose_means,
    propose_variance,
    regress_means,
)
from pmlda_gui.core.vector_math import stream_keys

__all__ = ["SAMPLERS", "Globals", "Sampler", "Turn", "sampler_named"]

Array = NDArray[np.float64]
# What the random streams of one sweep are used for.
_FOR_WORDS, _FOR_DOCUMENTS, _FOR_TOPICS, _FOR_STRETCHES = 1, 2, 3, 4
_DOCUMENTS_PER_PIECE = 64
# A stretch is one kernel call for a whole document: longer ones would hold up a cancel.
_LONGEST_STRETCHED = 1 << 18
# Fewer words are not worth handing to another thread.
_WORDS_PER_STRETCH = 1 << 13


@dataclass(eq=False)
class Globals:
    """Everything but the memberships: pi (D, K), s (D), mu (K, p), sigma^2."""

    proportions: Array
    scaling: Array
    means: Array
    variance: float

    @property
    def concentration(self) -> Array:
        """s pi, (D, K), kept away from 0."""
        product: Array = np.maximum(self.scaling[:, None] * self.proportions, LEAST_CONCENTRATION)
        return product

    def at_words(self, influence: Influence | None) -> Array:
        """s pi as the kernels take it: (K, D), or with an influence at the words, (K, N)."""
        if influence is None:
            return np.ascontiguousarray(self.concentration.T)
        return influence.spread(self.concentration)

    def copy(self) -> Globals:
        return Globals(
            self.proportions.copy(), self.scaling.copy(), self.means.copy(), self.variance
        )

    def write(self, draft: Draft, name: str) -> None:
        """Add a copy to a checkpoint under this name."""
        draft.arrays[f"{name}.proportions"] = self.proportions.copy()
        draft.arrays[f"{name}.scaling"] = self.scaling.copy()
        draft.arrays[f"{name}.means"] = self.means.copy()
        draft.values[f"{name}.variance"] = self.variance

    @classmethod
    def read(cls, checkpoint: Checkpoint, name: str, shape: tuple[int, int, int]) -> Globals:
        """What a checkpoint holds under this name, checked; `shape` is (D, K, p)."""
        documents, topics, features = shape
        found = cls(
            checkpoint.array(f"{name}.proportions", (documents, topics), np.float64),
            checkpoint.array(f"{name}.scaling", (documents,), np.float64),
            checkpoint.array(f"{name}.means", (topics, features), np.float64),
            float(checkpoint.values[f"{name}.variance"]),
        )
        possible = (
            0.0 < found.variance < np.inf
            and found.scaling.min() > 0.0
            and found.proportions.min() >= 0.0
        )
        if not possible:
            raise PmldaError(
                f"The {name} sample in the checkpoint holds impossible values: it is damaged."
            )
        return found


@dataclass(eq=False)
class Turn:
    """One sweep in the making: what it works on, and what it found out.

    `influence` is how documents act on words, None for hard documents, and `at_words`
    what s pi comes to at the words of this sweep's pass.  `steps` collects acceptance
    rates or evaluations by block of variables; `squares` is the residual sum of squares
    under the final means.  `held` (K) are the topics whose means stay, None if none do.
    """

    parameters: Parameters
    prior: TopicPrior
    globals: Globals
    passes: Passes
    seed: int
    sweep: int
    influence: Influence | None
    at_words: Array
    steps: dict[str, float] = field(default_factory=dict)
    squares: float = 0.0
    held: NDArray[np.bool_] | None = None

    def generator(self, use: int) -> np.random.Generator:
        """A generator of this sweep for draws outside the kernels."""
        key = np.array([self.seed, self.sweep * 8 + use], np.uint64)
        return np.random.Generator(np.random.Philox(key=key))

    def keys(self, use: int, count: int) -> NDArray[np.uint64]:
        """Streams of this sweep for the kernels."""
        return stream_keys(self.seed, self.sweep, use, count)


class Sampler(Protocol):
    """How one kind of sweep is made around its pass over the words.

    `hard_only` says that it knows no documents that act beyond their borders.
    """

    kernel: SweepKernel
    hard_only: bool

    def keys(self, turn: Turn) -> NDArray[np.uint64]:
        """The random streams of the pass."""

    def open(self, turn: Turn) -> None:
        """What comes before the pass; the sums of ln z are those of the present memberships."""

    def close(self, turn: Turn) -> None:
        """What comes after the pass."""


class _Fast:
    kernel: SweepKernel = staticmethod(slice_sweep)
    hard_only = False

    def keys(self, turn: Turn) -> NDArray[np.uint64]:
        topics = turn.parameters.topics
        return turn.keys(_FOR_WORDS, topics * MOST_TRIES).reshape(topics, MOST_TRIES)

    def open(self, turn: Turn) -> None:
        if turn.parameters.proportions is None:
            _stretch_documents(turn)

    def close(self, turn: Turn) -> None:
        passes, current = turn.passes, turn.globals
        draws = passes.corpus.size * turn.parameters.topics
        turn.steps["memberships"] = float(passes.counts.sum()) / draws
        if turn.influence is None:
            _slice_documents(turn)
        else:
            _slice_field(turn, turn.influence)
        rng = turn.generator(_FOR_TOPICS)
        moments = passes.moments
        held = turn.held
        if held is None:
            means = draw_means(rng, current.means, current.variance, moments, turn.prior)
        else:
            means = draw_free_means(rng, current.means, current.variance, moments, turn.prior, held)
        moments = moments.moved(means - current.means)
        current.means = means
        if held is None or not held.all():
            current.variance = draw_variance(rng, current.variance, moments, turn.prior)
        turn.squares = moments.squares


def _stretch_documents(turn: Turn) -> None:
    """Let the concentrations of nearly absent topics move with their words."""
    parameters, current, passes = turn.parameters, turn.globals, turn.passes
    corpus = passes.corpus
    concentration = current.concentration
    influence, at_words = turn.influence, turn.at_words
    if influence is None:
        influence, at_words = Influence.hard(corpus.offsets), np.empty((parameters.topics, 0))
        sizes = corpus.document_sizes
        documents = np.flatnonzero(sizes <= _LONGEST_STRETCHED)
        worth = np.cumsum(sizes[documents]) // _WORDS_PER_STRETCH
        pieces = np.split(documents, np.flatnonzero(np.diff(worth)) + 1)
    else:
        # Documents that act on the same words take turns.
        pieces = [np.arange(corpus.documents)]
    for topic, key in enumerate(turn.keys(_FOR_STRETCHES, parameters.topics)):

        def piece(i: int, topic: int = topic, key: np.uint64 = key) -> None:
            stretch_documents(
                corpus.columns, passes.logs, influence.starts, influence.members, influence.acts,
                pieces[i], topic, concentration, at_words,
                influence.neighbour_starts, influence.neighbours, parameters.coupling,
                current.means, current.variance, parameters.fuzzifier,
                parameters.alpha_vector, parameters.rate, parameters.scaling is None, key,
            )  # fmt: skip

        passes.crew.work(piece, 0, len(pieces))
    _set_concentration(turn, concentration)


def _set_concentration(turn: Turn, concentration: Array) -> None:
    """Take s and pi from s pi, as far as they are learned."""
    scaling = concentration.sum(axis=1)
    if turn.parameters.scaling is None:
        turn.globals.scaling = scaling
    if turn.parameters.proportions is None:
        turn.globals.proportions = concentration / scaling[:, None]


def _slice_documents(turn: Turn) -> None:
    parameters, current = turn.parameters, turn.globals
    learn_proportions = parameters.proportions is None
    learn_scaling = parameters.scaling is None
    if not (learn_proportions or learn_scaling):
        return
    concentration = current.concentration
    sums, sizes = turn.passes.log_sums, turn.passes.corpus.document_sizes
    alpha = parameters.alpha_vector
    key = turn.keys(_FOR_DOCUMENTS, 1)[0]
    pieces = -(-len(sizes) // _DOCUMENTS_PER_PIECE)
    evaluations = np.zeros(pieces)

    def piece(i: int) -> None:
        first = i * _DOCUMENTS_PER_PIECE
        end = min(first + _DOCUMENTS_PER_PIECE, len(sizes))
        evaluations[i] = slice_documents(
            concentration, sizes, sums, first, end, alpha, parameters.rate,
            learn_proportions, learn_scaling, key,
        )  # fmt: skip

    turn.passes.crew.work(piece, 0, pieces)
    _set_concentration(turn, concentration)
    turn.steps["documents"] = float(evaluations.sum()) / len(sizes)


def _slice_field(turn: Turn, influence: Influence) -> None:
    """Draw the documents from the words they act on, and from their neighbours."""
    parameters, current = turn.parameters, turn.globals
    learn_proportions = parameters.proportions is None
    learn_scaling = parameters.scaling is None
    if not (learn_proportions or learn_scaling):
        return
    concentration = current.concentration
    evaluations = slice_field(
        concentration, turn.at_words, turn.passes.logs,
        influence.starts, influence.members, influence.acts,
        influence.neighbour_starts, influence.neighbours, parameters.coupling,
        parameters.alpha_vector, parameters.rate, learn_proportions, learn_scaling,
        turn.keys(_FOR_DOCUMENTS, 1)[0],
    )  # fmt: skip
    _set_concentration(turn, concentration)
    turn.steps["documents"] = evaluations / len(concentration)


class _Paper:
    kernel: SweepKernel = staticmethod(propose_sweep)
    hard_only = True

    def keys(self, turn: Turn) -> NDArray[np.uint64]:
        return turn.keys(_FOR_WORDS, turn.parameters.topics + 1).reshape(1, -1)

    def open(self, turn: Turn) -> None:
        """Proportions from Dirichlet(alpha), then scaling from its exponential prior.

        The proposals are the priors, so only the density of the memberships is
        left in the ratio (the authors' code counts the prior of s twice).
        """
        parameters, current = turn.parameters, turn.globals
        rng = turn.generator(_FOR_DOCUMENTS)
        sums, sizes = turn.passes.log_sums, turn.passes.corpus.document_sizes
        count = len(sizes)
        if parameters.proportions is None:
            alpha = np.tile(parameters.alpha_vector, (count, 1))
            candidates = np.exp(draw_log_dirichlet(rng, alpha))
            taken = _accept(
                rng,
                _membership_density(current.scaling, candidates, sizes, sums)
                - _membership_density(current.scaling, current.proportions, sizes, sums),
            )
            current.proportions = np.where(taken[:, None], candidates, current.proportions)
            turn.steps["proportions"] = float(taken.mean())
        if parameters.scaling is None:
            drawn = rng.exponential(1.0 / parameters.rate, count)
            taken = _accept(
                rng,
                _membership_density(drawn, current.proportions, sizes, sums)
                - _membership_density(current.scaling, current.proportions, sizes, sums),
            )
            current.scaling = np.where(taken, drawn, current.scaling)
            turn.steps["scaling"] = float(taken.mean())

    def close(self, turn: Turn) -> None:
        current = turn.globals
        turn.steps["memberships"] = float(turn.passes.counts.sum()) / turn.passes.corpus.size
        rng = turn.generator(_FOR_TOPICS)
        current.means, moments, turn.steps["means"] = propose_means(
            rng, current.means, current.variance, turn.passes.moments, turn.prior
        )
        current.variance, turn.steps["variance"] = propose_variance(
            rng, current.variance, moments, turn.prior
        )
        turn.squares = moments.squares


class _LeastSquares(_Paper):
    def close(self, turn: Turn) -> None:
        current = turn.globals
        turn.steps["memberships"] = float(turn.passes.counts.sum()) / turn.passes.corpus.size
        moments = turn.passes.moments
        means = regress_means(current.means, moments)
        moments = moments.moved(means - current.means)
        current.means = means
        current.variance, turn.steps["variance"] = propose_variance(
            turn.generator(_FOR_TOPICS), current.variance, moments, turn.prior
        )
        turn.squares = moments.squares


def _membership_density(
    scaling: Array, proportions: Array, sizes: NDArray[np.int64], sums: Array
) -> Array:
    """Log density of each document's memberships, (D), from its sums of ln z."""
    concentration = np.maximum(scaling[:, None] * proportions, LEAST_CONCENTRATION)
    normaliser = log_gamma(concentration.sum(axis=1)) - log_gamma(concentration.ravel()).reshape(
        concentration.shape
    ).sum(axis=1)
    density: Array = sizes * normaliser + np.sum((concentration - 1.0) * sums, axis=1)
    return density


def _accept(rng: np.random.Generator, gain: Array) -> NDArray[np.bool_]:
    taken: NDArray[np.bool_] = -rng.standard_exponential(gain.shape) <= gain
    return taken


SAMPLERS: dict[str, Sampler] = {
    "fast": _Fast(),
    "paper": _Paper(),
    "least-squares": _LeastSquares(),
}


def sampler_named(name: str) -> Sampler:
    """The sampler of that name, or a sentence that lists the names there are."""
    if name not in SAMPLERS:
        raise PmldaError(f"There is no sampler {name!r}: choose one of {', '.join(SAMPLERS)}.")
    return SAMPLERS[name]
