"""Every slider of the model changes the maps, in the direction that its tooltip says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pmlda_gui.imagery.metrics import match_maps
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, Prepared, prepare
from pmlda_gui.workspace.run import Run

Maps = NDArray[np.float32]
# What can be seen: maps that differ by this much of a membership on average.
VISIBLE = 0.025


@pytest.fixture(scope="module")
def prepared() -> Prepared:
    image = make_scene("broken-beds", (300, 280), 0).image
    return prepare([image], FeatureChoice(), DocumentChoice(count=30))


def maps_with(prepared: Prepared, **changed: Any) -> Maps:
    run = Run(prepared, replace(DEFAULT_PARAMETERS, **changed), threads=1)
    run.sweep(60)
    found = run.maps(step=2)
    run.close()
    assert found is not None
    return found.memberships


def entropy(maps: Maps) -> float:
    """The mean entropy of memberships, 0 for crisp maps and 1 where all topics share alike."""
    shares = np.clip(maps.astype(np.float64), 1e-9, 1.0)
    return float(np.mean(-np.sum(shares * np.log(shares), axis=0)) / np.log(len(maps)))


def steepness(maps: Maps) -> float:
    """The mean step of memberships from pixel to pixel."""
    return float(np.mean(np.abs(np.diff(maps, axis=2))))


def apart(first: Maps, second: Maps) -> float:
    return float(np.mean(np.abs(first - second[match_maps(first, second)])))


@pytest.mark.parametrize(
    ("name", "low", "high", "rises"),
    [
        ("rate", 0.05, 20.0, False),
        ("alpha", 0.01, 100.0, True),
        ("scaling", 0.1, 30000.0, True),
        ("fuzzifier", 0.5, 3.0, True),
    ],
)
def test_a_slider_makes_maps_crisper_or_more_mixed(
    prepared: Prepared, name: str, low: float, high: float, rises: bool
) -> None:
    left, right = (maps_with(prepared, **{name: value}) for value in (low, high))
    assert apart(left, right) > VISIBLE
    assert (entropy(right) > entropy(left) + 0.03) if rises else entropy(right) < entropy(left)


def test_smoothness_makes_maps_softer(prepared: Prepared) -> None:
    hard, soft = (maps_with(prepared, smoothness=value) for value in (0.0, 3.0))
    assert apart(hard, soft) > VISIBLE
    assert steepness(soft) < 0.8 * steepness(hard)


def test_the_default_rate_lies_within_what_the_slider_can_do(prepared: Prepared) -> None:
    gradual, usual, crisp = (entropy(maps_with(prepared, rate=r)) for r in (0.05, 1.0, 20.0))
    assert 0.15 < (gradual - usual) / (gradual - crisp) < 0.85
