"""Which estimate to show: membership RMSE of the three over simulated corpora."""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks.tables import show
from pmlda_gui.core import Chain, Estimate, Parameters, State, generate

__all__ = ["run"]


def _error(estimate: Estimate, truth: State) -> float:
    orders = itertools.permutations(range(len(truth.means)))
    best = min(orders, key=lambda order: np.sum((estimate.means[list(order)] - truth.means) ** 2))
    away = estimate.memberships[:, list(best)] - truth.memberships
    return float(np.sqrt(np.mean(away**2)))


def run(quick: bool = False) -> None:
    rows, gains = [], []
    means = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    for number in range(5 if quick else 15):
        sigma = (0.2, 0.4, 0.7)[number % 3]
        rate = (0.1, 0.3, 0.6, 1.0, 2.0)[number // 3 % 5]
        parameters = Parameters(3, rate=rate)
        corpus, truth = generate(parameters, means, sigma**2, [200] * 30, seed=number)
        chain = Chain(corpus, parameters, seed=number)
        chain.sweep(300)
        errors = [_error(each, truth) for each in (chain.estimate, chain.map, chain.paper_map)]
        gains.append(1.0 - errors[0] / errors[2])
        rows.append((f"sigma {sigma}, lambda {rate}", *errors, f"{100 * gains[-1]:.0f} %"))
    rows.append(("median gain", "", "", "", f"{100 * float(np.median(gains)):.0f} %"))
    show(
        "Membership RMSE (goal: the mean at least 20 % below the best log joint)",
        ("", "mean", "map", "paper-map", "mean below paper-map"),
        rows,
    )
