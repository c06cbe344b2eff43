"""Words drawn from the model itself, for tests, teaching and benchmarks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.related_models import topic_weights
from pmlda_gui.core.state import State

__all__ = ["draw_log_dirichlet", "draw_words", "generate"]

Array = NDArray[np.float64]


def draw_log_dirichlet(rng: np.random.Generator, concentration: Array) -> Array:
    """ln z for z ~ Dirichlet, a row per row of `concentration`; exact for tiny concentrations.

    A Gamma(a) variable is a Gamma(a + 1) variable times U^(1 / a), which in
    logarithms does not underflow.
    """
    logs = np.log(rng.standard_gamma(concentration + 1.0)) - (
        rng.standard_exponential(concentration.shape) / concentration
    )
    peak = logs.max(axis=1, keepdims=True)
    normalised: Array = logs - peak - np.log(np.exp(logs - peak).sum(axis=1, keepdims=True))
    return normalised


def draw_words(rng: np.random.Generator, state: State, fuzzifier: float) -> Array:
    """Words (N, p) given everything else."""
    centres = topic_weights(state.log_memberships, fuzzifier) @ state.means
    drawn: Array = centres + np.sqrt(state.variance) * rng.standard_normal(centres.shape)
    return drawn


def generate(
    parameters: Parameters,
    means: ArrayLike,
    variance: float,
    document_sizes: Sequence[int],
    seed: int = 0,
) -> tuple[Corpus, State]:
    """Draw a corpus with its true state: proportions, scaling, memberships, then words."""
    rng = np.random.default_rng(seed)
    centres = np.asarray(means, dtype=np.float64)
    sizes = np.asarray(document_sizes, dtype=np.int64)
    if parameters.proportions is None:
        proportions = np.exp(
            draw_log_dirichlet(rng, np.tile(parameters.alpha_vector, (len(sizes), 1)))
        )
    else:
        proportions = np.tile(np.asarray(parameters.proportions), (len(sizes), 1))
    if parameters.scaling is None:
        scaling = rng.exponential(1.0 / parameters.rate, len(sizes))
    else:
        scaling = np.full(len(sizes), parameters.scaling)
    concentration = np.maximum(scaling[:, None] * proportions, 1e-10)
    logs = draw_log_dirichlet(rng, np.repeat(concentration, sizes, axis=0))
    state = State(logs, proportions, scaling, centres, float(variance))
    words = draw_words(rng, state, parameters.fuzzifier)
    return Corpus(words, np.concatenate([[0], np.cumsum(sizes)])), state
