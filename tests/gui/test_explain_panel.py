"""What the explain panel draws and says."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.panels.explain_figures import explain, landscape, membership_density
from pmlda_gui.gui.panels.explain_panel import ExplainPanel


def test_a_fixed_scaling_is_explained_as_it_is_and_a_learned_one_by_its_prior_mean() -> None:
    assert explain(Parameters(3, scaling=300.0)).scaling == 300.0
    assert explain(Parameters(3, rate=0.1)).scaling == pytest.approx(10.0)


def test_the_learned_scaling_of_a_document_is_explained_where_there_is_one() -> None:
    explained = explain(Parameters(3, rate=0.1), 42.0)
    assert explained.scaling == 42.0
    assert "learned s = 42 of the document under the cursor" in explained.sentence
    assert explain(Parameters(3, scaling=300.0), 42.0).scaling == 300.0


def test_two_topics_keep_the_ratio_of_their_shares() -> None:
    assert explain(Parameters(3, proportions=(0.1, 0.3, 0.6))).shares == pytest.approx((0.25, 0.75))
    assert explain(Parameters(3, alpha=(1, 3, 9))).shares == pytest.approx((0.25, 0.75))


def test_large_scalings_gather_memberships_around_the_shares() -> None:
    spread = {}
    for scaling in (10.0, 1000.0):
        explained = explain(Parameters(2, scaling=scaling, proportions=(0.3, 0.7)))
        memberships, density = membership_density(explained)
        weights = density / density.sum()
        mean = float(weights @ memberships)
        assert mean == pytest.approx(0.3, abs=0.01)
        spread[scaling] = float(weights @ (memberships - mean) ** 2)
    # The variance of a beta variable is pi (1 - pi) / (s + 1).
    assert spread[10.0] == pytest.approx(0.21 / 11, rel=0.02)
    assert spread[1000.0] == pytest.approx(0.21 / 1001, rel=0.02)


def test_small_scalings_put_memberships_at_the_ends() -> None:
    _, density = membership_density(explain(Parameters(2, scaling=0.5)))
    assert density[0] == density.max()
    assert density[len(density) // 2] < 0.1 * density[0]


def test_the_ridge_falls_from_the_first_topic_to_the_second() -> None:
    heights, ridge = landscape(explain(Parameters(2, scaling=10.0)))
    assert heights.min() == 0.0
    assert heights.max() == 1.0
    assert np.all(np.diff(ridge) <= 0.0)
    assert ridge[0] > 0.6 > 0.4 > ridge[-1]


@pytest.mark.parametrize("scaling", [0.1, 1.0, 30000.0])
@pytest.mark.parametrize("fuzzifier", [-1.0, 0.0, 1.0, 10.0])
def test_the_figures_are_finite_at_the_ends_of_the_sliders(
    scaling: float, fuzzifier: float
) -> None:
    explained = explain(Parameters(12, scaling=scaling, fuzzifier=fuzzifier))
    heights, ridge = landscape(explained)
    memberships, density = membership_density(explained)
    for values in (heights, ridge, memberships, density):
        assert np.isfinite(values).all()
    assert explained.sentence.endswith(".")


def test_sentences_differ_from_crisp_to_alike() -> None:
    sentences = {explain(Parameters(2, scaling=s)).sentence for s in (0.5, 10.0, 100.0, 10000.0)}
    assert len(sentences) == 4


def test_the_panel_follows_the_parameters_while_it_is_seen(qtbot) -> None:
    panel = ExplainPanel()
    qtbot.addWidget(panel)
    sentence = panel.findChild(QLabel, "explain_sentence")
    panel.set_parameters(Parameters(3, scaling=300.0))
    qtbot.wait(80)
    assert sentence.text() == ""  # nobody looks, so nothing is computed
    panel.show()
    qtbot.waitUntil(lambda: "300" in sentence.text())
    before = panel.grab().toImage()
    panel.set_parameters(Parameters(3, scaling=1.0))
    qtbot.waitUntil(lambda: "s = 1" in sentence.text())
    assert panel.grab().toImage() != before
