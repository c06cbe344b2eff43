"""Documents in shards: the bits of one chain while topics stay, and its posterior otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core import Chain, Corpus, Parameters
from pmlda_gui.core.shard import Shard
from pmlda_gui.core.sharded_chain import ShardedChain
from pmlda_gui.core.state import Globals

TOPICS, SIZES = 3, (300, 500, 200, 700, 400, 350)
CENTRES = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    rng = np.random.default_rng(1)
    documents = []
    for size in SIZES:
        shares = rng.dirichlet(rng.dirichlet(np.ones(TOPICS)) * 2.0, size)
        documents.append(shares @ CENTRES + 0.3 * rng.standard_normal((size, 2)))
    return Corpus.from_documents(documents)


class Here:
    """Shards of so many documents each, one after the other in this process."""

    def __init__(self, corpus, parameters, start, prior, seed, documents):
        self.order = []
        self.shards = []
        for first in range(0, corpus.documents, documents):
            end = min(first + documents, corpus.documents)
            words = np.arange(corpus.offsets[first], corpus.offsets[end])
            mine = Corpus(corpus.columns[:, words].T, corpus.offsets[first : end + 1] - words[0])
            given = Globals(
                start.proportions[first:end], start.scaling[first:end], start.means, start.variance
            )
            self.shards.append(
                Shard(mine, parameters, given, prior, seed, int(words[0]), first, followed=8)
            )

    def sweep(self, number, means, variance):
        made = [shard.sweep(number, means, variance) for shard in reversed(self.shards)]
        return made[::-1]

    def documents(self):
        return [shard.documents for shard in self.shards]


def begin(corpus, parameters, seed=0):
    chain = Chain(corpus, parameters, seed=seed, threads=1)
    return chain, chain.globals, chain.prior


def sharded(corpus, parameters, start, prior, documents, held=None, seed=0):
    group = Here(corpus, parameters, start, prior, seed, documents)
    return ShardedChain(group, corpus.size, corpus.documents, parameters, prior, start, seed, held)


@pytest.mark.parametrize("documents", [1, 2, 4, 6])
def test_under_held_topics_shards_draw_what_one_chain_draws(corpus, documents):
    parameters = Parameters(TOPICS, held=(0, 1, 2))
    chain, start, prior = begin(corpus, parameters)
    parts = sharded(corpus, parameters, start, prior, documents, np.ones(TOPICS, bool))
    for _ in range(5):
        chain.sweep()
        parts.sweep()
    found = parts.checkpoint(chain.checkpoint(), corpus)
    assert np.array_equal(found.arrays["current.proportions"], chain.globals.proportions)
    assert np.array_equal(found.arrays["current.scaling"], chain.globals.scaling)
    assert np.array_equal(found.arrays["current.means"], start.means)


def test_one_shard_of_all_documents_is_the_chain_itself(corpus):
    parameters = Parameters(TOPICS)
    chain, start, prior = begin(corpus, parameters)
    parts = sharded(corpus, parameters, start, prior, len(SIZES))
    for _ in range(6):
        chain.sweep()
        parts.sweep()
    resumed = Chain.resume(corpus, parts.checkpoint(chain.checkpoint(), corpus))
    for mine, known in zip(resumed.draws, chain.draws, strict=True):
        assert np.array_equal(mine.means, known.means)
        assert np.array_equal(mine.proportions, known.proportions)
        assert mine.variance == known.variance
    assert resumed.sweeps == chain.sweeps
    assert resumed.trace.log_joint == pytest.approx(chain.trace.log_joint, rel=1e-12)
    theirs = chain.trace.quantities
    for name, values in resumed.trace.quantities.items():
        if name != "memberships":
            assert values == pytest.approx(theirs[name], rel=1e-9)


def test_shards_have_the_posterior_of_one_chain(corpus):
    parameters = Parameters(TOPICS)
    chain, start, prior = begin(corpus, parameters)
    chain.sweep(400)
    parts = sharded(corpus, parameters, start, prior, 1, seed=5)
    for _ in range(400):
        parts.sweep()
    known, found = chain.trace.quantities, parts.trace.quantities
    for name in ("means", "variance", "proportions"):
        spread = known[name][200:].std(axis=0)
        away = np.abs(found[name][200:].mean(axis=0) - known[name][200:].mean(axis=0))
        assert np.all(away < 1.5 * spread + 1e-12), name
