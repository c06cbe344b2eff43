"""How well topics explain words that were never used for learning."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from pmlda_gui.workspace.analysis.held_out import HeldOut
from pmlda_gui.workspace.analysis.predictive import log_predictive
from tests.workspace.small_runs import field_run
from tests.workspace.small_runs import run as run_on_all
from tests.workspace.straight_edges import edge_run


def test_the_predictive_density_is_the_integral_over_memberships() -> None:
    means = np.array([[0.0, 0.0], [4.0, 1.0]])
    words = np.array([[0.1, 0.2], [2.0, 0.4], [3.5, 1.5], [6.0, -1.0]])
    concentration = np.tile([0.4, 1.2], (4, 1))
    found = log_predictive(words, concentration, means, 0.25, 1.0)
    # Of two topics, the share of the second is Beta: many quantiles stand for it.
    shares = np.random.default_rng(1).beta(1.2, 0.4, 200_000)
    mixed = np.outer(1.0 - shares, means[0]) + np.outer(shares, means[1])
    wanted = [np.log(np.mean(multivariate_normal(word, 0.25).pdf(mixed))) for word in words]
    assert found == pytest.approx(wanted, abs=0.25)


def test_memberships_may_be_as_crisp_as_they_like() -> None:
    means, words = np.eye(3), np.eye(3)
    found = log_predictive(words, np.full((3, 3), 1e-6), means, 0.01, 1.0)
    assert np.isfinite(found).all()


def test_topics_that_were_learned_explain_held_out_words_better() -> None:
    run = edge_run(80)
    held_out = HeldOut(run.prepared)
    assert 20 < held_out.size <= 300
    draw, parameters = run.chain.draws[-1], run.parameters
    learned = held_out.score(draw, parameters)
    assert learned == held_out.score(draw, parameters)
    moved = replace(draw, means=draw.means + 1.0)
    assert held_out.score(moved, parameters) < learned - 0.5


def test_held_out_words_are_never_learned_from() -> None:
    run = field_run()
    held_out = HeldOut(run.prepared)
    width = run.prepared.images[0].shape[1]
    ((rows, columns),) = held_out._places
    assert not set((rows * width + columns).tolist()) & set(run.prepared.corpus.sources.tolist())
    run.close()


def test_where_every_pixel_is_learned_from_there_is_nothing_to_tell() -> None:
    run = run_on_all()
    assert math.isnan(HeldOut(run.prepared).score(run.chain.draws[-1], run.parameters))
    run.close()
