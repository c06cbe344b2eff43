"""A chain rests when its light is final, but never with a change that it has yet to take."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject, Signal

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.resting import Resting
from pmlda_gui.workspace.analysis.light import Light
from pmlda_gui.workspace.session import Session
from pmlda_gui.workspace.settings import settings


class Chain(QObject):
    state_changed = Signal()
    running = True


class Stand(QObject):
    """What `Resting` needs of a controller."""

    ticked = Signal()
    changed = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self.chain = Chain(self)
        self.presenter = SimpleNamespace(snapshot=None)

    def show(self, final: bool, marks: int = 0, run: int = 1) -> None:
        light = Light("green" if final else "amber", "", final=final)
        self.presenter.snapshot = SimpleNamespace(
            run=run, marks=((0, ""),) * marks, figures=SimpleNamespace(light=light)
        )
        self.ticked.emit()

    def pause(self) -> None:
        self.chain.running = False
        self.chain.state_changed.emit()

    def run(self) -> None:
        self.chain.running = True
        self.chain.state_changed.emit()

    def change(self) -> None:
        before = Session()
        self.changed.emit(before, replace(before, seed=before.seed + 1))


@pytest.fixture
def stand(qapp: Any) -> Stand:
    settings().set("chain/rest", "yes")
    made = Stand()
    made.resting = Resting(cast(Controller, made))  # type: ignore[attr-defined]
    return made


def test_a_final_light_lets_the_chain_rest(stand: Stand) -> None:
    stand.show(final=False)
    assert stand.chain.running
    stand.show(final=True)
    assert not stand.chain.running


def test_the_light_of_before_a_change_pauses_nothing(stand: Stand) -> None:
    # The change comes while the light turns final: what is shown still belongs to the old target.
    stand.show(final=False)
    stand.change()
    stand.show(final=True)
    assert stand.chain.running
    stand.show(final=False, marks=1)
    stand.show(final=True, marks=1)
    assert not stand.chain.running


def test_a_change_wakes_a_chain_that_rests(stand: Stand) -> None:
    stand.show(final=True)
    stand.change()
    assert stand.chain.running
    stand.ticked.emit()
    assert stand.chain.running
    stand.show(final=True, run=2)
    assert not stand.chain.running


def test_whoever_presses_run_on_a_finished_chain_has_it_run_on(stand: Stand) -> None:
    stand.show(final=True)
    stand.run()
    stand.ticked.emit()
    assert stand.chain.running
