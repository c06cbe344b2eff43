"""The chain's figures in words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel
from pytestqt.qtbot import QtBot

from pmlda_gui.gui.frame import Figures
from pmlda_gui.gui.panels.chain_panel import (
    ChainPanel,
    duration_text,
    speed_text,
    steps_text,
    verdict_details,
)


@pytest.fixture
def panel(qtbot: QtBot) -> ChainPanel:
    panel = ChainPanel()
    qtbot.addWidget(panel)
    return panel


def enabled(panel: ChainPanel) -> set[str]:
    names = ("run", "pause", "step", "restart")
    return {name for name in names if panel.findChild(QAbstractButton, name).isEnabled()}


def test_only_buttons_that_make_sense_can_be_pressed(panel: ChainPanel) -> None:
    assert enabled(panel) == set()
    panel.set_state(ready=True, running=False)
    assert enabled(panel) == {"run", "step", "restart"}
    panel.set_state(ready=True, running=True)
    assert enabled(panel) == {"pause", "restart"}


def test_a_label_stays_level_with_the_first_line_of_its_figure(panel: ChainPanel) -> None:
    panel.set_figures(Figures(verdict="nearly settled maps, but the likelihood still moves " * 2))
    panel.resize(244, 300)
    panel.show()
    panel.findChild(QAbstractButton, "light_details").click()
    verdict = panel.findChild(QLabel, "verdict_label")
    title = next(label for label in panel.findChildren(QLabel) if label.text() == "Verdict")
    assert verdict.height() > 2 * verdict.fontMetrics().height()
    assert title.geometry().top() == verdict.geometry().top()
    assert title.alignment() & Qt.AlignmentFlag.AlignTop


def test_the_focus_stays_with_run_and_pause_and_never_wanders_to_restart(
    panel: ChainPanel, qtbot: QtBot
) -> None:
    panel.set_state(ready=True, running=True)
    with qtbot.waitActive(panel):
        panel.show()
        panel.activateWindow()
    run, pause = (panel.findChild(QAbstractButton, name) for name in ("run", "pause"))
    pause.setFocus()
    panel.set_state(ready=True, running=False)
    assert run.hasFocus()
    panel.set_state(ready=True, running=True)
    assert pause.hasFocus()


@pytest.mark.parametrize("name", ["run", "pause", "step", "restart"])
def test_each_button_asks_for_what_it_says(panel: ChainPanel, qtbot: QtBot, name: str) -> None:
    panel.set_state(ready=True, running=name == "pause")
    with qtbot.waitSignal(getattr(panel, f"{name}_requested"), timeout=500):
        panel.findChild(QAbstractButton, name).click()


def test_sweeps_and_speed_are_shown_under_the_names_automation_knows(panel: ChainPanel) -> None:
    panel.set_figures(Figures(sweep=1234, words_per_second=2.34e6, verdict="settled"))
    assert panel.findChild(QLabel, "sweep_label").text() == "1,234"
    assert panel.findChild(QLabel, "rate_label").text() == "2.3 million words/s"
    assert panel.findChild(QLabel, "verdict_label").text() == "settled"


@pytest.mark.parametrize(
    ("words", "all_words", "stride", "text"),
    [
        (1258, 1258, 16, "1,258 words, every 16th row and column"),
        (1258, 1258, 3, "1,258 words, every 3rd row and column"),
        (900, 900, 12, "900 words, every 12th row and column"),
        (326_400, 326_400, 1, "326,400 words, every pixel"),
        (5100, 326_400, 1, "5,100 of 326,400 words, to begin with"),
    ],
)
def test_the_words_that_are_learned_from_are_told(
    panel: ChainPanel, words: int, all_words: int, stride: int, text: str
) -> None:
    panel.set_figures(Figures(words=words, all_words=all_words, stride=stride))
    assert panel.findChild(QLabel, "words_label").text() == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.21, "3.2 s"), (75, "1 min 15 s"), (7384, "2 h 03 min")]
)
def test_durations_are_told_as_a_person_would(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("speed", "text"),
    [(950, "950 words/s"), (45_300, "45.3 thousand words/s"), (6.1e6, "6.1 million words/s")],
)
def test_speeds_have_units(speed: float, text: str) -> None:
    assert speed_text(speed) == text


def test_samplers_that_propose_tell_what_was_accepted() -> None:
    figures = Figures(sampler="paper", steps={"memberships": 0.31, "documents": 0.5})
    assert steps_text(figures) == "accepted: 31 % of memberships, 50 % of documents"


def test_the_figures_behind_the_verdict_are_told_by_quantity() -> None:
    figures = Figures(sizes={"memberships": 81.4}, rhat={"memberships": 1.024})
    assert "memberships: R-hat 1.02, worth 81 independent sweeps" in verdict_details(figures)
