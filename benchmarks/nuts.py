"""Minimum effective samples per second against NUTS on the same posterior."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.tables import show
from pmlda_gui.core import Chain, Corpus, Parameters, State, generate
from pmlda_gui.core.ess_rhat import effective_sizes

__all__ = ["run"]

_MEANS = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
_RATE = 0.2


def _ours(corpus: Corpus, truth: State, sweeps: int) -> tuple[float, float]:
    chain = Chain(corpus, Parameters(3, rate=_RATE), seed=1, start=truth)
    chain.sweep(200)
    step = max(1, corpus.size // 200)
    rows, spent = [], 0.0
    for _ in range(sweeps):
        started = time.perf_counter()
        chain.sweep(1)
        spent += time.perf_counter() - started
        current = chain._globals
        rows.append(
            np.concatenate(
                [
                    np.exp(chain._word_pass.logs[:, ::step]).ravel(), current.proportions.ravel(),
                    current.scaling, current.means.ravel(), [current.variance],
                ]
            )
        )  # fmt: skip
    return float(effective_sizes(np.array(rows)[None]).min()), spent


def run(quick: bool = False) -> None:
    python = os.environ.get("PMLDA_NUTS_PYTHON", "")
    if not Path(python).exists():
        print("NUTS: left out, because its environment is missing (`make bench` makes it).")
        return
    rows = []
    for words, draws in ((300, 300), (2000, 150)):
        if quick and words > 300:
            continue
        corpus, truth = generate(Parameters(3, rate=_RATE), _MEANS, 0.09, [words // 10] * 10, 3)
        ess, spent = _ours(corpus, truth, 4000 if words == 300 else 2000)
        prior = Chain(corpus, Parameters(3), threads=1).prior
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "words.npz"
            np.savez(
                data, words=corpus.words, document=corpus.document_of, topics=3,
                documents=corpus.documents, rate=_RATE, centre=prior.centre,
                covariance=prior.covariance, low=prior.low, high=prior.high,
                most=prior.most_variance,
            )  # fmt: skip
            script = Path(__file__).with_name("nuts_model.py")
            answer = subprocess.run(
                [python, str(script), str(data), str(draws), str(draws)],
                check=True, capture_output=True, text=True,
            )  # fmt: skip
        theirs = json.loads(answer.stdout.splitlines()[-1])
        ours_rate, their_rate = ess / spent, theirs["ess"] / theirs["seconds"]
        goal = 20 if words == 300 else 100
        rows.append((words, ours_rate, their_rate, ours_rate / their_rate, f"at least {goal}"))
    show("Minimum ESS per second", ("words", "fast", "NUTS", "ratio", "goal"), rows)
