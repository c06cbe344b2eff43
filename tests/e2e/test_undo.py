"""Whatever an operator sets in the window, one step back brings the session as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QSlider, QSpinBox

from pmlda_gui.imagery.scenes import make_scene
from tests.e2e.driver import Script, Stage, drive

pytestmark = pytest.mark.usefixtures("qapp")

Deed = Callable[[Stage], object]


def moved(name: str) -> Deed:
    def deed(stage: Stage) -> None:
        slider = stage.find(QSlider, name)
        slider.setValue(slider.value() + 3)

    return deed


def ticked(name: str) -> Deed:
    return lambda stage: stage.find(QCheckBox, name).click()


def chosen(name: str, row: int) -> Deed:
    return lambda stage: stage.find(QComboBox, name).setCurrentIndex(row)


def typed(name: str, value: float) -> Deed:
    return lambda stage: stage.find(QDoubleSpinBox, name).setValue(value)


def windows_of_31_pixels(stage: Stage) -> None:
    stage.find(QSpinBox, "document_window").setValue(31)


def topic_renamed(stage: Stage) -> None:
    stage.window.topics.list.item(1).setText("ripple")


def topic_recoloured(stage: Stage) -> None:
    stage.window.topics.list.setCurrentRow(0)
    stage.window.topics.colour_menu.chosen.emit((1, 2, 3))


def topic_moved(stage: Stage) -> None:
    stage.window.topics.list.setCurrentRow(0)
    stage.window.topics.down.trigger()


def topics_merged(stage: Stage) -> None:
    topics = stage.window.topics
    topics.list.setCurrentRow(0)
    topics.merge.trigger()
    topics.merge_menu.actions()[0].trigger()
    topics.merge_menu.close()


def feature_ticked(stage: Stage) -> None:
    stage.window.parameters.features.features.item(1).setCheckState(Qt.CheckState.Checked)


DEEDS: dict[str, list[Deed]] = {
    "topics": [moved("topics")],
    "smoothness": [moved("smoothness"), moved("coupling")],
    "rate": [moved("rate")],
    "alpha": [moved("alpha")],
    "an alpha of one topic": [ticked("alpha_each"), typed("alphas_0", 3.0)],
    "scaling": [ticked("scaling_fixed"), moved("scaling")],
    "fuzzifier": [moved("fuzzifier")],
    "shares": [ticked("proportions_fixed"), typed("shares_0", 0.5)],
    "documents": [moved("document_count")],
    "windows": [chosen("document_kind", 4), windows_of_31_pixels],
    "features": [chosen("feature_preset", 1), feature_ticked],
    "feature window": [moved("feature_window")],
    "sampler": [chosen("sampler", 1), chosen("sampler", 0)],
    "display": [chosen("display_scale", 1), chosen("display_colours", 2), moved("gamma")],
    "outlines": [moved("outlines_opacity"), ticked("outlines_shown")],
    "estimate": [lambda stage: stage.trigger("estimate_map")],
    "pictures": [lambda stage: stage.trigger("show_labels")],
    "a topic's name": [topic_renamed],
    "a topic's colour": [topic_recoloured],
    "a topic's place": [topic_moved],
    "merged topics": [topics_merged],
}


def test_every_setting_can_be_undone_and_redone(tmp_path: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        history = stage.controller.history
        for name, deeds in DEEDS.items():
            before = history.session
            states = [before]
            for deed in deeds:
                deed(stage)
                assert history.session != states[-1], name
                states.append(history.session)
            assert history.undo_text, name
            while history.can_undo and history.session != before:
                stage.trigger("undo")
            assert history.session == before, name
            shown = stage.window.parameters.model
            assert shown.parameters == before.parameters, name
            while history.can_redo:
                stage.trigger("redo")
            assert history.session == states[-1], name
            while history.session != before:
                stage.trigger("undo")

    image = tmp_path / "seabed.npy"
    np.save(image, make_scene("demo", (60, 50)).image.pixels)
    assert drive([str(image)], script) == 0
