"""The model's parameters as sliders: topics, smoothness, rate, alpha, scaling and others.

Whatever is moved, a whole and valid `Parameters` leaves this section, with a key by
which the history joins the steps of one drag.
"""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QToolButton, QWidget

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.icons import icon
from pmlda_gui.gui.panels.sections import control_grid, heading
from pmlda_gui.gui.panels.topic_values import TopicValues, share_out
from pmlda_gui.gui.panels.value_control import LinearScale, LogScale, ValueControl
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS

__all__ = ["DEFAULTS", "ModelSection", "with_topics"]

DEFAULTS = DEFAULT_PARAMETERS
FIRST_FIXED_SCALING = 10.0
_ALPHA_LIMITS = (0.01, 100.0)
# Beyond these nothing is left to see; the default is in the middle.
_RATE_LIMITS = (0.05, 20.0)

_TOPICS = (
    "How many kinds of seabed the program distinguishes.\n"
    "A new topic starts where the present ones explain the image worst;\n"
    "a removed topic is the one used least. The others keep name and colour."
)
_HOW_MANY = (
    "Try 2 to 8 topics on the coarse words, in some seconds, and see which number\n"
    "explains unseen parts of the image best (Ctrl+H)."
)
_SMOOTHNESS = (
    "How far documents act beyond their borders, in feature windows.\n"
    "Left: documents end at their borders, and steps may show there; 0 is the paper's\n"
    "hard documents. Right: no borders show, and the maps become softer."
)
_COUPLING = (
    "How strongly neighbouring documents are pulled together.\n"
    "Left: documents are independent. Right: neighbours have similar mixtures."
)
_RATE = (
    "How narrow the transitions between kinds of seabed are expected to be.\n"
    "Left: wide, gradual transitions. Right: narrow ones, towards a crisp map.\n"
    "It has an effect only while the scaling is learned."
)
_ALPHA = (
    "How many kinds of seabed a document contains.\n"
    "Left: most documents contain one kind. Right: each contains some of every kind."
)
_ALPHA_EACH = "Give each topic its own alpha: a larger one makes that topic more common."
_SCALING = (
    "How closely the pixels of a document resemble one another.\n"
    "Left: each pixel belongs to one kind (crisp). Right: all pixels of a document\n"
    "have nearly the same mixture."
)
_SCALING_FIXED = "Use one scaling for all documents.\nOtherwise each document learns its own."
_FUZZIFIER = (
    "The power to which memberships are raised when they mix the topics in a pixel.\n"
    "1 is a plain mixture. Larger values let the strongest topic dominate, so\n"
    "memberships spread out; at 0 all topics count the same."
)
_PROPORTIONS_FIXED = (
    "Use the same proportions of topics in all documents.\nOtherwise each document learns its own."
)
_PROPORTIONS = (
    "The proportion of each topic in every document.\nThe others adjust so that the sum stays 1."
)


def with_topics(parameters: Parameters, topics: int) -> Parameters:
    """The same settings for another number of topics.

    A new topic gets an average alpha and an equal share; the last ones are dropped.
    """
    alpha = parameters.alpha
    if isinstance(alpha, tuple):
        average = sum(alpha) / len(alpha)
        alpha = (*alpha, *[average] * topics)[:topics]
    shares = parameters.proportions
    if shares is not None:
        missing = max(0, topics - len(shares))
        grown = (*(share * (1 - missing / topics) for share in shares), *[1 / topics] * missing)
        total = sum(grown[:topics])
        shares = tuple(share / total for share in grown[:topics])
    return replace(parameters, topics=topics, alpha=alpha, proportions=shares)


