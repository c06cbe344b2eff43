"""A menu of colours that are told apart with any colour vision, and a button that shows one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QColor
from PySide6.QtWidgets import QColorDialog, QMenu, QToolButton, QWidget

from pmlda_gui.gui.icons import colour_icon
from pmlda_gui.workspace.session import Colour

__all__ = ["ColourButton", "ColourMenu", "colour_name"]

# Where on the circle of hues, in degrees, each name ends.
_HUES = (
    (5, "red"),
    (15, "orange red"),
    (45, "orange"),
    (70, "yellow"),
    (170, "green"),
    (195, "turquoise"),
    (245, "blue"),
    (270, "violet"),
    (290, "purple"),
    (345, "pink"),
    (360, "red"),
)

# Which word goes before the hue up to which lightness.
_SHADES = ((0.32, "dark "), (0.72, ""), (0.85, "light "), (1.0, "pale "))
# Colours of less saturation than this are dull, and below this lightness dark.
_DULL, _DARK_AND_DULL = 0.4, 0.45


def colour_name(colour: Colour) -> str:
    """The usual name of a colour, for screen readers and colour-blind operators."""
    exact = QColor(*colour)
    lightness = exact.lightnessF()
    if exact.hslSaturationF() < 0.15 or not 0.05 < lightness < 0.95:
        return "black" if lightness < 0.15 else "white" if lightness > 0.9 else "grey"
    hue = next(name for end, name in _HUES if exact.hslHueF() * 360 <= end)
    if hue == "orange" and lightness < 0.45:
        hue, lightness = "brown", lightness * 1.5
    if exact.hslSaturationF() < _DULL:
        return f"{'dark' if lightness < _DARK_AND_DULL else 'dull'} {hue}"
    shade = next(word for limit, word in _SHADES if lightness < limit)
    return f"{shade}{hue}"


class ColourMenu(QMenu):
    """Offers colours and, as the last entry, any other one; `chosen` carries a Colour."""

    chosen = Signal(object)

    def __init__(self, colours: Sequence[Colour], parent: QWidget) -> None:
        super().__init__(parent)
        self._colours = tuple(colours)
        self._current: Colour = self._colours[0]
        self.aboutToShow.connect(self._fill)
        self.triggered.connect(self._take)

    def set_current(self, colour: Colour) -> None:
        """The colour that the chooser of any other colour begins with."""
        self._current = colour

    @Slot()
    def _fill(self) -> None:
        # Made when shown, so that the borders of the swatches follow the theme.
        self.clear()
        for colour in self._colours:
            name = colour_name(colour).capitalize()
            self.addAction(colour_icon(colour), name).setData(colour)
        self.addSeparator()
        self.addAction("Other colour…")

    @Slot(QAction)
    def _take(self, action: QAction) -> None:
        colour = action.data()
        if colour is None:
            picked = QColorDialog.getColor(
                QColor(*self._current), self.parentWidget(), "Choose a colour"
            )
            if not picked.isValid():
                return
            colour = (picked.red(), picked.green(), picked.blue())
        self.chosen.emit(tuple(colour))


class ColourButton(QToolButton):
    """A button in one colour that offers others; `colour_changed` carries a Colour."""

    colour_changed = Signal(object)

    def __init__(self, colours: Sequence[Colour], parent: QWidget) -> None:
        super().__init__(parent)
        self._menu = ColourMenu(colours, self)
        self._menu.chosen.connect(self._take)
        self.setMenu(self._menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.set_colour(colours[0])

    @property
    def colour(self) -> Colour:
        """The colour shown."""
        return self._colour

    def set_colour(self, colour: Colour) -> None:
        """Show a colour without telling anyone."""
        self._colour = colour
        self._menu.set_current(colour)
        self.setIcon(colour_icon(colour))
        self.setToolTip(f"{colour_name(colour).capitalize()}; choose another colour")

    @Slot(object)
    def _take(self, colour: Colour) -> None:
        if colour != self._colour:
            self.set_colour(colour)
            self.colour_changed.emit(colour)
