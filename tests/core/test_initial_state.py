"""Where a chain begins: a quick look at the words must not merge groups that lie apart."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.initial_state import start_globals
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior

CENTRES = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 6.0], [20.0, 3.0]])


@pytest.mark.parametrize("seed", range(12))
def test_k_means_finds_every_group_whatever_the_seed(seed: int) -> None:
    rng = np.random.default_rng(5)
    words = CENTRES[rng.integers(len(CENTRES), size=6000)] + rng.standard_normal((6000, 2))
    corpus = Corpus(words.astype(np.float32), np.array([0, 6000]))
    found = start_globals(corpus, Parameters(5), TopicPrior.from_corpus(corpus), seed).means
    distances = np.linalg.norm(CENTRES[:, None] - found[None], axis=2)
    assert sorted(distances.argmin(axis=1)) == [0, 1, 2, 3, 4]
    assert distances.min(axis=1).max() < 0.5
