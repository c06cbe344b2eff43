"""Three short runs give the bits they have always given.

Each run is steered on its way: parameters, the number of topics and the preparation change.
The digests hold for one processor and one set of libraries, since others round differently;
everywhere else the summaries are compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytest
from llvmlite import binding

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace.run import ESTIMATES, Run
from tests.workspace.small_runs import (
    COARSE,
    ENTROPY,
    FIELD,
    FINE,
    LATTICE,
    MEAN,
    interrupt,
    prepared,
)

STORED = Path(__file__).with_name("same_bits.json")


def field_on_a_lattice() -> Iterator[Run]:
    run = Run(prepared(LATTICE), FIELD, seed=5, threads=2)
    run.sweep(8)
    yield run
    run.set_parameters(replace(FIELD, alpha=2.0, rate=0.3, fuzzifier=1.5))
    run.sweep(4)
    yield run
    run.set_parameters(replace(FIELD, topics=4, smoothness=1.2))
    run.set_prepared(prepared(LATTICE, FINE))
    interrupt(run)
    run.sweep(9)
    yield run
    run.set_parameters(replace(FIELD, topics=2, scaling=30.0))
    run.sweep(5)
    yield run


def hard_documents_on_all_pixels() -> Iterator[Run]:
    run = Run(prepared(), Parameters(3), seed=6, threads=2)
    run.sweep(3)
    yield run
    run.set_parameters(Parameters(4, alpha=1.5))
    run.sweep(64)
    yield run
    run.set_prepared(prepared(ENTROPY, FINE))
    interrupt(run, 2)
    run.sweep(3)
    yield run
    run.set_parameters(Parameters(3, fuzzifier=2.0))
    run.sweep(2)
    yield run


def papers_algorithm() -> Iterator[Run]:
    run = Run(prepared(), Parameters(3), "paper", seed=7, threads=2)
    run.sweep(5)
    yield run
    run.set_parameters(Parameters(4, rate=2.0))
    run.sweep(5)
    run.set_prepared(prepared(MEAN, FINE))
    run.sweep(60)
    yield run
    run.set_parameters(Parameters(3, proportions=(0.2, 0.3, 0.5)))
    run.set_prepared(prepared(MEAN, COARSE))
    run.sweep(4)
    yield run


RUNS = {run.__name__: run for run in (field_on_a_lattice, hard_documents_on_all_pixels,
                                      papers_algorithm)}  # fmt: skip


def machine() -> str:
    """What decides how numbers are rounded."""
    return f"{binding.get_host_cpu_name()}, numpy {np.__version__}, numba {numba.__version__}"


def seen_in(run: Run) -> Iterator[np.ndarray]:
    """Everything the run would save or show: sample, sums, estimates, draws, trace and maps."""
    arrays = run.checkpoint().arrays
    for name in sorted(arrays):
        yield arrays[name]
    yield np.array(run.topic_ids)
    for draw in run.map_source().draws:
        yield draw.concentration
        yield draw.means
    for kind in ESTIMATES:
        estimate, maps = run.estimate(kind), run.maps(kind, step=2)
        assert maps is not None
        yield from (estimate.memberships, estimate.means, estimate.scaling, maps.memberships)
        if maps.deviation is not None:
            yield maps.deviation
    kept = run.maps(step=3, keep=True)
    assert kept is not None
    yield kept.memberships


def digest(run: Run) -> str:
    found = hashlib.sha256()
    for array in seen_in(run):
        found.update(f"{array.shape}{array.dtype}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:24]


def summary(run: Run) -> list[float]:
    """A few numbers that hardly depend on rounding."""
    mean = run.estimate()
    return [
        *(float(value) for value in np.sort(mean.memberships.mean(axis=0, dtype=np.float64))),
        mean.variance,
        float(mean.means.sum()),
        float(np.log(mean.scaling).mean()),
    ]


@pytest.mark.parametrize("name", RUNS)
def test_a_run_gives_the_bits_it_always_gave(name: str) -> None:
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    stages = RUNS[name]()
    for number, run in enumerate(stages):
        expected = stored["runs"][name][number]
        np.testing.assert_allclose(summary(run), expected["summary"], rtol=1e-3)
        if machine() == stored["machine"]:
            assert digest(run) == expected["digest"], f"stage {number}"
    assert number + 1 == len(stored["runs"][name])


def store() -> None:
    """Write the file anew: only when results change on purpose."""
    runs = {
        name: [{"digest": digest(run), "summary": summary(run)} for run in begin()]
        for name, begin in RUNS.items()
    }
    STORED.write_text(json.dumps({"machine": machine(), "runs": runs}, indent=1) + "\n")


if __name__ == "__main__":
    store()
