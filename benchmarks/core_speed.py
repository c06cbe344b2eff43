"""Nanoseconds per word and sweep of the membership passes, beside numpy and plain C."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import best_of, show
from benchmarks.words import scene_corpus
from pmlda_gui.core import Chain, Corpus, Parameters

__all__ = ["run"]

_SWEEPS = 6


def _numpy_pass(corpus: Corpus, chain: Chain) -> float:
    """Algorithm 1's membership update as one would write it in numpy."""
    state, rng = chain.state, np.random.default_rng(0)
    words, document = corpus.words, corpus.document_of
    power = (state.scaling[:, None] * state.proportions)[document] - 1.0

    def score(z: Any) -> Any:
        squares = np.sum((words - z @ state.means) ** 2, axis=1)
        return -0.5 * squares / state.variance + np.sum(power * np.log(z), axis=1)

    z = np.maximum(state.memberships, 1e-300)

    def once() -> None:
        proposal = rng.standard_exponential(z.shape)
        proposal /= proposal.sum(axis=1, keepdims=True)
        taken = np.log(rng.random(len(z))) <= score(proposal) - score(z)
        z[taken] = proposal[taken]

    return best_of(_SWEEPS, once)


def _c_pass(corpus: Corpus, chain: Chain) -> float | None:
    """The same in scalar C, or None where there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "lean.so"
        source = Path(__file__).with_name("lean.c")
        command = [compiler, "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
        subprocess.run([*command, "-o", str(library), str(source), "-lm"], check=True)
        propose = ctypes.CDLL(str(library)).propose
    state = chain.state
    topics, features = state.means.shape
    words = np.ascontiguousarray(corpus.words)
    z = np.ascontiguousarray(state.memberships)
    density = np.full(corpus.size, -1e9)
    concentration = np.ascontiguousarray(state.scaling[:, None] * state.proportions)
    means = np.ascontiguousarray(state.means)

    def pointer(array: Any) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    return best_of(
        _SWEEPS,
        lambda: propose(
            pointer(words), pointer(z), pointer(density), pointer(corpus.offsets),
            ctypes.c_long(corpus.documents), pointer(concentration), pointer(means),
            ctypes.c_double(1.0 / state.variance), ctypes.c_long(topics),
            ctypes.c_long(features), ctypes.c_uint64(7),
        ),
    )  # fmt: skip


def _pass_seconds(chain: Chain) -> float:
    """One membership pass alone, without what a sweep does besides."""
    from pmlda_gui.core.sweep_context import SweepContext

    context = SweepContext(chain._target, chain._globals, chain._word_pass, 1, 1)
    keys = chain._sampler.keys(context)
    current = chain._globals
    return best_of(
        _SWEEPS,
        lambda: chain._word_pass.sweep(
            chain._sampler.kernel, current.concentration, current.means, current.variance,
            1.0, keys, 0.01,
        ),
    )  # fmt: skip


def run(quick: bool = False) -> None:
    corpus = scene_corpus(quick)
    parameters = Parameters(3)
    seconds: dict[str, float | None] = {}
    for sampler in ("paper", "fast"):
        for threads in (1, 2):
            chain = Chain(corpus, parameters, sampler, seed=1, threads=threads)
            chain.sweep(5)
            seconds[f"{sampler}, {threads} thread{'s' * (threads > 1)}"] = _pass_seconds(chain)
            chain.close()
    reference = Chain(corpus, parameters, "fast", seed=1)
    reference.sweep(5)
    seconds["paper in numpy"] = _numpy_pass(corpus, reference)
    seconds["paper in lean scalar C"] = _c_pass(corpus, reference)
    base = seconds["paper, 1 thread"]
    assert base is not None
    rows = [
        (name, value / corpus.size * 1e9, value / base)
        for name, value in seconds.items()
        if value is not None
    ]
    show(
        f"Membership pass, {corpus.size} words, K = 3, p = {corpus.features}",
        ("", "ns per word", "relative to paper, 1 thread"),
        rows,
    )
    lean = seconds["paper in lean scalar C"]
    fast_1, fast_2 = seconds["fast, 1 thread"], seconds["fast, 2 threads"]
    assert fast_1 is not None
    assert fast_2 is not None
    goals = [
        ("fast over paper, one thread each (goal: at most 5.5)", fast_1 / base),
        ("fast, one thread over two (goal: at least 1.7)", fast_1 / fast_2),
    ]
    if lean is not None:
        goals.append(("paper over lean C (goal: at most 1.5)", base / lean))
    show("Ratios", ("", "ratio"), goals)
