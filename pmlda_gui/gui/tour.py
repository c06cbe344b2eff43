"""The tour: six steps through the window for newcomers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Slot
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QPalette, QPen, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from pmlda_gui.gui.panels.sections import heading
from pmlda_gui.workspace.settings import settings

if TYPE_CHECKING:
    from pmlda_gui.gui.main_window import MainWindow

__all__ = ["STEPS", "Tour"]

_WIDTH = 340
_GAP = 12
_FRAME = 3


@dataclass(frozen=True)
class Step:
    """What is pointed at: a dock by name, or else "pages" or "tools"; and what is said."""

    place: str
    title: str
    text: str


STEPS = (
    Step(
        "pages",
        "Open an image",
        "Drop files here or press Ctrl+O. Ctrl+D opens a demo scene. The maps "
        "start to form at once.",
    ),
    Step(
        "pages",
        "Read the maps",
        "Each map shows one topic, a kind of seabed: bright is all of it, dark none. Point at a "
        "pixel to read its memberships; double-click enlarges a picture.",
    ),
    Step(
        "chain",
        "Watch it settle",
        "Run (F5) and Pause (F6) the chain here. The verdict says whether the maps still change.",
    ),
    Step(
        "parameters",
        "Move the sliders",
        "Every slider acts on the running maps. Ctrl+Z undoes any change.",
    ),
    Step(
        "topics",
        "Name what you see",
        "Double-click a topic to rename it, give it a colour, or show two as one. Behind the "
        "other tabs are the read-out, bookmarks and explanations.",
    ),
    Step(
        "tools",
        "Bookmark and export",
        "Ctrl+B bookmarks a result, Ctrl+E exports maps and a report. F11 hides all but the "
        "pictures, Ctrl+K finds any command, F1 opens the help.",
    ),
)


class Tour(QFrame):
    """A card beside what it speaks of; Enter goes on, Esc or Skip ends it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.setObjectName("tour")
        self.setAccessibleName("Tour of the window")
        self.setAutoFillBackground(True)
        self.setProperty("role", "card")
        self.setFixedWidth(_WIDTH)
        self._window = window
        self._step = 0
        self._marker = _Marker(window)
        self._title = heading("", self)
        self._text = QLabel(self)
        self._text.setWordWrap(True)
        self._count = QLabel(self)
        self._count.setProperty("role", "note")
        self.skip = QPushButton("&Skip", self)
        self.skip.setObjectName("tour_skip")
        self.back = QPushButton("&Back", self)
        self.back.setObjectName("tour_back")
        self.next = QPushButton("&Next", self)
        self.next.setObjectName("tour_next")
        row = QHBoxLayout()
        row.addWidget(self._count, 1)
        for button in (self.skip, self.back, self.next):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addLayout(row)
        self.next.clicked.connect(self._go_on)
        self.back.clicked.connect(self._go_back)
        self.skip.clicked.connect(self.end)
        for keys in ("Return", "Enter"):
            enter = QShortcut(QKeySequence(keys), self)
            enter.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            enter.activated.connect(self._go_on)
        window.installEventFilter(self)
        self.hide()

    @property
    def step(self) -> int:
        """The number of the step that is shown, from 0."""
        return self._step

    @Slot()
    def begin(self) -> None:
        """Show the first step."""
        self._window.layouts.set_pictures_only(False)
        self._show(0)

    @Slot()
    def end(self) -> None:
        """Close the tour; it is not shown by itself again."""
        self.hide()
        self._marker.hide()
        settings().set("help/tour", "seen")

    @Slot()
    def _go_on(self) -> None:
        if self._step + 1 < len(STEPS):
            self._show(self._step + 1)
        else:
            self.end()

    @Slot()
    def _go_back(self) -> None:
        self._show(max(self._step - 1, 0))

    def _show(self, number: int) -> None:
        self._step = number
        step = STEPS[number]
        self._title.setText(step.title)
        self._text.setText(step.text)
        self._count.setText(f"{number + 1} of {len(STEPS)}")
        self.back.setEnabled(number > 0)
        self.next.setText("&Done" if number + 1 == len(STEPS) else "&Next")
        if step.place in self._window.docks:
            dock = self._window.docks[step.place]
            dock.show()
            dock.raise_()
        self.show()
        self._place()
        self.next.setFocus()

    def _place(self) -> None:
        """Beside what is spoken of, within the window."""
        target = self._target()
        place = QRect(target.mapTo(self._window, QPoint(0, 0)), target.size())
        self._marker.setGeometry(place.adjusted(-_FRAME, -_FRAME, _FRAME, _FRAME))
        self._marker.show()
        self._marker.raise_()
        self.layout().activate()  # type: ignore[union-attr]
        self.resize(_WIDTH, self.heightForWidth(_WIDTH))
        room = self._window.rect().adjusted(_GAP, _GAP, -_GAP, -_GAP)
        if place.left() - _GAP - _WIDTH >= room.left():
            corner = QPoint(place.left() - _GAP - _WIDTH, place.top() + _GAP)
        elif place.bottom() + _GAP + self.height() <= room.bottom():
            corner = QPoint(place.left() + _GAP, place.bottom() + _GAP)
        else:
            corner = QPoint(place.center().x() - _WIDTH // 2, place.bottom() - self.height() - _GAP)
        corner.setX(max(room.left(), min(corner.x(), room.right() - self.width())))
        corner.setY(max(room.top(), min(corner.y(), room.bottom() - self.height())))
        self.move(corner)
        self.raise_()

    def _target(self) -> QWidget:
        place = STEPS[self._step].place
        dock = self._window.docks.get(place)
        if dock is not None and not dock.isFloating():
            return dock
        return self._window.tools if place == "tools" else self._window.pages

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        """Follow the window when its size changes."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)


class _Marker(QWidget):
    """A frame around what is spoken of, which lets the mouse through."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), _FRAME))
        painter.drawRect(self.rect().adjusted(1, 1, -2, -2))
        painter.end()
