"""What the lists of images, topics and bookmarks share: moving rows and rows of buttons."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QMimeData, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QToolButton, QWidget

from pmlda_gui.gui.icons import icon

__all__ = ["action_button", "button_row", "dropped_files", "list_action", "moved", "row_texts"]

_ICON = QSize(18, 18)


def moved(count: int, row: int, target: int) -> list[int]:
    """The numbers 0 to count - 1 in the order after `row` has been put at `target`."""
    order = list(range(count))
    order.insert(target, order.pop(row))
    return order


def row_texts(listed: QListWidget) -> list[str]:
    """What the rows of a list say, from top to bottom."""
    return [listed.item(row).text() for row in range(listed.count())]


def dropped_files(data: QMimeData) -> list[str]:
    """The paths of the files on this computer that are being dropped."""
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()]


def list_action(
    name: str,
    text: str,
    icon_name: str,
    slot: Callable[[], None],
    parent: QWidget,
    shortcut: str = "",
) -> QAction:
    """An action to be added to a list, whose shortcut works while the list has the focus."""
    action = QAction(icon(icon_name), text, parent)
    action.setObjectName(name)
    if shortcut:
        action.setShortcut(QKeySequence(shortcut))
        # Not for children: Enter in the box of a name that is being typed ends the typing.
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.setToolTip(f"{text} ({action.shortcut().toString()})")
    action.triggered.connect(slot)
    return action


def action_button(action: QAction, parent: QWidget) -> QToolButton:
    """A small button for an action that the keyboard reaches too."""
    button = QToolButton(parent)
    button.setDefaultAction(action)
    button.setIconSize(_ICON)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setAccessibleName(action.text())
    return button


def button_row(parent: QWidget, *actions: QAction | None) -> QHBoxLayout:
    """Small buttons for the actions; None puts those after it at the right."""
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(2)
    for action in actions:
        if action is None:
            row.addStretch(1)
            continue
        row.addWidget(action_button(action, parent))
    if None not in actions:
        row.addStretch(1)
    return row
