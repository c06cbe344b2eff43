"""The topics: their names, colours and order, and which are shown as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QSignalBlocker,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.icons import colour_icon
from pmlda_gui.gui.panels.code_menu import CodeMenu, codes_in_words
from pmlda_gui.gui.panels.colour_menu import ColourMenu
from pmlda_gui.gui.panels.lists import button_row, list_action, moved, row_texts
from pmlda_gui.gui.view_request import default_topic
from pmlda_gui.imagery.topic_palette import TOPIC_COLOURS
from pmlda_gui.workspace.session import Colour, TopicLook
from pmlda_gui.workspace.vocabulary import TopicCodes

__all__ = ["TopicsPanel"]

Looks = tuple[TopicLook, ...]
_ID = Qt.ItemDataRole.UserRole
_REMARK = Qt.ItemDataRole.UserRole + 1


class TopicsPanel(QWidget):
    """A list of topics; `topics_changed` carries all looks and a text for undo.

    `held_changed` carries the numbers of the topics that are held, and a text.
    """

    topics_changed = Signal(object, str)
    held_changed = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("topics_panel")
        self.setAccessibleName("Topics")
        self._looks: Looks = ()
        self._held: tuple[int, ...] = ()
        self.list = QListWidget(self)
        self.list.setObjectName("topic_list")
        self.list.setAccessibleName("Topics; F2 renames one")
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.list.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.list.setToolTip("Double-click or F2 to rename, drag to reorder.")
        self.list.setItemDelegate(_RemarkDelegate(self.list))
        self.colour_menu = ColourMenu(TOPIC_COLOURS, self)
        self.rename = list_action("rename_topic", "Rename", "rename", self._rename, self, "F2")
        self.recolour = list_action("recolour_topic", "Colour…", "colour", self._recolour, self)
        self.merge = list_action("merge_topic", "Show as part of…", "merge", self._merge, self)
        self.split = list_action("split_topic", "Show on its own", "split", self._split, self)
        self.hold = list_action("hold_topic", "Hold as it is", "hold", self._hold, self)
        self.hold.setCheckable(True)
        self.hold.setToolTip("Hold the topic as it is while the others are still learned.")
        self.up = list_action("topic_up", "Move up", "up", self._move_up, self, "Ctrl+Up")
        self.down = list_action(
            "topic_down", "Move down", "down", self._move_down, self, "Ctrl+Down"
        )
        self.reset = list_action(
            "reset_topics", "Reset names and colours", "reset", self._reset, self
        )
        self.merge_menu = QMenu(self)
        self.code_menu = CodeMenu(self)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.addActions(
            [
                self.rename,
                self.recolour,
                self.merge,
                self.split,
                self.hold,
                self.up,
                self.down,
                self.reset,
            ]
        )
        self.list.addAction(self.code_menu.menuAction())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.list, 1)
        self.missing = QLabel(self)
        self.missing.setObjectName("missing_names")
        self.missing.setTextFormat(Qt.TextFormat.PlainText)
        self.missing.setWordWrap(True)
        self.missing.hide()
        layout.addWidget(self.missing)
        layout.addLayout(
            button_row(
                self,
                self.rename,
                self.recolour,
                self.merge,
                self.split,
                self.hold,
                self.reset,
                None,
                self.up,
                self.down,
            )
        )
        self.list.itemChanged.connect(self._take_name)
        self.list.currentRowChanged.connect(self._enable_actions)
        self.list.model().rowsMoved.connect(self._take_order)
        self.colour_menu.chosen.connect(self._take_colour)
        self.merge_menu.triggered.connect(self._take_merge)
        self.code_menu.aboutToShow.connect(self._show_codes)
        self.code_menu.chosen.connect(self._take_codes)
        self._enable_actions()

    def set_topics(self, looks: Looks, held: tuple[int, ...] = ()) -> None:
        """Show topics in display order, and which are held, without telling anyone."""
        same = (looks, held) == (self._looks, self._held)
        if same and row_texts(self.list) == [look.name for look in looks]:
            # Nothing new; a name that is just being typed stays open.
            return
        current = self._current
        self._looks, self._held = looks, held
        by_id = {look.id: look for look in looks}
        with QSignalBlocker(self.list):
            self.list.clear()
            for look in looks:
                whole = by_id.get(look.id if look.merged_into is None else look.merged_into, look)
                item = QListWidgetItem(colour_icon(whole.colour), look.name, self.list)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                item.setData(_ID, look.id)
                item.setToolTip(codes_in_words(look.codes))
                remarks = ["held"] if look.id in held else []
                if whole is not look:
                    remarks.append(f"part of {whole.name}")
                if remarks:
                    item.setData(_REMARK, ", ".join(remarks))
                if current is not None and look.id == current.id:
                    self.list.setCurrentItem(item)
        self._enable_actions()

    def set_missing(self, names: Sequence[str]) -> None:
        """Say which names were given and belong to no topic that is there."""
        self.missing.setText(f"Named, but not found now: {', '.join(names)}" if names else "")
        self.missing.setVisible(bool(names))

    @property
    def _current(self) -> TopicLook | None:
        row = self.list.currentRow()
        return self._looks[row] if 0 <= row < len(self._looks) else None

    def _whole_topics(self, other_than: TopicLook) -> list[TopicLook]:
        return [look for look in self._looks if look.merged_into is None and look is not other_than]

    @Slot()
    def _enable_actions(self) -> None:
        current, row = self._current, self.list.currentRow()
        for action in (self.rename, self.recolour, self.hold, self.code_menu.menuAction()):
            action.setEnabled(current is not None)
        self.hold.setChecked(current is not None and current.id in self._held)
        self.merge.setEnabled(current is not None and bool(self._whole_topics(current)))
        self.split.setEnabled(current is not None and current.merged_into is not None)
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < len(self._looks) - 1)
        self.reset.setEnabled(bool(self._looks))

    @Slot()
    def _rename(self) -> None:
        self.list.editItem(self.list.currentItem())

    @Slot()
    def _recolour(self) -> None:
        if self._current is not None:
            self.colour_menu.set_current(self._current.colour)
            self.colour_menu.popup(self._below_current())

    @Slot()
    def _merge(self) -> None:
        current = self._current
        if current is None:
            return
        self.merge_menu.clear()
        for look in self._whole_topics(current):
            action = self.merge_menu.addAction(colour_icon(look.colour), look.name)
            action.setData(look.id)
            action.setEnabled(look.id != current.merged_into)
        self.merge_menu.popup(self._below_current())

    def _below_current(self) -> QPoint:
        rectangle = self.list.visualItemRect(self.list.currentItem())
        return self.list.viewport().mapToGlobal(rectangle.bottomLeft())

    @Slot()
    def _hold(self) -> None:
        current = self._current
        if current is None:
            return
        others = {look.id for look in self._looks if look.id in self._held} - {current.id}
        if current.id in self._held:
            self.held_changed.emit(tuple(sorted(others)), f"Release {current.name}")
        else:
            self.held_changed.emit(tuple(sorted(others | {current.id})), f"Hold {current.name}")

    @Slot()
    def _split(self) -> None:
        current = self._current
        if current is not None:
            self._change(replace(current, merged_into=None), f"Show {current.name} on its own")

    @Slot()
    def _move_up(self) -> None:
        self._move(-1)

    @Slot()
    def _move_down(self) -> None:
        self._move(1)

    def _move(self, by: int) -> None:
        row = self.list.currentRow()
        order = moved(len(self._looks), row, row + by)
        self._take(tuple(self._looks[number] for number in order), "Reorder topics")

    @Slot()
    def _reset(self) -> None:
        known = sorted(self._looks, key=lambda look: look.id)
        first = tuple(replace(default_topic(look.id), codes=look.codes) for look in known)
        self._take(first, "Reset names and colours of topics")

    @Slot(QListWidgetItem)
    def _take_name(self, item: QListWidgetItem) -> None:
        look = self._looks[self.list.row(item)]
        name = item.text().strip()
        if name and name != look.name:
            self._change(replace(look, name=name), f"Rename {look.name} to {name}")
        else:
            self.set_topics(self._looks, self._held)

    @Slot(object)
    def _take_colour(self, colour: Colour) -> None:
        current = self._current
        if current is not None:
            self._change(replace(current, colour=colour), f"Recolour {current.name}")

    @Slot()
    def _show_codes(self) -> None:
        if self._current is not None:
            self.code_menu.set_codes(self._current.codes)

    @Slot(object)
    def _take_codes(self, codes: TopicCodes) -> None:
        current = self._current
        if current is not None:
            self._change(replace(current, codes=codes), f"Change the codes of {current.name}")

    @Slot(QAction)
    def _take_merge(self, action: QAction) -> None:
        current, whole = self._current, action.data()
        if current is None:
            return
        # What was shown as part of this topic goes along with it.
        looks = tuple(
            replace(look, merged_into=whole) if current.id in (look.id, look.merged_into) else look
            for look in self._looks
        )
        self._take(looks, f"Show {current.name} as part of {action.text()}")

    @Slot()
    def _take_order(self) -> None:
        by_id = {look.id: look for look in self._looks}
        order = [self.list.item(row).data(_ID) for row in range(self.list.count())]
        self._take(tuple(by_id[number] for number in order), "Reorder topics")

    def _change(self, changed: TopicLook, text: str) -> None:
        looks = tuple(changed if look.id == changed.id else look for look in self._looks)
        self._take(looks, text)

    def _take(self, looks: Looks, text: str) -> None:
        if looks != self._looks:
            self.set_topics(looks)
            self.topics_changed.emit(looks, text)


class _RemarkDelegate(QStyledItemDelegate):
    """Writes a remark after a name, which is not part of what is edited."""

    def initStyleOption(  # noqa: N802 (Qt's name)
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        remark = index.data(_REMARK)
        if remark is not None:
            option.text = f"{option.text}  ({remark})"
            option.font.setItalic(True)
