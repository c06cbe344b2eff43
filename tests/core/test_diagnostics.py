"""The diagnostics say "settled" only when it is true."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core import Chain, Changes, Corpus, Parameters, PmldaError, generate
from pmlda_gui.core.diagnostics import (
    _verdict,
    diagnose,
    match_topics,
)
from pmlda_gui.core.initial_state import STARTS

MEANS = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])


def test_topics_are_matched_by_their_means() -> None:
    order = [2, 0, 1]
    np.testing.assert_array_equal(match_topics(MEANS[order], MEANS), order)


def test_a_well_identified_problem_settles_and_says_so() -> None:
    # Crisp words far apart: every start finds the same topics at once.
    corpus, _ = generate(Parameters(3, scaling=0.3), 3.0 * MEANS, 0.04, [40] * 5, seed=4)
    parameters = Parameters(3, scaling=0.3)
    chains = [Chain(corpus, parameters, seed=seed, threads=1) for seed in (1, 2)]
    for chain in chains:
        chain.sweep(1600)
    found = diagnose(chains)
    assert found.settled, found
    assert found.verdict == "settled"
    assert diagnose(chains[0]).verdict == "settled, as far as one chain can tell"


@pytest.mark.parametrize("scaling", [4.0, 12.0])
def test_a_weakly_identified_problem_is_never_called_settled(scaling: float) -> None:
    # 180 words, none of them pure: how far out the topics lie is nearly free, and
    # chains from different starts wander for thousands of sweeps.
    corpus, _ = generate(Parameters(3, scaling=scaling), MEANS, 0.25, [30] * 6, seed=int(scaling))
    chains = []
    for number, start in enumerate(STARTS[:3]):
        chain = Chain(corpus, Parameters(3, rate=0.125), seed=number, start=start, threads=1)
        chain.sweep(600)
        chains.append(chain)
    together = diagnose(chains)
    assert not together.settled
    assert not together.maps_settled
    assert max(together.rhat.values()) > 1.05
    assert "settled" not in together.verdict or together.verdict.startswith("nearly")


@pytest.mark.parametrize(("name", "verb"), [("likelihood", "moves"), ("means", "move")])
def test_a_verdict_speaks_of_one_and_of_many(name: str, verb: str) -> None:
    rhat = {"memberships": 1.0, name: 1.8}
    ess = dict.fromkeys(rhat, 1e4)
    for maps_settled in (True, False):
        verdict = _verdict(1, ess, rhat, settled=False, maps_settled=maps_settled, still=True)
        assert verdict.endswith(f"the {name} still {verb} (R-hat 1.80)")


def test_a_short_run_is_too_early_to_tell() -> None:
    corpus, _ = generate(Parameters(2), MEANS[:2], 0.1, [20] * 3, seed=0)
    chain = Chain(corpus, Parameters(2), threads=1)
    chain.sweep(10)
    found = diagnose(chain)
    assert not found.settled
    assert found.verdict.startswith("too early to tell")


def test_a_change_of_target_makes_the_verdict_start_anew() -> None:
    corpus, _ = generate(Parameters(2), MEANS[:2], 0.1, [20] * 3, seed=0)
    chain = Chain(corpus, Parameters(2), threads=1)
    chain.sweep(200)
    assert diagnose(chain).sweeps == 100
    chain.sweep(20, Changes(Parameters(2, rate=3.0)))
    assert diagnose(chain).sweeps == 10


def test_chains_of_different_corpora_are_refused() -> None:
    first = Chain(Corpus.from_documents([np.eye(3)]), Parameters(2), threads=1)
    second = Chain(Corpus.from_documents([np.eye(4)]), Parameters(2), threads=1)
    with pytest.raises(PmldaError, match="same words and topics"):
        diagnose([first, second])
    with pytest.raises(PmldaError, match="no chain"):
        diagnose([])
