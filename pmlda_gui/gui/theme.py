"""Light and dark: one palette each, chosen by the operator or by the system.

Every colour of the window comes from here, so that a plot, an icon and a button
change together.  Text keeps at least the contrast 4.5 to 1 against what it lies on.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from string import Template
from typing import Literal, get_args

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.resources import resource

__all__ = ["DARK", "LIGHT", "ThemeColours", "ThemeName", "apply_theme", "theme_colours"]

ThemeName = Literal["system", "light", "dark"]


@dataclass(frozen=True)
class ThemeColours:
    """The colours of a theme, each as #rrggbb.

    `window` is behind panels, `base` behind lists, boxes and plots; `text`, `muted`
    and `disabled` are written on both; `accent` marks what is chosen, with
    `on_accent` written on it; `line` divides, `raised` fills buttons; `warning`
    marks what needs attention.
    """

    window: str
    base: str
    raised: str
    line: str
    text: str
    muted: str
    disabled: str
    accent: str
    on_accent: str
    warning: str


LIGHT = ThemeColours(
    window="#f2f4f6",
    base="#ffffff",
    raised="#fafbfc",
    line="#c9d1d8",
    text="#1b262e",
    muted="#55636e",
    disabled="#9aa5ae",
    accent="#0a6a94",
    on_accent="#ffffff",
    warning="#9a4b00",
)
DARK = ThemeColours(
    window="#20262b",
    base="#171c20",
    raised="#343e46",
    line="#4a5660",
    text="#e4e9ed",
    muted="#a0adb8",
    disabled="#66737e",
    accent="#56b3e0",
    on_accent="#0b1a22",
    warning="#f0a860",
)


def apply_theme(application: QApplication, choice: ThemeName = "system") -> None:
    """Dress the application; "system" goes on following the system's light and dark."""
    if choice not in get_args(ThemeName):
        raise PmldaError(f"There is no theme {choice!r}; choose system, light or dark.")
    keeper = application.findChild(_ThemeKeeper)
    if keeper is None:
        keeper = _ThemeKeeper(application)
    keeper.choose(choice)


def theme_colours() -> ThemeColours:
    """The colours in effect now."""
    return DARK if QApplication.palette().window().color().lightness() < 128 else LIGHT


class _ThemeKeeper(QObject):
    """Lives in the application and repaints it when the system changes sides."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._choice: ThemeName = "system"
        self._shown: ThemeColours | None = None
        application.setStyle("Fusion")
        application.styleHints().colorSchemeChanged.connect(self._dress)

    def choose(self, choice: ThemeName) -> None:
        self._choice = choice
        schemes = {
            "system": Qt.ColorScheme.Unknown,
            "light": Qt.ColorScheme.Light,
            "dark": Qt.ColorScheme.Dark,
        }
        # Frames drawn by the system, such as title bars and file dialogs, follow this.
        self._application.styleHints().setColorScheme(schemes[choice])
        self._dress()

    @Slot()
    def _dress(self) -> None:
        dark = self._choice == "dark" or (
            self._choice == "system" and _system_is_dark(self._application)
        )
        colours = DARK if dark else LIGHT
        if colours == self._shown:
            return
        self._shown = colours
        self._application.setPalette(_palette(colours))
        sheet = Template(resource("style", "application.qss").read_text(encoding="utf-8"))
        tick = resource("style", "tick-on-dark.svg" if dark else "tick-on-light.svg")
        self._application.setStyleSheet(sheet.substitute(asdict(colours), tick=tick.as_posix()))


def _system_is_dark(application: QApplication) -> bool:
    return application.styleHints().colorScheme() == Qt.ColorScheme.Dark


def _palette(colours: ThemeColours) -> QPalette:
    roles = QPalette.ColorRole
    palette = QPalette()
    for role, colour in {
        roles.Window: colours.window,
        roles.WindowText: colours.text,
        roles.Base: colours.base,
        roles.AlternateBase: colours.raised,
        roles.Text: colours.text,
        roles.PlaceholderText: colours.muted,
        roles.Button: colours.raised,
        roles.ButtonText: colours.text,
        roles.BrightText: colours.warning,
        roles.ToolTipBase: colours.raised,
        roles.ToolTipText: colours.text,
        roles.Highlight: colours.accent,
        roles.HighlightedText: colours.on_accent,
        roles.Accent: colours.accent,
        roles.Link: colours.accent,
        roles.LinkVisited: colours.accent,
        roles.Mid: colours.line,
        roles.Midlight: colours.line,
        roles.Dark: colours.line,
        roles.Light: colours.raised,
        roles.Shadow: colours.line,
    }.items():
        palette.setColor(role, QColor(colour))
    disabled = QPalette.ColorGroup.Disabled
    for role in (roles.WindowText, roles.Text, roles.ButtonText, roles.HighlightedText):
        palette.setColor(disabled, role, QColor(colours.disabled))
    palette.setColor(disabled, roles.Highlight, QColor(colours.line))
    palette.setColor(disabled, roles.Accent, QColor(colours.line))
    return palette
