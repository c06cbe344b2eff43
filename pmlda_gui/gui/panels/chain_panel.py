"""The chain panel: run, pause, step, restart, and the progress of the chain."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.frame import Figures
from pmlda_gui.gui.icons import icon
from pmlda_gui.gui.panels.sections import row_label
from pmlda_gui.gui.widgets.light_label import LightLabel

__all__ = ["ChainPanel", "duration_text", "speed_text", "steps_text", "verdict_details"]

_DETAILS = ("rate_label", "words_label", "verdict_label", "details_label")
_BUTTONS = (
    ("run", "Run", "Run the chain (F5)"),
    ("pause", "Pause", "Pause the chain (F6)"),
    ("step", "Step", "Do one sweep (F7)"),
    ("restart", "Restart", "Start again from the first sweep (F8)"),
)


def speed_text(words_per_second: float) -> str:
    """Words per second with a unit of thousands or millions."""
    for size, unit in ((1e6, "million"), (1e3, "thousand")):
        if words_per_second >= size:
            return f"{words_per_second / size:.1f} {unit} words/s"
    return f"{words_per_second:.0f} words/s"


def duration_text(seconds: float) -> str:
    """Hours, minutes and seconds, as far as needed."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{seconds:.1f} s"


def steps_text(figures: Figures) -> str:
    """What the sampler reports of each block, in words."""
    if not figures.steps:
        return "–"
    if figures.sampler == "fast":
        parts = [f"{value:.3g} for {name}" for name, value in figures.steps.items()]
        return f"tries a draw: {', '.join(parts)}"
    parts = [f"{100 * value:.0f} % of {name}" for name, value in figures.steps.items()]
    return f"accepted: {', '.join(parts)}"


def verdict_details(figures: Figures) -> str:
    """The figures behind the verdict, one quantity a line."""
    lines = [
        f"{name}: R-hat {figures.rhat[name]:.2f}, worth {size:.0f} independent sweeps"
        for name, size in figures.sizes.items()
    ]
    if figures.map_change is not None:
        change = f"{100 * figures.map_change:.1f} % from earlier draws to later ones"
        lines.insert(0, f"maps: changed by {change}")
    return "\n".join(lines) or "–"


class ChainPanel(QWidget):
    """Buttons and figures; the signals say which button was pressed."""

    run_requested = Signal()
    pause_requested = Signal()
    step_requested = Signal()
    restart_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chain_panel")
        self.setAccessibleName("Chain")
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        signals = {
            "run": self.run_requested,
            "pause": self.pause_requested,
            "step": self.step_requested,
            "restart": self.restart_requested,
        }
        self._buttons: dict[str, QToolButton] = {}
        for name, text, tip in _BUTTONS:
            button = QToolButton(self)
            button.setObjectName(name)
            button.setText(text)
            button.setIcon(icon(name))
            button.setIconSize(QSize(20, 20))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setToolTip(tip)
            button.setAccessibleName(text)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.clicked.connect(signals[name])
            buttons.addWidget(button)
            self._buttons[name] = button
        self.light = LightLabel(self)
        self.light.details.toggled.connect(self._show_details)
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(2)
        form.setHorizontalSpacing(8)
        self._labels: dict[str, QLabel] = {}
        self._form = form
        for name, title in (
            ("sweep_label", "Sweeps"),
            ("time_label", "Running"),
            ("rate_label", "Speed"),
            ("words_label", "Learns from"),
            ("verdict_label", "Verdict"),
            ("details_label", "In figures"),
        ):
            label = QLabel("–", self)
            label.setObjectName(name)
            label.setAccessibleName(title)
            label.setWordWrap(True)
            label.setMinimumWidth(60)
            self._labels[name] = label
            form.addRow(row_label(title, self), label)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.addLayout(buttons)
        layout.addWidget(self.light)
        layout.addLayout(form)
        layout.addStretch(1)
        self._show_details(False)
        self.set_state(ready=False, running=False)

    @Slot(bool)
    def _show_details(self, shown: bool) -> None:
        """Unfold what the light rests on, or fold it up."""
        for name in _DETAILS:
            self._form.setRowVisible(self._labels[name], shown)

    def set_state(self, ready: bool, running: bool) -> None:
        """Enable what makes sense: `ready` says whether there is anything to run."""
        run, pause = self._buttons["run"], self._buttons["pause"]
        focused = run.hasFocus() or pause.hasFocus()
        for name, enabled in (
            ("run", ready and not running),
            ("pause", ready and running),
            ("step", ready and not running),
            ("restart", ready),
        ):
            self._buttons[name].setEnabled(enabled)
        if focused and ready:
            # Otherwise the focus wanders on to Restart, where the next key would do harm.
            (pause if running else run).setFocus()

    def set_figures(self, figures: Figures) -> None:
        """Show how the chain is doing."""
        texts = {
            "sweep_label": f"{figures.sweep:,}",
            "words_label": figures.learned_from if figures.words else "–",
            "rate_label": speed_text(figures.words_per_second),
            "time_label": duration_text(figures.seconds),
            "verdict_label": figures.verdict or "–",
            "details_label": verdict_details(figures),
        }
        self.light.set_light(figures.light)
        for name, text in texts.items():
            if self._labels[name].text() != text:
                self._labels[name].setText(text)
        self._labels["rate_label"].setToolTip(f"Sampler: {steps_text(figures)}")
