"""The sliders of the model, the documents and the features."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSlider,
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QListWidget,
    QSlider,
    QSpinBox,
    QToolButton,
    QWidget,
)

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.panels.model_section import with_topics
from pmlda_gui.gui.panels.parameters_panel import ParametersPanel
from pmlda_gui.gui.panels.topic_values import share_out
from pmlda_gui.gui.panels.value_control import LinearScale, LogScale
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice
from pmlda_gui.workspace.session import Session

SLIDERS = (
    "topics", "smoothness", "coupling", "rate", "alpha", "scaling", "fuzzifier", "document_count",
)  # fmt: skip


@pytest.fixture
def panel(qtbot) -> ParametersPanel:
    made = ParametersPanel()
    qtbot.addWidget(made)
    made.set_session(Session())
    made.resize(330, 700)
    return made


@pytest.fixture
def told(panel: ParametersPanel) -> list[tuple[Parameters, str]]:
    heard: list[tuple[Parameters, str]] = []
    panel.parameters_changed.connect(lambda parameters, merge: heard.append((parameters, merge)))
    return heard


def slider(panel: QWidget, name: str) -> QSlider:
    found = panel.findChild(QSlider, name)
    assert found is not None
    return found


def box(panel: QWidget, name: str) -> QDoubleSpinBox:
    found = panel.findChild(QDoubleSpinBox, f"{name}_box")
    assert found is not None
    return found


# -- scales -----------------------------------------------------------------------------------


@given(st.integers(-80, 80))
def test_a_step_of_a_log_slider_survives_the_way_to_its_value_and_back(step: int) -> None:
    scale = LogScale(0.01, 100.0)
    assert scale.step(scale.value(step)) == step


@given(st.integers(-10, 100))
def test_a_step_of_a_linear_slider_survives_the_way_to_its_value_and_back(step: int) -> None:
    scale = LinearScale(-1.0, 10.0, 0.1)
    assert scale.step(scale.value(step)) == step


def test_log_sliders_reach_both_ends_exactly() -> None:
    scale = LogScale(0.1, 30000.0)
    assert scale.value(scale.step(0.1)) == 0.1
    assert scale.value(scale.step(30000.0)) == 30000.0


def test_whole_numbers_are_their_own_steps() -> None:
    scale = LinearScale(2, 12)
    assert [scale.value(step) for step in (2, 7, 12)] == [2, 7, 12]


@given(st.floats(3, 101))
def test_an_odd_window_stays_odd_whatever_is_typed(typed: float) -> None:
    assert LinearScale(3, 101, 2, origin=1).snap(typed) % 2 == 1


# -- the model --------------------------------------------------------------------------------


def test_every_slider_of_the_specification_is_there_by_name(panel: ParametersPanel) -> None:
    assert all(slider(panel, name) is not None for name in SLIDERS)
    assert panel.findChild(QCheckBox, "scaling_fixed") is not None
    assert panel.findChild(QCheckBox, "proportions_fixed") is not None


def test_slider_ranges_are_those_of_the_specification(panel: ParametersPanel) -> None:
    ranges = {
        "topics": (2, 12),
        "smoothness": (0, 3),
        "coupling": (0, 10),
        "rate": (0.05, 20),
        "scaling": (0.1, 30000),
        "fuzzifier": (-1, 10),
    }
    panel.model.set_parameters(replace(DEFAULT_PARAMETERS, scaling=10.0))
    for name, (low, high) in ranges.items():
        control = getattr(panel.model, name)
        seen = []
        control.value_changed.connect(seen.append)
        slider(panel, name).setValue(slider(panel, name).minimum())
        slider(panel, name).setValue(slider(panel, name).maximum())
        assert seen == [low, high], name


@pytest.mark.parametrize(
    ("name", "field"),
    [(name, name) for name in ("smoothness", "coupling", "rate", "alpha", "fuzzifier")],
)
def test_moving_a_slider_tells_parameters_with_that_value(
    panel: ParametersPanel, told, name: str, field: str
) -> None:
    slider(panel, name).setValue(slider(panel, name).maximum() - 3)
    (parameters, merge) = told[-1]
    assert getattr(parameters, field) == box(panel, name).value()
    assert getattr(parameters, field) != getattr(Session().parameters, field)
    assert merge == name


def test_setting_a_session_tells_nothing(panel: ParametersPanel, told) -> None:
    heard: list[object] = []
    panel.documents_changed.connect(heard.append)
    panel.features_changed.connect(heard.append)
    panel.set_session(
        Session(
            parameters=Parameters(
                5, alpha=(1, 2, 3, 4, 5), scaling=7.0, proportions=(0.2,) * 5, fuzzifier=2.0
            ),
            documents=DocumentChoice("window", 40, 32, 16),
            features=FeatureChoice(("mean", "std"), 15),
        )
    )
    assert told == []
    assert heard == []


def test_a_session_from_elsewhere_is_shown_unclipped(panel: ParametersPanel, told) -> None:
    panel.set_session(Session(parameters=Parameters(20, rate=1234.0, fuzzifier=15.0)))
    assert box(panel, "topics").value() == 20
    assert box(panel, "rate").value() == 1234.0
    slider(panel, "alpha").setValue(5)
    parameters, _ = told[-1]
    assert (parameters.topics, parameters.rate, parameters.fuzzifier) == (20, 1234.0, 15.0)


def test_an_exact_value_is_typed_into_the_box(panel: ParametersPanel, told) -> None:
    number = box(panel, "rate")
    number.selectAll()
    QTest.keyClicks(number, "0.333")
    assert told == []  # half a number is no value
    QTest.keyClick(number, Qt.Key.Key_Return)
    assert told[-1][0].rate == pytest.approx(0.333)


def test_arrow_keys_move_a_slider_by_one_step(panel: ParametersPanel, told) -> None:
    QTest.keyClick(slider(panel, "topics"), Qt.Key.Key_Right)
    assert told[-1][0].topics == 4


def test_reset_goes_back_and_is_idle_at_the_first_value(panel: ParametersPanel, told) -> None:
    reset = panel.findChild(QToolButton, "rate_reset")
    assert not reset.isEnabled()
    slider(panel, "rate").setValue(60)
    assert reset.isEnabled()
    reset.click()
    assert told[-1][0].rate == DEFAULT_PARAMETERS.rate
    assert not reset.isEnabled()


def test_scaling_is_learned_until_it_is_fixed(panel: ParametersPanel, told) -> None:
    fixed = panel.findChild(QCheckBox, "scaling_fixed")
    assert not slider(panel, "scaling").isEnabled()
    fixed.click()
    assert told[-1][0].scaling == box(panel, "scaling").value()
    slider(panel, "scaling").setValue(100)
    chosen = told[-1][0].scaling
    fixed.click()
    assert told[-1][0].scaling is None
    fixed.click()
    assert told[-1][0].scaling == chosen


def test_a_scaling_chosen_while_it_is_learned_waits_for_the_tick(
    panel: ParametersPanel, told
) -> None:
    slider(panel, "scaling").setValue(100)
    assert told == []
    panel.findChild(QCheckBox, "scaling_fixed").click()
    assert told[-1][0].scaling == LogScale(0.1, 30000.0).value(100)


def test_the_rate_is_greyed_out_while_the_scaling_is_fixed(panel: ParametersPanel) -> None:
    panel.findChild(QCheckBox, "scaling_fixed").click()
    assert not slider(panel, "rate").isEnabled()


def test_the_usual_rate_is_in_the_middle_of_its_slider(panel: ParametersPanel) -> None:
    rate = slider(panel, "rate")
    assert rate.value() == (rate.minimum() + rate.maximum()) / 2


def test_hard_documents_leave_smoothness_and_coupling_nothing_to_say(
    panel: ParametersPanel,
) -> None:
    notes = panel.findChild(QLabel, "sampler_note")
    assert slider(panel, "smoothness").isEnabled()
    assert notes.isHidden()
    panel.set_session(Session(sampler="paper", parameters=Parameters(3)))
    assert not slider(panel, "smoothness").isEnabled()
    assert not slider(panel, "coupling").isEnabled()
    assert not notes.isHidden()
    assert panel.findChild(QComboBox, "sampler").currentData() == "paper"
    panel.set_session(Session())
    assert slider(panel, "smoothness").isEnabled()


def test_a_sampler_is_told_by_its_name(panel: ParametersPanel) -> None:
    heard: list[str] = []
    panel.sampler_changed.connect(heard.append)
    box = panel.findChild(QComboBox, "sampler")
    box.setCurrentIndex(box.findData("least-squares"))
    assert heard == ["least-squares"]


def test_fixed_proportions_start_equal_and_always_sum_to_one(panel: ParametersPanel, told) -> None:
    panel.findChild(QCheckBox, "proportions_fixed").click()
    assert told[-1][0].proportions == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    panel.model.shares.boxes[0].setValue(0.8)
    assert told[-1][0].proportions == pytest.approx((0.8, 0.1, 0.1))
    assert [each.value() for each in panel.model.shares.boxes] == pytest.approx([0.8, 0.1, 0.1])


@given(
    st.lists(st.floats(0.0, 1.0), min_size=2, max_size=12).filter(lambda each: sum(each) > 0.01),
    st.integers(0, 11),
    st.floats(0.0, 1.0),
)
def test_shares_sum_to_one_whatever_one_of_them_becomes(
    weights: list[float], number: int, value: float
) -> None:
    shares = [weight / sum(weights) for weight in weights]
    after = share_out(shares, number % len(shares), value)
    assert math.isclose(sum(after), 1.0, abs_tol=1e-9)
    assert min(after) >= 0.0
    assert after[number % len(shares)] == value


def test_one_alpha_per_topic_and_one_slider_that_moves_them_together(
    panel: ParametersPanel, told
) -> None:
    panel.findChild(QCheckBox, "alpha_each").click()
    panel.model.alphas.boxes[1].setValue(4.0)
    assert told[-1][0].alpha == (1.0, 4.0, 1.0)
    slider(panel, "alpha").setValue(slider(panel, "alpha").value() + 10)
    first, second, third = told[-1][0].alpha
    assert first == pytest.approx(third)
    assert second / first == pytest.approx(4.0)
    assert first > 1.0


@given(
    st.integers(2, 12),
    st.integers(2, 12),
    st.booleans(),
    st.booleans(),
)
def test_another_number_of_topics_leaves_valid_parameters(
    before: int, after: int, own_alphas: bool, fixed_shares: bool
) -> None:
    parameters = Parameters(
        before,
        alpha=tuple(range(1, before + 1)) if own_alphas else 2.0,
        proportions=(1 / before,) * before if fixed_shares else None,
    )
    changed = with_topics(parameters, after)
    assert changed.topics == after
    if fixed_shares:
        assert changed.proportions == pytest.approx((1 / after,) * after)
    if own_alphas:
        kept = min(before, after)
        assert changed.alpha[:kept] == parameters.alpha[:kept]


def test_the_number_of_topics_can_change_with_everything_fixed(
    panel: ParametersPanel, told
) -> None:
    panel.set_session(
        Session(parameters=Parameters(3, alpha=(1, 2, 3), proportions=(0.5, 0.3, 0.2)))
    )
    for topics in (7, 2, 12, 3):
        slider(panel, "topics").setValue(topics)
        assert told[-1][0].topics == topics
        assert len(panel.model.shares.boxes) == topics
        assert sum(told[-1][0].proportions) == pytest.approx(1.0)


# -- documents --------------------------------------------------------------------------------


@pytest.fixture
def documents(panel: ParametersPanel) -> list[DocumentChoice]:
    heard: list[DocumentChoice] = []
    panel.documents_changed.connect(heard.append)
    return heard


def choose(combination: QComboBox, data: str) -> None:
    combination.setCurrentIndex(combination.findData(data))


def test_the_number_of_documents_is_told_when_the_slider_is_let_go(
    panel: ParametersPanel, documents
) -> None:
    count = slider(panel, "document_count")
    count.setSliderDown(True)
    count.setSliderPosition(300)
    assert documents == []
    assert box(panel, "document_count").value() == 300
    count.setSliderDown(False)
    assert documents == [DocumentChoice(count=300)]


def test_windows_offer_their_side_and_stride(panel: ParametersPanel, documents) -> None:
    panel.show()
    window = panel.findChild(QSpinBox, "document_window")
    assert not window.isVisible()
    choose(panel.findChild(QComboBox, "document_kind"), "window")
    assert window.isVisible()
    window.setValue(64)
    panel.findChild(QSpinBox, "document_stride").setValue(100)
    # A stride beyond the window would leave gaps.
    assert documents[-1] == DocumentChoice("window", window=64, stride=64)
    window.setValue(0)
    assert documents[-1].window is None


def test_a_label_map_is_asked_for_before_it_is_used(
    qtbot, panel: ParametersPanel, documents
) -> None:
    kind = panel.findChild(QComboBox, "document_kind")
    with qtbot.waitSignal(panel.label_map_requested, timeout=100):
        choose(kind, "labels")
    assert documents == []
    assert kind.currentData() == "slic"


def test_a_label_map_at_hand_is_used_at_once(panel: ParametersPanel, documents, tmp_path) -> None:
    panel.set_session(Session(label_file=tmp_path / "labels.png"))
    choose(panel.findChild(QComboBox, "document_kind"), "labels")
    assert documents == [DocumentChoice("labels")]


# -- features ---------------------------------------------------------------------------------


@pytest.fixture
def features(panel: ParametersPanel) -> list[FeatureChoice]:
    heard: list[FeatureChoice] = []
    panel.features_changed.connect(heard.append)
    return heard


def tick(panel: QWidget, name: str, state: Qt.CheckState) -> None:
    listed = panel.findChild(QListWidget, "features")
    for row in range(listed.count()):
        if listed.item(row).data(Qt.ItemDataRole.UserRole) == name:
            listed.item(row).setCheckState(state)


def test_ticking_a_feature_leaves_the_preset(panel: ParametersPanel, features) -> None:
    choose(panel.findChild(QComboBox, "feature_preset"), "paper-sas")
    tick(panel, "gabor_6", Qt.CheckState.Checked)
    assert features[-1] == FeatureChoice(("mean", "entropy", "gabor_6"), 21)
    assert panel.findChild(QComboBox, "feature_preset").currentText() == "Features of your choice"


def test_the_last_feature_cannot_be_taken_away(panel: ParametersPanel, features) -> None:
    choose(panel.findChild(QComboBox, "feature_preset"), "paper-sas")
    for name in ("mean", "entropy"):
        tick(panel, name, Qt.CheckState.Unchecked)
    assert features[-1] == FeatureChoice(("entropy",), 21)


def test_a_preset_brings_its_window_unless_the_operator_has_set_one(
    panel: ParametersPanel, features
) -> None:
    preset = panel.findChild(QComboBox, "feature_preset")
    choose(preset, "seabed-fine")
    choose(preset, "paper-sas")
    assert features == [FeatureChoice("seabed-fine", 9), FeatureChoice("paper-sas", 21)]
    panel.set_session(Session(features=FeatureChoice("paper-sas", 31)))
    choose(preset, "seabed-fine")
    assert features[-1] == FeatureChoice("seabed-fine", 31)


def test_a_preset_ticks_its_features(panel: ParametersPanel, features) -> None:
    choose(panel.findChild(QComboBox, "feature_preset"), "paper-sas")
    assert features == [FeatureChoice("paper-sas")]
    tick(panel, "mean", Qt.CheckState.Unchecked)
    assert features[-1] == FeatureChoice(("entropy",), 21)


def test_the_feature_window_stays_odd(panel: ParametersPanel, features) -> None:
    box(panel, "feature_window").setValue(30)
    assert features[-1].window % 2 == 1


# -- for everybody ----------------------------------------------------------------------------


def test_every_control_has_a_name_for_screen_readers_and_a_tooltip(
    panel: ParametersPanel,
) -> None:
    for kind in (QSlider, QDoubleSpinBox, QComboBox, QCheckBox):
        for control in panel.findChildren(kind):
            assert control.accessibleName() or control.text(), control.objectName()
            assert control.toolTip(), control.objectName()


def test_every_slider_has_a_label_that_leads_to_it(panel: ParametersPanel) -> None:
    led_to = {label.buddy() for label in panel.findChildren(QLabel)}
    for name in SLIDERS:
        assert slider(panel, name) in led_to


def test_the_wheel_scrolls_the_panel_and_turns_no_slider(panel: ParametersPanel, told) -> None:
    panel.show()
    target: QAbstractSlider = slider(panel, "rate")
    wheel = QWheelEvent(
        QPointF(5, 5),
        target.mapToGlobal(QPointF(5, 5)),
        QPoint(0, 0),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(target, wheel)
    assert told == []


def test_nothing_is_cut_off_at_the_least_width(panel: ParametersPanel) -> None:
    panel.show()
    panel.resize(panel.minimumSizeHint())
    for label in panel.findChildren(QLabel):
        if label.isVisible() and not label.wordWrap():
            assert label.width() >= label.sizeHint().width(), label.text()
