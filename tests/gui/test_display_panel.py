"""Contrast, colours and outlines."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QSlider

from pmlda_gui.gui.panels.colour_menu import colour_name
from pmlda_gui.gui.panels.display_panel import DisplayPanel, OutlinesPanel
from pmlda_gui.imagery.display import Display
from pmlda_gui.imagery.histogram import source_histogram
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.topic_palette import TOPIC_COLOURS
from pmlda_gui.workspace.session import Colour, OutlineLook


@pytest.fixture
def panel(qtbot) -> DisplayPanel:
    made = DisplayPanel()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def told(panel: DisplayPanel) -> list[Display]:
    heard: list[Display] = []
    panel.display_changed.connect(heard.append)
    return heard


def test_every_control_tells_a_display_with_that_change_only(panel, told) -> None:
    panel.findChild(QComboBox, "display_scale").setCurrentIndex(1)
    panel.findChild(QComboBox, "display_colours").setCurrentIndex(2)
    panel.findChild(QDoubleSpinBox, "display_low").setValue(3.0)
    panel.findChild(QDoubleSpinBox, "display_high").setValue(97.0)
    panel.findChild(QDoubleSpinBox, "gamma_box").setValue(2.0)
    assert told == [
        Display("log"),
        Display("log", colours="cividis"),
        Display("log", 3.0, colours="cividis"),
        Display("log", 3.0, 97.0, colours="cividis"),
        Display("log", 3.0, 97.0, 2.0, "cividis"),
    ]


def test_the_percentiles_never_cross(panel, told) -> None:
    panel.findChild(QDoubleSpinBox, "display_low").setValue(99.9)
    assert told[-1].low < told[-1].high
    panel.findChild(QDoubleSpinBox, "display_high").setValue(0.0)
    assert told[-1].low < told[-1].high


def test_showing_a_display_tells_nothing(panel, told) -> None:
    panel.set_display(Display("log", 5.0, 95.0, 1.7, "copper"))
    assert told == []
    assert panel.findChild(QDoubleSpinBox, "gamma_box").value() == 1.7


def test_outlines_are_switched_coloured_and_faded(qtbot) -> None:
    panel = OutlinesPanel()
    qtbot.addWidget(panel)
    told: list[OutlineLook] = []
    panel.look_changed.connect(told.append)
    shown = panel.findChild(QCheckBox, "outlines_shown")
    shown.click()
    shown.click()
    panel.colour.menu().aboutToShow.emit()
    panel.colour.menu().actions()[2].trigger()
    opacity = panel.findChild(QSlider, "outlines_opacity")
    opacity.setValue(opacity.maximum())
    assert told == [
        OutlineLook(False),
        OutlineLook(True),
        OutlineLook(True, (0, 0, 0)),
        OutlineLook(True, (0, 0, 0), 1.0),
    ]


@pytest.mark.parametrize(
    ("colour", "name"),
    [
        ((255, 255, 255), "white"),
        ((0, 0, 0), "black"),
        ((128, 128, 128), "grey"),
        ((0, 114, 178), "blue"),
        ((136, 0, 0), "dark red"),
        ((204, 64, 64), "red"),
        ((170, 153, 255), "light violet"),
        ((255, 0, 1), "red"),
    ],
)
def test_colours_have_names_that_can_be_heard(colour: Colour, name: str) -> None:
    assert colour_name(colour) == name


def test_no_two_colours_on_offer_have_the_same_name() -> None:
    names = [colour_name(colour) for colour in TOPIC_COLOURS]
    assert len(set(names)) == len(names), names


def test_outlines_that_are_hidden_have_nothing_to_set(qtbot) -> None:
    panel = OutlinesPanel()
    qtbot.addWidget(panel)
    panel.set_view(OutlineLook(False))
    assert not panel.findChild(QSlider, "outlines_opacity").isEnabled()


def test_the_handles_of_the_histogram_set_the_clip(panel: DisplayPanel) -> None:
    pixels = np.tile(np.arange(1000, dtype=np.float32), (20, 1))
    image = Image(pixels, np.ones(pixels.shape, np.bool_))
    panel.set_histogram(source_histogram(image, Display()))
    assert panel.histogram.handles.getRegion() == pytest.approx((10.0, 989.0), abs=2.0)
    told: list[Display] = []
    panel.display_changed.connect(told.append)
    panel.histogram.handles.lines[0].setValue(250.0)
    assert told[-1].low == pytest.approx(25.0, abs=0.1)
    assert told[-1].high == pytest.approx(99.0, abs=0.2)
    assert panel.low.value() == pytest.approx(25.0, abs=0.1)
