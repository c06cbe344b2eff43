"""The sweeps leave the posterior invariant: joint tests of every sampler and every setting.

A score is a mean difference over its standard error.  With 24 functionals and
about 25 settings the largest of all is about 3.3 by chance; above `BOUND` it is so
in one of 250 suites, and a broken piece gives far more (see the tests of the test).
The steps of the field have sharper tests of their own, with the topics given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pmlda_gui.core import Parameters, fast_sampler, paper_sampler
from pmlda_gui.core.fast_sampler import FastSampler
from pmlda_gui.core.field import Influence
from pmlda_gui.core.word_pass import WordPass
from tests.core.geweke import PRIOR, SIZES, alternating_scores, paired_scores

BOUND = 4.5
# What a broken sampler must reach at the least.
BROKEN = 6.0

EVERYTHING_LEARNED = Parameters(2, alpha=1.5, rate=0.7)
SETTINGS = {
    "all learned, m = 1, K = 2": EVERYTHING_LEARNED,
    "all learned, m = 2, K = 3": Parameters(3, alpha=(1.0, 2.0, 0.8), rate=0.4, fuzzifier=2.0),
    "all learned, m = -1, K = 2": Parameters(2, alpha=1.2, rate=0.5, fuzzifier=-1.0),
    "s fixed, m = 1, K = 3": Parameters(3, alpha=(2.0, 1.0, 1.5), scaling=3.0),
    "pi fixed, m = 2, K = 2": Parameters(2, rate=0.5, proportions=(0.3, 0.7), fuzzifier=2.0),
    "both fixed, m = -1, K = 3": Parameters(
        3, scaling=2.5, proportions=(0.5, 0.2, 0.3), fuzzifier=-1.0
    ),
}

FIELDS = {
    "all learned, m = 1, K = 2": Parameters(2, alpha=1.5, rate=0.7, smoothness=0.7, coupling=1.0),
    "all learned, m = 2, K = 3": Parameters(
        3, alpha=(1.0, 2.0, 0.8), rate=0.4, fuzzifier=2.0, smoothness=0.7, coupling=0.5
    ),
    "all learned, m = -1, K = 2, hard": Parameters(2, rate=0.5, fuzzifier=-1.0, coupling=1.0),
    "s fixed, m = 1, K = 3, no coupling": Parameters(3, scaling=2.0, smoothness=0.7),
    "s fixed, m = 2, K = 2, hard": Parameters(2, scaling=1.0, fuzzifier=2.0, coupling=1.0),
    "pi fixed, m = -1, K = 2": Parameters(
        2, rate=0.5, proportions=(0.3, 0.7), fuzzifier=-1.0, smoothness=0.7, coupling=1.0
    ),
    "both fixed, m = 1, K = 3": Parameters(
        3, scaling=2.5, proportions=(0.5, 0.2, 0.3), smoothness=0.7, coupling=1.0
    ),
}


def largest(scores: np.ndarray) -> float:
    return float(np.abs(scores).max())


@pytest.mark.parametrize("sampler", ["fast", "paper"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_two_sweeps_leave_exact_draws_distributed_as_they_were(setting: str, sampler: str) -> None:
    assert largest(paired_scores(SETTINGS[setting], sampler, replicates=900, seed=11)) < BOUND


@pytest.mark.parametrize("setting", FIELDS)
def test_two_sweeps_of_a_field_leave_exact_draws_distributed_as_they_were(setting: str) -> None:
    assert largest(paired_scores(FIELDS[setting], "fast", replicates=700, seed=19)) < BOUND


def test_topics_around_cores_of_their_own_are_left_so_too() -> None:
    cores = np.array([[-1.0, 0.5], [1.5, -1.0]])
    prior = replace(PRIOR, centre=cores, covariance=0.4 * np.eye(2))
    parameters = FIELDS["all learned, m = 1, K = 2"]
    assert largest(paired_scores(parameters, "fast", 900, seed=21, prior=prior)) < BOUND


@pytest.mark.parametrize(
    "parameters",
    [
        Parameters(2, alpha=2.0, scaling=4.0),
        Parameters(3, scaling=6.0, proportions=(0.3, 0.3, 0.4), fuzzifier=2.0),
        Parameters(3, alpha=3.0, scaling=6.0, fuzzifier=-1.0),
    ],
    ids=["m = 1, K = 2", "pi fixed, m = 2, K = 3", "m = -1, K = 3"],
)
def test_a_long_alternating_chain_visits_the_prior(parameters: Parameters) -> None:
    """With s fixed: where it is learned the chain stays long at small s, and one of 3000
    sweeps misjudges its own error.  The paired test covers those settings."""
    scores = alternating_scores(parameters, "fast", sweeps=2000, draws=2000, seed=12)
    assert largest(scores) < BOUND


def test_a_variance_drawn_with_the_wrong_shape_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = fast_sampler.draw_variance

    def as_if_there_were_more_words(rng: Any, variance: float, moments: Any, prior: Any) -> float:
        more = type(moments)(
            moments.words + 3, moments.products, moments.residuals, moments.squares
        )
        return right(rng, variance, more, prior)

    monkeypatch.setattr(fast_sampler, "draw_variance", as_if_there_were_more_words)
    assert largest(paired_scores(EVERYTHING_LEARNED, "fast", replicates=500, seed=13)) > BROKEN


def test_memberships_of_hard_documents_in_a_field_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Words drawn with their own document's concentration instead of the field's."""
    parameters = FIELDS["all learned, m = 1, K = 2"]
    own = Influence.hard(np.concatenate([[0], np.cumsum(SIZES)]))
    right = WordPass.sweep

    def with_its_own(
        self: WordPass, kernel: Any, concentration: Any, *rest: Any, **named: Any
    ) -> bool:
        return right(self, kernel, own.spread(current[0].concentration), *rest, **named)

    current: list[Any] = []
    opened = FastSampler.before_pass

    def remembering(self: Any, turn: Any) -> None:
        opened(self, turn)
        current[:] = [turn.globals]

    monkeypatch.setattr(FastSampler, "before_pass", remembering)
    monkeypatch.setattr(WordPass, "sweep", with_its_own)
    assert largest(paired_scores(parameters, "fast", replicates=1500, seed=20)) > BROKEN


