"""A whole program for tests of its flows: real threads, small images, slow work on demand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from pmlda_gui.gui.program import Program
from tests.gui.small_scenes import small_image

PATIENCE_MILLISECONDS = 60_000
Shown = TypeVar("Shown", bound=QWidget)


def image_file(folder: Path, name: str) -> Path:
    """A small image in a file; images of other names are other images."""
    path = folder / name
    pixels = small_image().pixels
    np.save(path, pixels + np.float32(len(name)))
    return path


class Held:
    """Work that waits until it is let go; `reached` once it has begun."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._go = threading.Event()

    def wait(self) -> None:
        """Called by the work."""
        self.reached.set()
        assert self._go.wait(PATIENCE_MILLISECONDS / 1000)

    def let_go(self) -> None:
        """Called by the test."""
        self._go.set()


def hold(monkeypatch: pytest.MonkeyPatch, module: object, name: str, when: str = "") -> Held:
    """Have a function wait, if the text of its arguments holds `when`."""
    held, function = Held(), getattr(module, name)

    def waiting(*arguments: object, **named: object) -> object:
        if when in str(arguments):
            held.wait()
        return function(*arguments, **named)

    monkeypatch.setattr(module, name, waiting)
    return held


class Flows:
    """What an operator does and sees."""

    def __init__(self, program: Program, qtbot: QtBot) -> None:
        self.program = program
        self.controller = program.controller
        self.window = program.window
        self.files = program.files
        self._qtbot = qtbot

    def until(self, holds: Callable[[], object]) -> None:
        self._qtbot.waitUntil(lambda: bool(holds()), timeout=PATIENCE_MILLISECONDS)

    def settle(self) -> None:
        """Wait until no job is under way and no thread of one is left."""
        self.until(lambda: self.controller.jobs.all_ended)

    def catch_up(self) -> None:
        """Wait until the chain has done what it was told, and the window has seen it."""
        answers: list[int] = []
        self.controller.chain.ask(lambda run: run.sweeps, answers.append)
        self.until(lambda: answers)

    def open(self, path: Path) -> None:
        """Open an image and wait for its first map."""
        self.files.open([path])
        self.until(lambda: self.controller.presenter.snapshot is not None)
        self.settle()

    def change(self, rate: float = 3.0) -> None:
        """Do something that is worth saving."""
        parameters = replace(self.controller.session.parameters, rate=rate)
        self.controller.do("Change the rate", parameters=parameters)

    @property
    def names(self) -> list[str]:
        return [entry.name for entry in self.controller.session.images]

    @property
    def told(self) -> str:
        return self.window.message_bar.text

    def trigger(self, name: str) -> None:
        self.window.actions_by_name[name].trigger()

    def shown(self, kind: type[Shown]) -> Shown | None:
        return next((each for each in self.window.findChildren(kind) if each.isVisible()), None)

    @property
    def question(self) -> QMessageBox | None:
        return self.shown(QMessageBox)

    def answer(self, button: QMessageBox.StandardButton) -> None:
        """Press a button of the question that is shown."""
        question = self.question
        assert question is not None, "nothing was asked"
        question.button(button).click()