class ModelSection(QWidget):
    """Controls of the model; `parameters_changed` carries Parameters and a merge key."""

    parameters_changed = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parameters = DEFAULTS
        self._last_scaling = FIRST_FIXED_SCALING
        self._hard = False
        self._make_controls()
        self._lay_out()
        self._connect()
        self.set_parameters(DEFAULTS)

    @property
    def parameters(self) -> Parameters:
        """The parameters shown."""
        return self._parameters

    def set_hard(self, hard: bool) -> None:
        """Whether the sampler knows hard documents only, so that some sliders have no say."""
        self._hard = hard
        self.smoothness.set_enabled(not hard)
        self.coupling.set_enabled(not hard)

    def set_parameters(self, parameters: Parameters) -> None:
        """Show parameters without telling anyone."""
        self._parameters = parameters
        if parameters.scaling is not None:
            self._last_scaling = parameters.scaling
        own_alphas = isinstance(parameters.alpha, tuple)
        alphas = tuple(float(value) for value in parameters.alpha_vector)
        shares = parameters.proportions or (1 / parameters.topics,) * parameters.topics
        self.topics.set_value(parameters.topics)
        self.smoothness.set_value(parameters.smoothness)
        self.coupling.set_value(parameters.coupling)
        self.rate.set_value(parameters.rate)
        self.alpha.set_value(_geometric_mean(alphas))
        self.scaling.set_value(self._last_scaling)
        self.fuzzifier.set_value(parameters.fuzzifier)
        for box, ticked in (
            (self.alpha_each, own_alphas),
            (self.scaling_fixed, parameters.scaling is not None),
            (self.proportions_fixed, parameters.proportions is not None),
        ):
            with QSignalBlocker(box):
                box.setChecked(ticked)
        self.alphas.set_values(alphas)
        self.alphas.setVisible(own_alphas)
        self.shares.set_values(shares)
        self.shares.setVisible(parameters.proportions is not None)
        self.equal_shares.setVisible(parameters.proportions is not None)
        self.scaling.set_enabled(parameters.scaling is not None)
        self.rate.set_enabled(parameters.scaling is None)
        self.set_hard(self._hard)

    def _make_controls(self) -> None:
        # In the order in which they are read, which is then that of the Tab key.
        self.how_many = QToolButton(self)
        self.how_many.setObjectName("how_many_topics")
        self.how_many.setText("How many topics?")
        self.how_many.setAutoRaise(True)
        self.how_many.setToolTip(_HOW_MANY)
        self.how_many.setAccessibleName("How many topics?")
        self.how_many.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.topics = ValueControl(
            "topics", "Topics  K", LinearScale(2, 12), DEFAULTS.topics, _TOPICS, self
        )
        self.smoothness = ValueControl(
            "smoothness", "Smoothness", LinearScale(0.0, 3.0, 0.1), DEFAULTS.smoothness,
            _SMOOTHNESS, self, hints=("at borders", "far"),
        )  # fmt: skip
        self.coupling = ValueControl(
            "coupling", "Coupling  τ", LinearScale(0.0, 10.0, 0.1), DEFAULTS.coupling,
            _COUPLING, self, hints=("apart", "alike"),
        )  # fmt: skip
        self.rate = ValueControl(
            "rate", "Rate  λ", LogScale(*_RATE_LIMITS), DEFAULTS.rate, _RATE, self,
            hints=("gradual", "crisp"),
        )  # fmt: skip
        self.scaling_fixed = _tick("scaling_fixed", "fixed for all", _SCALING_FIXED, self)
        self.scaling = ValueControl(
            "scaling", "Scaling", LogScale(0.1, 30000.0), FIRST_FIXED_SCALING, _SCALING, self,
            hints=("crisp", "alike"),
        )  # fmt: skip
        self.alpha = ValueControl(
            "alpha", "Alpha  α", LogScale(*_ALPHA_LIMITS), 1.0, _ALPHA, self,
            hints=("one kind", "many kinds"),
        )  # fmt: skip
        self.alpha_each = _tick("alpha_each", "per topic", _ALPHA_EACH, self)
        self.alphas = TopicValues(
            "alphas", "Alpha", _ALPHA_LIMITS, _ALPHA_EACH, self.alpha_each, self
        )
        self.fuzzifier = ValueControl(
            "fuzzifier", "Fuzzifier  m", LinearScale(-1.0, 10.0, 0.1), DEFAULTS.fuzzifier,
            _FUZZIFIER, self,
        )  # fmt: skip
        self.proportions_fixed = _tick(
            "proportions_fixed", "fixed for all", _PROPORTIONS_FIXED, self
        )
        self.equal_shares = QToolButton(self)
        self.equal_shares.setObjectName("proportions_reset")
        self.equal_shares.setIcon(icon("reset"))
        self.equal_shares.setIconSize(self.topics.reset.iconSize())
        self.equal_shares.setAutoRaise(True)
        self.equal_shares.setToolTip("Reset to equal proportions")
        self.equal_shares.setAccessibleName("Reset the proportions to equal values")
        self.shares = TopicValues(
            "shares", "Proportion", (0.0, 1.0), _PROPORTIONS, self.equal_shares, self
        )

    def _lay_out(self) -> None:
        grid = control_grid(self)
        grid.addWidget(heading("Model", self), 0, 0)
        grid.addWidget(self.how_many, 0, 1, 1, 3, Qt.AlignmentFlag.AlignRight)
        for control in (self.topics, self.smoothness, self.coupling, self.rate):
            control.add_to(grid)
        _label_row(grid, "Scaling  s", self.scaling_fixed, self)
        self.scaling.add_to(grid, with_label=False)
        self.alpha.add_to(grid)
        # Beside the hints of alpha, where there is room.
        grid.addWidget(self.alpha_each, grid.rowCount() - 1, 2, 1, 2)
        grid.addWidget(self.alphas, grid.rowCount(), 0, 1, 4)
        self.fuzzifier.add_to(grid)
        row = _label_row(grid, "Proportions  π", self.proportions_fixed, self)
        grid.addWidget(self.equal_shares, row, 3)
        grid.addWidget(self.shares, row + 1, 0, 1, 4)

    def _connect(self) -> None:
        self.topics.value_changed.connect(self._take_topics)
        self.smoothness.value_changed.connect(self._take_smoothness)
        self.coupling.value_changed.connect(self._take_coupling)
        self.rate.value_changed.connect(self._take_rate)
        self.alpha.value_changed.connect(self._take_alpha)
        self.scaling.value_changed.connect(self._take_scaling)
        self.fuzzifier.value_changed.connect(self._take_fuzzifier)
        self.alpha_each.toggled.connect(self._take_alpha_each)
        self.scaling_fixed.toggled.connect(self._take_scaling_fixed)
        self.proportions_fixed.toggled.connect(self._take_proportions_fixed)
        self.alphas.value_changed.connect(self._take_one_alpha)
        self.shares.value_changed.connect(self._take_one_share)
        self.equal_shares.clicked.connect(self._take_equal_shares)

    @Slot(float)
    def _take_topics(self, value: float) -> None:
        self._take(with_topics(self._parameters, int(value)), "topics")

    @Slot(float)
    def _take_smoothness(self, value: float) -> None:
        self._take(replace(self._parameters, smoothness=value), "smoothness")

    @Slot(float)
    def _take_coupling(self, value: float) -> None:
        self._take(replace(self._parameters, coupling=value), "coupling")

    @Slot(float)
    def _take_rate(self, value: float) -> None:
        self._take(replace(self._parameters, rate=value), "rate")

    @Slot(float)
    def _take_alpha(self, value: float) -> None:
        alpha = self._parameters.alpha
        if isinstance(alpha, tuple):
            # One slider for several values moves them together and keeps their ratios.
            low, high = _ALPHA_LIMITS
            factor = value / _geometric_mean(alpha)
            moved = tuple(min(high, max(low, each * factor)) for each in alpha)
            self._take(replace(self._parameters, alpha=moved), "alpha")
        else:
            self._take(replace(self._parameters, alpha=value), "alpha")

    @Slot(int, float)
    def _take_one_alpha(self, number: int, value: float) -> None:
        alphas = [float(each) for each in self._parameters.alpha_vector]
        alphas[number] = value
        self._take(replace(self._parameters, alpha=tuple(alphas)), f"alpha {number}")

    @Slot(bool)
    def _take_alpha_each(self, ticked: bool) -> None:
        alphas = tuple(float(each) for each in self._parameters.alpha_vector)
        alpha = alphas if ticked else _geometric_mean(alphas)
        self._take(replace(self._parameters, alpha=alpha), "alpha each")

    @Slot(float)
    def _take_scaling(self, value: float) -> None:
        self._last_scaling = value
        # While it is learned there is nothing to tell; the value waits for the tick.
        if self._parameters.scaling is not None:
            self._take(replace(self._parameters, scaling=value), "scaling")

    @Slot(bool)
    def _take_scaling_fixed(self, ticked: bool) -> None:
        scaling = self._last_scaling if ticked else None
        self._take(replace(self._parameters, scaling=scaling), "scaling fixed")

    @Slot(float)
    def _take_fuzzifier(self, value: float) -> None:
        self._take(replace(self._parameters, fuzzifier=value), "fuzzifier")

    @Slot(bool)
    def _take_proportions_fixed(self, ticked: bool) -> None:
        topics = self._parameters.topics
        shares = (1 / topics,) * topics if ticked else None
        self._take(replace(self._parameters, proportions=shares), "proportions fixed")

    @Slot(int, float)
    def _take_one_share(self, number: int, value: float) -> None:
        if self._parameters.proportions is not None:
            shares = share_out(self._parameters.proportions, number, value)
            self._take(replace(self._parameters, proportions=shares), f"share {number}")

    @Slot()
    def _take_equal_shares(self) -> None:
        self._take_proportions_fixed(True)

    def _take(self, parameters: Parameters, merge: str) -> None:
        if parameters != self._parameters:
            self.set_parameters(parameters)
            self.parameters_changed.emit(parameters, merge)


def _tick(name: str, text: str, tooltip: str, parent: QWidget) -> QCheckBox:
    box = QCheckBox(text, parent)
    box.setObjectName(name)
    box.setToolTip(tooltip)
    return box


def _label_row(grid: QGridLayout, text: str, box: QCheckBox, parent: QWidget) -> int:
    row = grid.rowCount()
    label = QLabel(text, parent)
    label.setBuddy(box)
    label.setToolTip(box.toolTip())
    box.setAccessibleName(f"{text}, {box.text()}")
    grid.addWidget(label, row, 0)
    grid.addWidget(box, row, 1, 1, 2)
    return row


def _geometric_mean(values: tuple[float, ...]) -> float:
    return math.exp(sum(math.log(value) for value in values) / len(values))
