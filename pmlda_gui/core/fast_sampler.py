"""The sampler `fast`: slice steps for words and documents, conjugate draws for topics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.field import Influence
from pmlda_gui.core.kernels.documents import UNIFORMS_PER_DOCUMENT, slice_documents
from pmlda_gui.core.kernels.field_documents import slice_field
from pmlda_gui.core.kernels.joint_concentration import (
    JOINT_UNIFORMS_PER_DOCUMENT,
    move_joint_concentration,
)
from pmlda_gui.core.kernels.slice_memberships import MOST_TRIES, slice_sweep
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.state import Globals
from pmlda_gui.core.sweep_context import (
    FOR_DOCUMENTS,
    FOR_JOINT_STEPS,
    FOR_WORDS,
    SweepContext,
    topics_generator,
)
from pmlda_gui.core.topics import Moments, draw_free_means, draw_means, draw_variance
from pmlda_gui.core.vector_math import shifted
from pmlda_gui.core.word_pass import SweepKernel

__all__ = ["FastSampler", "draw_topics"]

Array = NDArray[np.float64]
_DOCUMENTS_PER_PIECE = 64
# A joint step is one kernel call for a whole document: longer ones would hold up a cancel.
_LONGEST_DOCUMENT = 1 << 18
# Fewer words are not worth handing to another thread.
_WORDS_PER_PIECE = 1 << 13


class FastSampler:
    """Slices for words, documents and, jointly with its words, each document's concentration."""

    kernel: SweepKernel = staticmethod(slice_sweep)
    hard_only = False
    means_have_prior = True
    takes_hints = True

    def keys(self, context: SweepContext) -> NDArray[np.uint64]:
        topics = context.parameters.topics
        keys = context.keys(FOR_WORDS, topics * MOST_TRIES).reshape(topics, MOST_TRIES)
        return shifted(keys, context.first_word)

    def before_pass(self, context: SweepContext) -> None:
        if context.parameters.proportions is None:
            _move_documents_with_words(context)

    def after_pass(self, context: SweepContext) -> None:
        self.draw_documents(context)
        rng = topics_generator(context.seed, context.sweep)
        moments, held = context.word_pass.moments, context.held
        context.squares = draw_topics(rng, context.globals, moments, context.prior, held)

    def draw_documents(self, context: SweepContext) -> None:
        """Draw the documents given the words of the pass."""
        word_pass = context.word_pass
        draws = word_pass.corpus.size * context.parameters.topics
        context.steps["memberships"] = float(word_pass.counts.sum()) / draws
        if context.influence is None:
            _slice_documents(context)
        else:
            _slice_field(context, context.influence)


def draw_topics(
    rng: np.random.Generator,
    current: Globals,
    moments: Moments,
    prior: TopicPrior,
    held: NDArray[np.bool_] | None,
) -> float:
    """Draw means and variance in place; gives the residual sum of squares they leave."""
    given = (current.means, current.variance, moments, prior)
    means = draw_means(rng, *given) if held is None else draw_free_means(rng, *given, held)
    moments = moments.moved(means - current.means)
    current.means = means
    if held is None or not held.all():
        current.variance = draw_variance(rng, current.variance, moments, prior)
    return moments.squares


def _move_documents_with_words(context: SweepContext) -> None:
    """Let the concentrations of nearly absent topics move with their words."""
    parameters, current, word_pass = context.parameters, context.globals, context.word_pass
    corpus = word_pass.corpus
    concentration = current.concentration
    influence, at_words, hints = context.influence, context.at_words, word_pass.hints
    if influence is None:
        influence, at_words = Influence.hard(corpus.offsets), np.empty((parameters.topics, 0))
        sizes = corpus.document_sizes
        documents = np.flatnonzero(sizes <= _LONGEST_DOCUMENT)
        worth = np.cumsum(sizes[documents]) // _WORDS_PER_PIECE
        pieces = np.split(documents, np.flatnonzero(np.diff(worth)) + 1)
    else:
        # Documents that act on the same words take turns.
        pieces = [np.arange(corpus.documents)]
    keys = context.keys(FOR_JOINT_STEPS, parameters.topics)
    keys = shifted(keys, context.first_document * int(JOINT_UNIFORMS_PER_DOCUMENT))
    for topic, key in enumerate(keys):

        def piece(i: int, topic: int = topic, key: np.uint64 = key) -> None:
            move_joint_concentration(
                corpus.columns, word_pass.logs, influence.starts, influence.members, influence.acts,
                pieces[i], topic, concentration, at_words,
                influence.neighbour_starts, influence.neighbours, parameters.coupling,
                current.means, current.variance, parameters.fuzzifier,
                parameters.alpha_vector, parameters.rate, parameters.scaling is None, key,
                hints.places, hints.favour, hints.avoid,
            )  # fmt: skip

        word_pass.pool.run(piece, 0, len(pieces))
    _set_concentration(context, concentration)


def _set_concentration(context: SweepContext, concentration: Array) -> None:
    """Take s and pi from s pi, as far as they are learned."""
    scaling = concentration.sum(axis=1)
    if context.parameters.scaling is None:
        context.globals.scaling = scaling
    if context.parameters.proportions is None:
        context.globals.proportions = concentration / scaling[:, None]


def _document_key(context: SweepContext) -> np.uint64:
    """The stream of the documents' steps, from the first of this corpus' on."""
    keys = context.keys(FOR_DOCUMENTS, 1)
    key: np.uint64 = shifted(keys, context.first_document * int(UNIFORMS_PER_DOCUMENT))[0]
    return key


def _slice_documents(context: SweepContext) -> None:
    parameters, current = context.parameters, context.globals
    learn_proportions = parameters.proportions is None
    learn_scaling = parameters.scaling is None
    if not (learn_proportions or learn_scaling):
        return
    concentration = current.concentration
    sums, sizes = context.word_pass.log_sums, context.word_pass.corpus.document_sizes
    alpha = parameters.alpha_vector
    key = _document_key(context)
    pieces = -(-len(sizes) // _DOCUMENTS_PER_PIECE)
    evaluations = np.zeros(pieces)

    def piece(i: int) -> None:
        first = i * _DOCUMENTS_PER_PIECE
        end = min(first + _DOCUMENTS_PER_PIECE, len(sizes))
        evaluations[i] = slice_documents(
            concentration, sizes, sums, first, end, alpha, parameters.rate,
            learn_proportions, learn_scaling, key,
        )  # fmt: skip

    context.word_pass.pool.run(piece, 0, pieces)
    _set_concentration(context, concentration)
    context.steps["documents"] = float(evaluations.sum()) / len(sizes)


def _slice_field(context: SweepContext, influence: Influence) -> None:
    """Draw the documents from the words they act on, and from their neighbours."""
    parameters, current = context.parameters, context.globals
    learn_proportions = parameters.proportions is None
    learn_scaling = parameters.scaling is None
    if not (learn_proportions or learn_scaling):
        return
    concentration = current.concentration
    evaluations = slice_field(
        concentration, context.at_words, context.word_pass.logs,
        influence.starts, influence.members, influence.acts,
        influence.neighbour_starts, influence.neighbours, parameters.coupling,
        parameters.alpha_vector, parameters.rate, learn_proportions, learn_scaling,
        _document_key(context),
    )  # fmt: skip
    _set_concentration(context, concentration)
    context.steps["documents"] = evaluations / len(concentration)
