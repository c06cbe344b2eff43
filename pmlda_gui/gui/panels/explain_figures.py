"""What the explain panel draws, as numbers and words: two topics and one value.

The log-likelihood landscape is the paper's unified model; memberships of two topics
have a beta density.  No Qt in here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.related_models import unified_log_density

__all__ = ["CENTRES", "VALUES", "Explained", "explain", "landscape", "membership_density"]

Array = NDArray[np.float64]
CENTRES = (-2.0, 2.0)
"""Where the two topics lie among the values."""
VALUES = (-4.0, 4.0)
"""From where to where values are drawn."""
_COLUMNS, _ROWS = 81, 61
# The density has no bound at memberships of exactly 0 and 1.
_EDGE = 0.01
_CURVE_POINTS = 201
# The lowest part of the landscape is a cliff; without it the rest shows its relief.
_CLIPPED_PERCENT = 10.0


@dataclass(frozen=True)
class Explained:
    """The two topics' concentration: a scaling and two proportions, and what they mean."""

    scaling: float
    shares: tuple[float, float]
    fuzzifier: float
    sentence: str


def explain(parameters: Parameters, learned: float | None = None) -> Explained:
    """Reduce parameters to two topics; learned ones are taken at their expected value.

    `learned` is the scaling that the document under the cursor has learned, if one is there.
    """
    scaling = 1.0 / parameters.rate if parameters.scaling is None else parameters.scaling
    source = f"With s = {scaling:.3g}"
    if parameters.scaling is None and learned is not None:
        scaling = learned
        source = f"With the learned s = {scaling:.3g} of the document under the cursor"
    elif parameters.scaling is None:
        source = f"With s about {scaling:.3g}, as expected before learning,"
    weights = (
        parameters.alpha_vector
        if parameters.proportions is None
        else np.asarray(parameters.proportions)
    )
    first = float(weights[0] / (weights[0] + weights[1]))
    shares = (first, 1.0 - first)
    sentence = _sentence(scaling, source, parameters.fuzzifier)
    return Explained(scaling, shares, parameters.fuzzifier, sentence)


def _sentence(scaling: float, source: str, fuzzifier: float) -> str:
    if scaling < 2.0:
        meaning = "most pixels are almost entirely one kind, so borders are crisp"
    elif scaling < 20.0:
        meaning = "pixels mix kinds freely, so transitions are gradual"
    elif scaling < 500.0:
        meaning = "the pixels of a document have similar mixtures"
    else:
        meaning = "all pixels of a document have nearly the same mixture"
    if fuzzifier == 0.0:
        weight = "; with m = 0 all kinds count the same"
    elif fuzzifier < 0.0:
        weight = f"; m = {fuzzifier:g} reverses the weights: the weakest kind counts most"
    elif fuzzifier > 1.0:
        weight = f"; m = {fuzzifier:g} weakens small memberships, so mixtures fit more pixels"
    elif fuzzifier < 1.0:
        weight = f"; m = {fuzzifier:g} makes the weights more alike"
    else:
        weight = ""
    return f"{source} {meaning}{weight}."


def membership_density(explained: Explained) -> tuple[Array, Array]:
    """Memberships in the first topic, 0 to 1, and their density with its highest point at 1."""
    memberships = np.linspace(0.0, 1.0, _CURVE_POINTS)
    inside = np.clip(memberships, _EDGE / 2, 1.0 - _EDGE / 2)
    first, second = (explained.scaling * share for share in explained.shares)
    logarithm = (first - 1.0) * np.log(inside) + (second - 1.0) * np.log1p(-inside)
    return memberships, np.exp(logarithm - logarithm.max())


def landscape(explained: Explained) -> tuple[Array, Array]:
    """The log likelihood, 0 to 1 from lowest to highest, and its ridge.

    The landscape is (memberships, values), the membership in the first topic falling
    from 1 in the first row; the ridge is the best membership for each value.
    """
    values = np.linspace(*VALUES, _COLUMNS)
    memberships = np.linspace(1.0 - _EDGE, _EDGE, _ROWS)
    pairs = np.stack([memberships, 1.0 - memberships], axis=-1)[:, np.newaxis, :]
    height = unified_log_density(
        words=np.broadcast_to(values[:, np.newaxis], (_ROWS, _COLUMNS, 1)),
        memberships=np.broadcast_to(pairs, (_ROWS, _COLUMNS, 2)),
        proportions=np.array(explained.shares),
        scaling=explained.scaling,
        means=np.array(CENTRES)[:, np.newaxis],
        alpha=np.ones(2),
        rate=1.0,
        fuzzifier=explained.fuzzifier,
    )
    ridge = memberships[np.argmax(height, axis=0)]
    low, high = np.percentile(height, _CLIPPED_PERCENT), height.max()
    return np.clip((height - low) / max(high - low, 1e-12), 0.0, 1.0), ridge
