"""Effective samples per second, and the 5th percentile of ESS(z) per sweep."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.tables import show
from benchmarks.words import scene_corpus
from pmlda_gui.core import Chain, Corpus, Parameters, coarse_to_fine, generate
from pmlda_gui.core.ess_rhat import effective_sizes
from pmlda_gui.core.sweep_context import SweepContext

__all__ = ["run"]

_WORDS_FOLLOWED = 400


def follow(chain: Chain, seconds: float) -> tuple[dict[str, Any], int, float]:
    """Sweep for so long; ESS of every quantity, the number of sweeps and the seconds in sweeps."""
    chosen = np.linspace(0, chain.corpus.size - 1, _WORDS_FOLLOWED).astype(int)
    rows: dict[str, list[Any]] = {name: [] for name in ("z", "pi", "ln s", "mu", "sigma^2")}
    spent = 0.0
    while spent < seconds or len(rows["z"]) < 30:
        started = time.perf_counter()
        chain.sweep(1)
        spent += time.perf_counter() - started
        current = chain._globals
        rows["z"].append(np.exp(chain._word_pass.logs[:, chosen]).ravel())
        rows["pi"].append(current.proportions.ravel())
        rows["ln s"].append(np.log(current.scaling))
        rows["mu"].append(current.means.ravel())
        rows["sigma^2"].append(np.array([current.variance]))
    sizes = {}
    for name, values in rows.items():
        draws = np.array(values)
        sizes[name] = np.where(np.ptp(draws, axis=0) == 0.0, 0.0, effective_sizes(draws[None]))
    return sizes, len(rows["z"]), spent


def _percentile_per_sweep(features: int, topics: int, scaling: float, sigma: float) -> float:
    """5th percentile over words and topics of ESS(z) per sweep, on words from the model.

    Topics and documents are held at the truth: this is the membership kernel alone.
    """
    means = np.vstack([np.zeros(features), 3.0 * np.eye(features)])[:topics]
    parameters = Parameters(topics, scaling=scaling)
    corpus, state = generate(parameters, means, sigma**2, [400] * 10, seed=5)
    chain = Chain(corpus, parameters, seed=1, start=state)
    word_pass, current, draws = chain._word_pass, chain._globals, []
    for sweep in range(1, 341):
        context = SweepContext(chain._target, current, word_pass, 1, sweep)
        word_pass.sweep(
            chain._sampler.kernel, current.concentration, current.means, current.variance,
            1.0, chain._sampler.keys(context), 0.01,
        )  # fmt: skip
        if sweep > 40:
            draws.append(np.exp(word_pass.logs[:, ::10]).ravel())
    return float(np.quantile(effective_sizes(np.array(draws)[None]), 0.05)) / len(draws)


def _started(corpus: Corpus, parameters: Parameters, sampler: str) -> Chain:
    """A chain near stationarity: `fast` found it, so both are compared where it matters."""
    for level in coarse_to_fine(corpus, parameters, seed=1):
        chain = level.chain
    chain.sweep(60)
    return Chain(corpus, parameters, sampler, seed=2, prior=chain.prior, start=chain.state)


def run(quick: bool = False) -> None:
    corpus = scene_corpus(quick)
    parameters = Parameters(3)
    seconds = 6.0 if quick else 40.0
    table = {}
    for sampler in ("paper", "fast"):
        sizes, sweeps, spent = follow(_started(corpus, parameters, sampler), seconds)
        table[sampler] = {name: np.median(values) / spent for name, values in sizes.items()}
        table[sampler]["z, 5th percentile"] = float(np.quantile(sizes["z"], 0.05)) / spent
        table[sampler]["sweeps per second"] = sweeps / spent
    show(
        f"Effective samples per second, {corpus.size} words (medians)",
        ("", "paper", "fast"),
        [(name, float(table["paper"][name]), float(table["fast"][name])) for name in table["fast"]],
    )
    settings = [(2, 3, 3.0, 0.5), (2, 3, 10.0, 0.5), (3, 3, 1.0, 0.3), (1, 2, 5.0, 0.5),
                (3, 4, 8.0, 0.7), (2, 3, 100.0, 0.5), (2, 3, 5.0, 0.1)]  # fmt: skip
    show(
        "ESS(z) per sweep, 5th percentile (goal for K <= p + 1: at least 0.2)",
        ("p, K, s, sigma", "fast"),
        [(str(each), _percentile_per_sweep(*each)) for each in settings],
    )
