"""Simulation-based calibration: where the truth ranks among the draws of its own posterior.

The truth is drawn from the prior, the words from the truth, and the chain runs on the words.
If the chain draws from the posterior, the truth's rank among thinned draws is uniform.  Each
histogram has a chi-square statistic; the smallest of all p values, times their number, is
below `ALARM` in one of a thousand suites of right code.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pmlda_gui.core import Chain, Parameters
from tests.core.geweke import PRIOR, _corpus, _place, draw_from_prior
from tests.core.groups import SIZES, Groups, Sweeper, draw_groups

Array = np.ndarray
ALARM = 1e-3
RANKS = 20


def least_p(ranks: Array) -> float:
    """The smallest p value of even ranks, (replicates, quantities), times their number."""
    counts = np.array([np.bincount(column, minlength=RANKS) for column in ranks.T])
    return float(min(stats.chisquare(each).pvalue for each in counts) * len(counts))


def ranked(truth: Array, draws: Array, rng: np.random.Generator) -> Array:
    """How many of the draws (draws, ...) lie below the truth, ties broken at random."""
    below = np.sum(draws < truth, axis=0)
    ties = np.sum(draws == truth, axis=0)
    return below + rng.integers(0, ties + 1)


# -- the documents and words of thousands of small fields, topics given -------------------------


def quantities(groups: Groups) -> Array:
    """(groups, quantities)."""
    a = groups.concentration.reshape(groups.count, len(SIZES), -1)
    z = groups.logs.reshape(groups.parameters.topics, groups.count, -1)
    s = a.sum(axis=2)
    return np.concatenate(
        [s, a[..., 0] / s, a[:, 0, :1] - a[:, 1, :1], z[0, :, [0, 3, 5]].T, z[1, :, 2:3]], axis=1
    )


class Spoilt(Sweeper):
    """Draws the scaling once more each sweep, under a third of its rate."""

    def sweep(self, number: int) -> None:
        super().sweep(number)
        self.documents(
            number, self.spread(), rate=self.groups.parameters.rate / 3.0, proportions=0.0
        )


def ranks_of_groups(parameters: Parameters, kind: type[Sweeper], seed: int) -> Array:
    groups = draw_groups(parameters, 800, seed)
    sweeper, truth, draws = kind(groups), quantities(groups), []
    for draw in range(RANKS - 1):
        # The chain begins at the truth, so it is in its posterior at once; a few sweeps let
        # it forget where it began.
        for step in range(6):
            sweeper.sweep(6 * draw + step)
        draws.append(quantities(sweeper.groups))
    moved = np.std(draws, axis=0).max(axis=0) > 1e-9
    ranks = ranked(truth, np.array(draws), np.random.default_rng(seed))
    return ranks[:, moved]


@pytest.mark.parametrize(
    "parameters",
    [
        Parameters(3, rate=0.7, smoothness=0.7, coupling=1.0),
        Parameters(2, rate=0.7, smoothness=0.7, coupling=1.0, fuzzifier=2.0),
        Parameters(3, scaling=2.0, smoothness=0.7, coupling=1.0),
        Parameters(2, rate=0.7, coupling=1.0, fuzzifier=-1.0),
    ],
    ids=["all learned", "m = 2", "s fixed", "hard and coupled, m = -1"],
)
def test_the_truth_ranks_evenly_among_draws_of_the_field(parameters: Parameters) -> None:
    assert least_p(ranks_of_groups(parameters, Sweeper, 61)) > ALARM


def test_a_scaling_under_another_prior_is_noticed() -> None:
    parameters = Parameters(2, rate=0.7, smoothness=0.7, coupling=1.0)
    assert least_p(ranks_of_groups(parameters, Spoilt, 62)) < 1e-8


# -- whole chains ------------------------------------------------------------------------------


def test_the_truth_ranks_evenly_among_draws_of_a_whole_chain() -> None:
    """Topics and variance too."""
    parameters = Parameters(2, rate=0.7, smoothness=0.7, coupling=1.0)
    rng = np.random.default_rng(63)
    corpus, state = draw_from_prior(parameters, rng)
    chain = Chain(corpus, parameters, seed=63, threads=1, prior=PRIOR, start=state)
    ranks = []
    for _ in range(160):
        corpus, truth = draw_from_prior(parameters, rng)
        # From the truth, which is a draw from the posterior of these words.
        _place(chain, _corpus(corpus.words), truth)

        def quantities_of(found: object) -> Array:
            return np.array(
                [
                    found.variance, np.abs(found.means[0, 0] - found.means[1, 0]),
                    found.means.sum(), *np.log(found.scaling), found.memberships[4].max(),
                ]
            )  # fmt: skip

        draws = []
        for _ in range(RANKS - 1):
            chain.sweep(4)
            draws.append(quantities_of(chain.state))
        ranks.append(ranked(quantities_of(truth), np.array(draws), rng))
    assert least_p(np.array(ranks)) > ALARM
