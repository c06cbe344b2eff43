"""The figures follow the chain, and a verdict holds only for the target it was found under."""

from __future__ import annotations

import pytest

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui import run_stats as meter_module
from pmlda_gui.gui.run_stats import TOO_EARLY, Meter
from tests.gui.small_scenes import small_run


def test_a_change_takes_the_verdict_back(monkeypatch: pytest.MonkeyPatch) -> None:
    run = small_run()
    meter = Meter(run)
    monkeypatch.setattr(meter_module, "QUIET_SECONDS", 0.0)
    meter.record(run, run.sweep(120), 1.0)
    assert meter.figures.verdict != TOO_EARLY
    assert meter.figures.rhat
    monkeypatch.setattr(meter_module, "QUIET_SECONDS", 60.0)
    run.set_parameters(Parameters(3, rate=7.0))
    meter.record(run, run.sweep(1), 0.1)
    assert meter.figures.verdict == TOO_EARLY
    assert not meter.figures.rhat
    run.close()


def test_no_verdict_is_sought_again_before_there_is_news(monkeypatch: pytest.MonkeyPatch) -> None:
    run = small_run()
    meter = Meter(run)
    sought: list[int] = []
    diagnose = run.diagnosis
    monkeypatch.setattr(run, "diagnosis", lambda: (sought.append(run.sweeps), diagnose())[1])
    for name in ("QUIET_SECONDS", "DIAGNOSIS_SECONDS", "DIAGNOSIS_REST"):
        monkeypatch.setattr(meter_module, name, 0.0)
    meter.record(run, run.sweep(200), 1.0)
    for _ in range(6):
        meter.record(run, run.sweep(1), 0.1)
    assert sought == [200, 204]
    run.close()


def test_the_figures_tell_which_words_are_learned_from() -> None:
    run = small_run()
    figures = Meter(run).figures
    assert figures.words == figures.all_words == run.prepared.corpus.size
    assert figures.stride == run.prepared.stride
    run.close()
