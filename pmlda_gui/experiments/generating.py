"""The distributions that words with partial memberships come from, between two topics."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.related_models import generating_distribution
from pmlda_gui.experiments.charts import Curve, CurveChart
from pmlda_gui.experiments.plate import Row, draw_rows
from pmlda_gui.experiments.study import Outcome, Study, Table
from pmlda_gui.imagery.display import colour_table

__all__ = ["run"]

Array = NDArray[np.float64]
_MEANS = np.array([[-4.0, -4.0], [6.0, 6.0]])
_COVARIANCES = {
    "both covariances I": np.array([np.eye(2), np.eye(2)]),
    "diag(4, 1) and diag(1, 4)": np.array([np.diag([4.0, 1.0]), np.diag([1.0, 4.0])]),
}
_MEMBERSHIPS = np.round(np.arange(0.0, 1.0001, 0.1), 10)
_LOW, _HIGH = -8.0, 10.0


def _ellipse(mean: Array, covariance: Array) -> tuple[tuple[float, float], ...]:
    """One standard deviation around the mean."""
    angles = np.linspace(0.0, 2.0 * math.pi, 61)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    points = mean[:, None] + np.linalg.cholesky(covariance) @ circle
    return tuple((float(x), float(y)) for x, y in points.T)


def run(study: Study) -> Outcome:
    """Eleven memberships in steps of 0.1, with equal and with different covariances."""
    step = study.steps(1)
    step("distributions")
    table_of_colours = np.asarray(colour_table("cividis")).astype(int)
    panels, bends = [], {}
    rows: list[tuple[str | float, ...]] = []
    for name, covariances in _COVARIANCES.items():
        curves, centres = [], []
        for z in _MEMBERSHIPS:
            mean, covariance = generating_distribution([1.0 - z, z], _MEANS, covariances)
            red, green, blue = table_of_colours[round(235 * float(z))].tolist()
            curves.append(Curve(_ellipse(mean, covariance), (red, green, blue)))
            centres.append(mean)
            rows.append(
                (name, float(z), *map(float, mean), *map(float, covariance[[0, 0, 1], [0, 1, 1]]))
            )
        path = np.array(centres)
        # Both coordinates are equal on the straight line between the means.
        bends[name] = float(np.abs(path[:, 0] - path[:, 1]).max() / math.sqrt(2.0))
        ticks = [(value, f"{value:g}") for value in (_LOW, -4.0, 0.0, 4.0, _HIGH)]
        panels.append(CurveChart(curves, "x", "y", ticks, (_LOW, _HIGH), equal=True))
    straight, bent = bends.values()
    caption = (
        "Distributions of words with memberships from (1, 0) to (0, 1) in steps of 0.1 between "
        "topics at (-4, -4) and (6, 6), drawn at one standard deviation.  The paper shows that "
        "the natural parameters mix: with equal covariances the mean walks the straight line "
        "between the topics, with different ones both mean and covariance bend from one to the "
        f"other.  Here the means leave the straight line by at most {straight:.2f} with equal and "
        f"by {bent:.2f} with different covariances."
    )
    drawing = draw_rows(
        "generating: what a word with partial memberships looks like",
        caption,
        list(_COVARIANCES),
        [Row("", panels)],
        (420, 420),
        bar="membership in the second topic",
    )
    head = (
        "covariances",
        "membership",
        "mean x",
        "mean y",
        "variance x",
        "covariance",
        "variance y",
    )
    findings = {"bend equal": straight, "bend different": bent}
    return Outcome("generating", drawing, caption, Table(head, rows), findings)
