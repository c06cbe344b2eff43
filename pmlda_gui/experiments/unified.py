"""The paper's unified model: which memberships it likes, by fuzzifier and scaling."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.related_models import unified_log_density
from pmlda_gui.experiments.plate import Row, draw_rows
from pmlda_gui.experiments.study import Outcome, Study, Table
from pmlda_gui.imagery.display import colour_table

__all__ = ["FUZZIFIERS", "SCALINGS", "log_likelihood", "run"]

Array = NDArray[np.float64]
FUZZIFIERS = (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 5.0, 10.0)
SCALINGS = (0.1, 0.5, 1.0, 2.0, 5.0)
_VALUES = np.round(np.arange(-0.5, 1.5001, 0.05), 10)
_MEMBERSHIPS = np.round(np.arange(0.0, 1.0001, 0.05), 10)
# The density has no bound where a membership is 0, so the ends are taken this far inside.
_END = 1e-3
_MIDDLE = 0.5


def log_likelihood(fuzzifier: float, scaling: float) -> Array:
    """The paper's grid: values of x downwards, memberships in the first cluster across."""
    inside = np.clip(_MEMBERSHIPS, _END, 1.0 - _END)
    x, z = np.meshgrid(_VALUES, inside, indexing="ij")
    return unified_log_density(
        x[..., None],
        np.stack([z, 1.0 - z], axis=-1),
        proportions=np.array([0.5, 0.5]),
        scaling=scaling,
        means=np.array([[0.0], [1.0]]),
        alpha=np.array([1.0, 1.0]),
        rate=1.0,
        fuzzifier=fuzzifier,
    )


def _mixing(grid: Array) -> float:
    """How mixed the likeliest memberships are, mean over x: 0 crisp, 1 half and half."""
    best = _MEMBERSHIPS[grid.argmax(axis=1)]
    return float(np.mean(1.0 - np.abs(best - _MIDDLE) / _MIDDLE))


def _shade(grid: Array) -> NDArray[np.uint8]:
    # The ends would take up the whole range of colours.
    low, high = np.percentile(grid[:, 1:-1], [2, 98])
    levels = np.clip((grid - low) / max(high - low, 1e-12), 0.0, 1.0)
    return np.asarray(colour_table("cividis")[np.rint(255 * levels).astype(np.uint8)])


def run(study: Study) -> Outcome:
    """One grid for each fuzzifier (across) and scaling (downwards)."""
    step = study.steps(1)
    step("log likelihoods")
    grids = {(m, s): log_likelihood(m, s) for s in SCALINGS for m in FUZZIFIERS}
    mixing = {key: _mixing(grid) for key, grid in grids.items()}
    at_one = [mixing[1.0, s] for s in SCALINGS]
    at_ten = [mixing[10.0, s] for s in SCALINGS]
    rising = all(
        mixing[m, a] <= mixing[m, b] + 1e-12 for m in FUZZIFIERS for a, b in pairwise(SCALINGS)
    )
    caption = (
        "Log likelihood of the unified model for two clusters N(0, 1) and N(1, 1): membership in "
        "the first from 0 to 1 across, x from -0.5 (top) to 1.5 downwards; bright is likely, each "
        "panel on its own scale.  The paper saw that with m fixed, mixed memberships become "
        "likelier as s grows, and that the fuzzifier moves the balance as well.  Here the "
        f"likeliest membership {'never becomes' if rising else 'sometimes becomes'} less mixed "
        "with s: its degree of mixing (0 crisp, 1 half and half), mean over x, is "
        f"{', '.join(f'{value:.2f}' for value in at_one)} for s = 0.1, 0.5, 1, 2, 5 at m = 1, and "
        f"{', '.join(f'{value:.2f}' for value in at_ten)} at m = 10; at m = 0 the data have no say."
    )
    rows = [Row(f"s = {s:g}", [_shade(grids[m, s]) for m in FUZZIFIERS]) for s in SCALINGS]
    drawing = draw_rows(
        "unified: likelihood of memberships by fuzzifier and scaling",
        caption,
        [f"m = {m:g}" for m in FUZZIFIERS],
        rows,
        (84, 164),
        bar=None,
    )
    table = Table(
        ("fuzzifier", "scaling", "x", "membership", "log likelihood"),
        [
            (m, s, float(x), float(z), float(grid[i, j]))
            for (m, s), grid in grids.items()
            for i, x in enumerate(_VALUES)
            for j, z in enumerate(_MEMBERSHIPS)
        ],
    )
    findings = {f"mixing m={m:g} s={s:g}": value for (m, s), value in mixing.items()}
    return Outcome("unified", drawing, caption, table, findings)
