"""The help pages: a list at the left, the page at the right, nothing from the network."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QKeySequence, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.actions import COMMANDS
from pmlda_gui.gui.menu_text import plain_words
from pmlda_gui.resources import resource

__all__ = ["PAGES", "HelpWindow", "help_window"]

PAGES = (
    ("getting-started", "Getting started"),
    ("maps", "What the maps mean"),
    ("parameters", "Parameters"),
    ("documents", "Documents"),
    ("features", "Features"),
    ("files", "Files"),
    ("comparing", "Comparing methods"),
    ("keyboard", "Keyboard"),
    ("analysis", "Analysis"),
    ("teaching", "Teaching"),
    ("troubleshooting", "Troubleshooting"),
)
_ABOVE_HEADINGS = 14.0
_AROUND_TABLES = 6.0


def help_window(parent: QWidget) -> HelpWindow:
    """The one help window of the program, made when first asked for."""
    return parent.findChild(HelpWindow) or HelpWindow(parent)


class HelpWindow(QWidget):
    """A window of its own that stays open beside the work."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("help_window")
        self.setWindowTitle("Help")
        self.resize(820, 600)
        self.list = QListWidget(self)
        self.list.setObjectName("help_list")
        self.list.setAccessibleName("Help pages")
        self.list.setSpacing(2)
        for name, title in PAGES:
            QListWidgetItem(title, self.list).setData(Qt.ItemDataRole.UserRole, name)
        self.page = _LocalBrowser(self)
        self.page.setObjectName("help_page")
        self.page.setAccessibleName("Help page")
        # Links are followed by us, so that none can lead out of the program.
        self.page.setOpenLinks(False)
        self.page.document().setDocumentMargin(18)
        splitter = QSplitter(self)
        splitter.addWidget(self.list)
        splitter.addWidget(self.page)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([180, 640])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(splitter)
        self.list.currentRowChanged.connect(self._show_row)
        self.page.anchorClicked.connect(self._follow)
        self.list.setCurrentRow(0)

    def show_page(self, name: str = "getting-started") -> None:
        """Open the window at a page; an unknown name shows the first one."""
        names = [each for each, _ in PAGES]
        self.list.setCurrentRow(names.index(name) if name in names else 0)
        self.show()
        self.raise_()
        self.activateWindow()

    @Slot(int)
    def _show_row(self, row: int) -> None:
        name, _ = PAGES[row]
        text = resource("help", f"{name}.md").read_text(encoding="utf-8")
        if name == "keyboard":
            text += _commands()
        features = QTextDocument.MarkdownFeature.MarkdownDialectGitHub
        self.page.document().setMarkdown(text, features)
        self._space_out()
        self.page.moveCursor(self.page.textCursor().MoveOperation.Start)

    def _space_out(self) -> None:
        """Give headings and tables some air, of which Qt leaves them none."""
        for frame in self.page.document().rootFrame().childFrames():
            shape = frame.frameFormat()
            shape.setTopMargin(_AROUND_TABLES)
            shape.setBottomMargin(_AROUND_TABLES)
            frame.setFrameFormat(shape)
        block = self.page.document().firstBlock().next()
        while block.isValid():
            form = block.blockFormat()
            if form.headingLevel():
                form.setTopMargin(_ABOVE_HEADINGS)
                QTextCursor(block).setBlockFormat(form)
            block = block.next()

    @Slot(QUrl)
    def _follow(self, link: QUrl) -> None:
        names = [each for each, _ in PAGES]
        name = link.fileName().removesuffix(".md")
        if link.isRelative() and name in names:
            self.list.setCurrentRow(names.index(name))


def _commands() -> str:
    """All commands that have a key, as a table, from the list that makes the menus."""
    rows = [
        f"| {keys} | {plain_words(command.text)} |"
        for command in COMMANDS
        if (keys := QKeySequence(command.keys).toString(QKeySequence.SequenceFormat.NativeText))
    ]
    return "\n".join(["\n## Commands\n", "| Key | What it does |", "| --- | --- |", *rows, ""])


class _LocalBrowser(QTextBrowser):
    """A text browser that loads nothing but the page it is given."""

    def loadResource(self, kind: int, name: QUrl | str) -> None:  # noqa: N802
        """Pages are text; there is nothing else to load."""
        return None