@pytest.mark.parametrize(("place", "factor"), [("alpha", 3.0), ("rate", 2.0)])
def test_documents_drawn_under_another_prior_are_noticed(
    monkeypatch: pytest.MonkeyPatch, place: str, factor: float
) -> None:
    right = fast_sampler.slice_documents

    def with_another_prior(*arguments: Any) -> int:
        changed = list(arguments)
        index = {"alpha": 5, "rate": 6}[place]
        changed[index] = changed[index] * factor
        return right(*changed)

    monkeypatch.setattr(fast_sampler, "slice_documents", with_another_prior)
    assert largest(paired_scores(EVERYTHING_LEARNED, "fast", replicates=500, seed=14)) > BROKEN


@pytest.mark.parametrize("sampler", ["fast", "paper"])
def test_memberships_drawn_with_the_wrong_concentration_are_noticed(
    monkeypatch: pytest.MonkeyPatch, sampler: str
) -> None:
    right = WordPass.sweep

    def with_more_concentration(
        self: WordPass, kernel: Any, concentration: Any, *rest: Any, **named: Any
    ) -> bool:
        return right(self, kernel, 2.0 * concentration, *rest, **named)

    monkeypatch.setattr(WordPass, "sweep", with_more_concentration)
    assert largest(paired_scores(EVERYTHING_LEARNED, sampler, replicates=500, seed=15)) > BROKEN


def test_counting_the_prior_of_the_scaling_twice_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The slip in the authors' code: the proposal is the prior, and the ratio has it again."""
    right = paper_sampler._membership_density

    def with_the_prior_again(scaling: Any, proportions: Any, *rest: Any) -> Any:
        return right(scaling, proportions, *rest) - EVERYTHING_LEARNED.rate * scaling

    monkeypatch.setattr(paper_sampler, "_membership_density", with_the_prior_again)
    assert largest(paired_scores(EVERYTHING_LEARNED, "paper", replicates=500, seed=16)) > BROKEN


def test_counting_the_prior_of_the_proportions_twice_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parameters = Parameters(2, alpha=(1.0, 4.0), rate=0.7)
    right = paper_sampler._membership_density

    def with_the_prior_again(scaling: Any, proportions: Any, *rest: Any) -> Any:
        again = (parameters.alpha_vector - 1.0) * np.log(proportions)
        return right(scaling, proportions, *rest) + again.sum(axis=1)

    monkeypatch.setattr(paper_sampler, "_membership_density", with_the_prior_again)
    assert largest(paired_scores(parameters, "paper", replicates=500, seed=17)) > BROKEN


def test_means_drawn_under_too_wide_a_prior_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = fast_sampler.draw_means

    def under_a_wider_prior(rng: Any, means: Any, variance: Any, moments: Any, prior: Any) -> Any:
        wider = type(prior)(
            prior.centre, 9.0 * prior.covariance, prior.low, prior.high,
            prior.least_variance, prior.most_variance,
        )  # fmt: skip
        return right(rng, means, variance, moments, wider)

    monkeypatch.setattr(fast_sampler, "draw_means", under_a_wider_prior)
    assert largest(paired_scores(EVERYTHING_LEARNED, "fast", replicates=500, seed=18)) > BROKEN
