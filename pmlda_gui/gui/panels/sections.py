"""The layout of panels: sections with headings in one scrolling column."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

__all__ = ["control_grid", "heading", "note", "row_label", "rule", "scrolling_column"]

_LABEL_WIDTH = 78
_BOX_WIDTH = 72


def heading(text: str, parent: QWidget) -> QLabel:
    """The title of a section."""
    label = QLabel(text, parent)
    label.setProperty("role", "heading")
    return label


def row_label(text: str, parent: QWidget) -> QLabel:
    """A label of a form that stays level with the first line of what stands beside it."""
    label = QLabel(text, parent)
    label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
    return label


def note(text: str, parent: QWidget) -> QLabel:
    """A quiet sentence that wraps."""
    label = QLabel(text, parent)
    label.setProperty("role", "note")
    label.setWordWrap(True)
    return label


def rule(parent: QWidget) -> QFrame:
    """A thin line between sections."""
    line = QFrame(parent)
    line.setProperty("role", "rule")
    return line


def control_grid(parent: QWidget) -> QGridLayout:
    """A grid whose columns are label, slider, number and reset, alike in all sections."""
    grid = QGridLayout(parent)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(6)
    grid.setVerticalSpacing(2)
    grid.setColumnMinimumWidth(0, _LABEL_WIDTH)
    grid.setColumnMinimumWidth(2, _BOX_WIDTH)
    grid.setColumnStretch(1, 1)
    return grid


def scrolling_column(panel: QWidget, *sections: QWidget) -> None:
    """Put the sections below one another into `panel`, with a line between them."""
    column = QWidget()
    layout = QVBoxLayout(column)
    layout.setContentsMargins(10, 6, 10, 6)
    layout.setSpacing(6)
    for number, section in enumerate(sections):
        if number:
            layout.addWidget(rule(column))
        layout.addWidget(section)
    layout.addStretch(1)
    area = QScrollArea(panel)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    # It scrolls along with the focus of its controls and needs none of its own.
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(column)
    # Without this the column would be cut at the right where it cannot shrink further.
    area.setMinimumWidth(
        column.minimumSizeHint().width() + area.verticalScrollBar().sizeHint().width()
    )
    outer = QVBoxLayout(panel)
    outer.setContentsMargins(0, 0, 0, 0)
    outer.addWidget(area)
