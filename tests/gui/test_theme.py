"""Light and dark, and icons that follow them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import fields

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui import theme
from pmlda_gui.gui.icons import IconLabel, colour_icon, icon
from pmlda_gui.gui.theme import DARK, LIGHT, ThemeColours, apply_theme, theme_colours
from pmlda_gui.resources import resource_names


@pytest.fixture
def application(qapp) -> Iterator[object]:
    """The application, which the next test finds as it was."""
    yield qapp
    apply_theme(qapp, "light")


def luminance(colour: str) -> float:
    parts = [value / 255 for value in QColor(colour).getRgb()[:3]]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_text_is_readable_on_everything_it_lies_on(colours: ThemeColours) -> None:
    for ground in (colours.window, colours.base, colours.raised):
        for text in (colours.text, colours.muted, colours.warning):
            assert contrast(text, ground) >= 4.5
    assert contrast(colours.on_accent, colours.accent) >= 4.5
    assert contrast(colours.accent, colours.window) >= 3.0


@pytest.mark.parametrize(("choice", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_a_chosen_theme_dresses_the_whole_application(
    application, choice: str, colours: ThemeColours
) -> None:
    apply_theme(application, choice)
    assert application.palette().window().color().name() == colours.window
    assert application.palette().text().color().name() == colours.text
    assert theme_colours() == colours
    assert colours.muted in application.styleSheet()


@pytest.mark.parametrize(("choice", "after"), [("system", DARK), ("light", LIGHT)])
def test_only_the_theme_of_the_system_follows_the_system(
    application, monkeypatch, choice: str, after: ThemeColours
) -> None:
    monkeypatch.setattr(theme, "_system_is_dark", lambda _: False)
    apply_theme(application, choice)
    assert theme_colours() == LIGHT
    monkeypatch.setattr(theme, "_system_is_dark", lambda _: True)
    application.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme_colours() == after


def test_no_placeholder_is_left_in_the_style_sheet(application) -> None:
    apply_theme(application, "dark")
    assert "$" not in application.styleSheet()


def test_an_unknown_theme_is_refused_with_a_sentence(application) -> None:
    with pytest.raises(PmldaError, match="choose system, light or dark"):
        apply_theme(application, "sepia")


def test_every_colour_of_a_theme_is_a_colour() -> None:
    for colours in (LIGHT, DARK):
        for field in fields(colours):
            assert QColor(getattr(colours, field.name)).isValid()


def darkest_and_lightest(picture: QImage) -> tuple[int, int]:
    levels = [
        QColor(picture.pixel(x, y)).lightness()
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y).alpha() > 200
    ]
    return min(levels), max(levels)


@pytest.mark.parametrize("name", resource_names("icons", ".svg"))
def test_an_icon_is_dark_on_light_and_light_on_dark(application, name: str) -> None:
    drawn = icon(name)
    apply_theme(application, "light")
    assert darkest_and_lightest(drawn.pixmap(24, 24).toImage())[1] < 128
    apply_theme(application, "dark")
    assert darkest_and_lightest(drawn.pixmap(24, 24).toImage())[0] > 128


def test_icons_are_drawn_at_the_density_of_the_screen(application) -> None:
    assert icon("run").pixmap(QSize(24, 24), 2.0).size() == QSize(48, 48)


def test_an_unknown_icon_is_an_error_that_names_it(application) -> None:
    with pytest.raises(PmldaError, match=r"icons/nothing\.svg"):
        icon("nothing")


def test_icons_survive_copying_and_the_collector(application) -> None:
    copies = [QIcon(icon("run")) for _ in range(50)]
    gc.collect()
    assert all(not copy.pixmap(16, 16).isNull() for copy in copies)


def test_a_lone_icon_follows_the_theme(qtbot, application) -> None:
    apply_theme(application, "light")
    label = IconLabel("warning", 24)
    qtbot.addWidget(label)
    label.show()
    assert darkest_and_lightest(label.pixmap().toImage())[1] < 128
    apply_theme(application, "dark")
    qtbot.waitUntil(lambda: darkest_and_lightest(label.pixmap().toImage())[0] > 128)


def test_a_swatch_keeps_its_colour_when_its_row_is_chosen(application) -> None:
    swatch = colour_icon((213, 94, 0))
    for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
        middle = swatch.pixmap(QSize(16, 16), mode).toImage().pixelColor(8, 8)
        assert middle.getRgb()[:3] == (213, 94, 0)
