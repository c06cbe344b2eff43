"""The queue: a folder that is watched, and what became of each file that arrived there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal, SignalInstance, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSizePolicy,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.icons import icon
from pmlda_gui.workspace.queued_file import FILE_STATES, Queued

__all__ = ["QueuePanel"]

PRESENT = "The present topics"
_FROM_FILE = "From a file…"
_FOLDER = Qt.ItemDataRole.UserRole
_IDLE = "Choose a folder: each image that arrives there is segmented by the same topics."
_STATES = {"stopped": "Stopped", "paused": "Paused", "running": "Watching"}


class QueuePanel(QWidget):
    """Shows and steers a queue; whoever listens does what is asked for.

    `result_requested` and `report_requested` carry the folder of a file's results.
    """

    folder_requested = Signal()
    results_requested = Signal()
    topics_requested = Signal()
    present_chosen = Signal()
    start_requested = Signal()
    pause_requested = Signal()
    stop_requested = Signal()
    result_requested = Signal(str)
    report_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queue_panel")
        self.setAccessibleName("Queue of a watched folder")
        self._files: tuple[Queued, ...] = ()
        self._state, self._sentence = "stopped", ""
        self.folder = self._place("queue_folder", "Folder to watch", self.folder_requested)
        self.results = self._place("queue_results", "Folder of results", self.results_requested)
        self.topics = QComboBox(self)
        self.topics.setObjectName("queue_topics")
        self.topics.setAccessibleName("Topics to apply")
        self.topics.setToolTip("Topics that are found in each image")
        self.start = self._button("queue_start", "Start", "run", self.start_requested)
        self.pause = self._button("queue_pause", "Pause", "pause", self.pause_requested)
        self.stop = self._button("queue_stop", "Stop", "close", self.stop_requested)
        self.summary = QLabel(self)
        self.summary.setObjectName("queue_summary")
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setWordWrap(True)
        self.list = _files_list(self)
        self.reason = QLabel(self)
        self.reason.setObjectName("queue_reason")
        self.reason.setTextFormat(Qt.TextFormat.PlainText)
        self.reason.setWordWrap(True)
        self.reason.hide()
        self.open_folder = self._opener("queue_open_folder", "Open folder", "folder")
        self.open_report = self._opener("queue_open_report", "Open report", "open")
        self.open_folder.clicked.connect(self._open_result)
        self.open_report.clicked.connect(self._open_report)
        self._lay_out()
        self.topics.activated.connect(self._take_topics)
        self.list.currentItemChanged.connect(self._enable)
        # Enter, or a double click.
        self.list.itemActivated.connect(self._open_report)
        self.set_places(None, None, None)
        self.set_state("stopped")

    def _lay_out(self) -> None:
        places = QGridLayout()
        places.setSpacing(4)
        places.setColumnStretch(1, 1)
        for row, (text, field) in enumerate(
            (("Watch", self.folder), ("Topics", self.topics), ("Results", self.results))
        ):
            label = QLabel(text, self)
            label.setBuddy(field)
            places.addWidget(label, row, 0)
            places.addWidget(field, row, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        for button in (self.start, self.pause, self.stop):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(places)
        layout.addLayout(buttons)
        layout.addWidget(self.summary)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.reason)
        openers = QHBoxLayout()
        openers.setSpacing(4)
        openers.addWidget(self.open_folder)
        openers.addWidget(self.open_report)
        layout.addLayout(openers)

    def _place(self, name: str, title: str, asked: SignalInstance) -> QPushButton:
        button = QPushButton(icon("folder"), "Choose…", self)
        button.setObjectName(name)
        button.setAccessibleName(title)
        # A long name must not make the panel broad.
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        button.clicked.connect(asked)
        return button

    def _button(self, name: str, text: str, picture: str, asked: SignalInstance) -> QPushButton:
        button = QPushButton(icon(picture), text, self)
        button.setObjectName(name)
        button.clicked.connect(asked)
        return button

    def _opener(self, name: str, text: str, picture: str) -> QPushButton:
        button = QPushButton(icon(picture), text, self)
        button.setObjectName(name)
        button.setToolTip(f"{text} of the file chosen above")
        return button

    # -- what is shown -----------------------------------------------------------------------

    def set_places(self, folder: Path | None, topics: Path | None, results: Path | None) -> None:
        """Show what is chosen; without a file the topics are the present ones."""
        for button, path in ((self.folder, folder), (self.results, results)):
            button.setText("Choose…" if path is None else path.name.replace("&", "&&"))
            button.setToolTip("Choose a folder" if path is None else str(path))
        with QSignalBlocker(self.topics):
            self.topics.clear()
            self.topics.addItems([PRESENT, *([topics.name] if topics else []), _FROM_FILE])
            self.topics.setCurrentIndex(0 if topics is None else 1)
        self._chosen = folder is not None
        self.set_state(self._state, self._sentence)

    def set_state(self, state: str, sentence: str = "") -> None:
        """Stopped, paused or running, and what is to be said about it."""
        self._state, self._sentence = state, sentence
        stopped = state == "stopped"
        for field in (self.folder, self.topics, self.results):
            field.setEnabled(stopped)
        self.start.setText("Continue" if state == "paused" else "Start")
        self.start.setEnabled(state != "running" and self._chosen)
        self.pause.setEnabled(state == "running")
        self.stop.setEnabled(not stopped)
        self._summarise()

    def set_files(self, files: Sequence[Queued], fraction: float = 0.0) -> None:
        """Show all files; of the one that is running how far it is, 0 to 1."""
        if tuple(files) != self._files:
            self._files = tuple(files)
            self._fill()
            self._summarise()
        for row, queued in enumerate(self._files):
            if queued.state == "running":
                done = f"{100 * fraction:.0f} %" if fraction < 1.0 else "writing"
                said = f"running, {done}"
                item = self.list.topLevelItem(row)
                if item is not None and item.text(1) != said:
                    item.setText(1, said)

    def _fill(self) -> None:
        current = self.list.currentItem()
        name = "" if current is None else current.text(0)
        with QSignalBlocker(self.list):
            self.list.clear()
            for queued in self._files:
                failed = queued.state == "failed"
                said = f"failed: {queued.sentence}" if failed else str(queued.state)
                item = QTreeWidgetItem(self.list, [queued.name, said])
                item.setToolTip(0, queued.name)
                item.setToolTip(1, queued.sentence)
                item.setData(0, _FOLDER, queued.folder)
                if queued.name == name:
                    self.list.setCurrentItem(item)
        self._enable()

    def _summarise(self) -> None:
        counts = Counter(queued.state for queued in self._files)
        told = ", ".join(f"{counts[state]} {state}" for state in FILE_STATES if counts[state])
        if self._sentence:
            self.summary.setText(self._sentence)
        elif not self._chosen:
            self.summary.setText(_IDLE)
        else:
            self.summary.setText(f"{_STATES[self._state]}: {told or 'no files yet'}")

    # -- what is asked for -------------------------------------------------------------------

    @property
    def _folder_of_current(self) -> str:
        current = self.list.currentItem()
        return "" if current is None else str(current.data(0, _FOLDER) or "")

    @Slot()
    def _enable(self) -> None:
        for button in (self.open_folder, self.open_report):
            button.setEnabled(bool(self._folder_of_current))
        current = self.list.currentItem()
        sentence = "" if current is None else current.toolTip(1)
        self.reason.setText(sentence)
        self.reason.setVisible(bool(sentence) and not self._folder_of_current)

    @Slot()
    def _open_result(self) -> None:
        if self._folder_of_current:
            self.result_requested.emit(self._folder_of_current)

    @Slot()
    def _open_report(self) -> None:
        if self._folder_of_current:
            self.report_requested.emit(self._folder_of_current)

    @Slot(int)
    def _take_topics(self, row: int) -> None:
        if self.topics.itemText(row) == _FROM_FILE:
            self.topics_requested.emit()
        elif row == 0:
            self.present_chosen.emit()


def _files_list(parent: QWidget) -> QTreeWidget:
    listed = QTreeWidget(parent)
    listed.setObjectName("queue_files")
    listed.setAccessibleName("Files of the watched folder; Enter opens a report")
    listed.setHeaderLabels(["File", "State"])
    listed.setRootIsDecorated(False)
    listed.setUniformRowHeights(True)
    listed.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    listed.header().setAccessibleName("Columns of the queue")
    listed.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
    listed.header().resizeSection(0, 150)
    listed.setMinimumHeight(50)
    return listed
