"""What was drawn on the pictures, and what the map says about the one that is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.icons import icon
from pmlda_gui.gui.panels.answer_texts import measurement_lines, profile_lines, region_lines
from pmlda_gui.gui.panels.lists import action_button, list_action
from pmlda_gui.gui.panels.sections import note
from pmlda_gui.gui.view_request import ShownTopic
from pmlda_gui.gui.widgets.feature_plot import FeaturePlot
from pmlda_gui.gui.widgets.profile_plot import ProfilePlot
from pmlda_gui.workspace.shapes import Shape

if TYPE_CHECKING:
    from pmlda_gui.workspace.analysis.ground import Measured
    from pmlda_gui.workspace.analysis.profile import Profile
    from pmlda_gui.workspace.analysis.region import RegionReport

__all__ = ["AnalysisPanel"]

_EMPTY = (
    "Draw a profile (P), a region (R, G or L) or measure a path (M) on any picture: the tools "
    "stand in the toolbar."
)
_ICONS = {"profile": "profile", "region": "polygon", "measurement": "measure"}
_LIST_HEIGHT = 62


class AnalysisPanel(QWidget):
    """A list of shapes with figures and a plot of the one that is chosen.

    Signals carry the number (id) of a shape; `chosen_changed` carries -1 for none, and
    `feature_chosen` the name of the feature whose histogram is wanted.
    """

    chosen_changed = Signal(int)
    show_requested = Signal(int)
    remove_requested = Signal(int)
    export_requested = Signal(int)
    renamed = Signal(int, str)
    feature_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("analysis_panel")
        self.setAccessibleName("Analysis")
        self._shapes: tuple[Shape, ...] = ()
        self._answered = -1
        self._build_list()
        self._build_answers()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        top = QHBoxLayout()
        top.setSpacing(2)
        top.addWidget(self.list, 1)
        buttons = QGridLayout()
        buttons.setSpacing(0)
        for place, action in enumerate((self.show_shape, self.export, self.rename, self.remove)):
            buttons.addWidget(action_button(action, self), place // 2, place % 2)
        top.addLayout(buttons)
        layout.addWidget(self._empty)
        layout.addLayout(top)
        layout.addWidget(self.pages, 1)
        layout.addWidget(self.figures)
        self._enable_actions()

    def _build_list(self) -> None:
        self._empty = note(_EMPTY, self)
        self.list = QListWidget(self)
        self.list.setObjectName("shape_list")
        self.list.setAccessibleName("Profiles, regions and measurements")
        self.list.setMaximumHeight(_LIST_HEIGHT)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.show_shape = list_action(
            "show_shape", "Zoom to it", "fit", self._show_chosen, self, "Return"
        )
        self.export = list_action(
            "export_shape", "Export as CSV, picture or GeoPackage", "export", self._export, self
        )
        self.rename = list_action("rename_shape", "Rename", "rename", self._rename, self, "F2")
        self.remove = list_action("remove_shape", "Delete", "remove", self._remove, self, "Del")
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.addActions([self.show_shape, self.export, self.rename, self.remove])
        self.list.currentRowChanged.connect(self._choose)
        self.list.itemDoubleClicked.connect(self._show_chosen)
        self.list.itemChanged.connect(self._take_name)

    def _build_answers(self) -> None:
        self.profile = ProfilePlot(self)
        self.histogram = FeaturePlot(self)
        self.feature = QComboBox(self)
        self.feature.setObjectName("histogram_feature")
        self.feature.setAccessibleName("Feature of the histogram")
        self.feature.setToolTip("The feature whose values in the region are counted")
        self.feature.textActivated.connect(self.feature_chosen)
        region = QWidget(self)
        column = QVBoxLayout(region)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.feature)
        column.addWidget(self.histogram, 1)
        self._bare = QWidget(self)
        self.pages = QStackedWidget(self)
        for page in (self._bare, self.profile, region):
            self.pages.addWidget(page)
        self._region_page = region
        self.figures = QLabel(self)
        self.figures.setObjectName("analysis_figures")
        self.figures.setAccessibleName("Figures")
        self.figures.setWordWrap(True)
        self.figures.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    # -- what is shown -----------------------------------------------------------------------

    @property
    def chosen(self) -> int:
        """The number of the chosen shape, -1 for none."""
        row = self.list.currentRow()
        return self._shapes[row].id if 0 <= row < len(self._shapes) else -1

    def set_shapes(self, shapes: tuple[Shape, ...]) -> None:
        """Show these, without telling anyone unless the chosen one is gone."""
        before = self.chosen
        self._shapes = shapes
        with QSignalBlocker(self.list):
            self.list.clear()
            for shape in shapes:
                item = QListWidgetItem(icon(_ICONS[shape.kind]), shape.name, self.list)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        self._empty.setVisible(not shapes)
        self.list.setVisible(bool(shapes))
        self.choose(before)

    def choose(self, number: int) -> None:
        """Choose a shape; one that is not there is none."""
        rows = [row for row, shape in enumerate(self._shapes) if shape.id == number]
        if rows and self.list.currentRow() == rows[0]:
            return
        self.list.setCurrentRow(rows[0] if rows else -1)
        if not rows:
            self._choose(-1)

    def set_features(self, names: Sequence[str]) -> None:
        """The features whose values can be counted."""
        if [self.feature.itemText(row) for row in range(self.feature.count())] != list(names):
            self.feature.clear()
            self.feature.addItems(list(names))

    def set_answer(
        self,
        number: int,
        answer: Profile | RegionReport | Measured | str,
        topics: Sequence[ShownTopic],
    ) -> None:
        """Show what was found about a shape; a sentence says why there is nothing."""
        # An answer has loaded what this needs; the window's first paint must not wait for it.
        from pmlda_gui.workspace.analysis.profile import Profile
        from pmlda_gui.workspace.analysis.region import RegionReport

        if number != self.chosen:
            return
        self._answered = number
        names = [topic.name for topic in topics]
        if isinstance(answer, str):
            self._show_lines(self._bare, [answer])
        elif isinstance(answer, Profile):
            self.profile.set_profile(answer, [topic.colour for topic in topics])
            self._show_lines(self.profile, profile_lines(answer, names))
        elif isinstance(answer, RegionReport):
            self.histogram.set_histogram(answer.histogram)
            self._show_lines(self._region_page, region_lines(answer, names))
        else:
            self._show_lines(self._bare, measurement_lines(answer))

    def _show_lines(self, page: QWidget, lines: Sequence[str]) -> None:
        self.pages.setCurrentWidget(page)
        text = "\n".join(lines)
        if text != self.figures.text():
            self.figures.setText(text)

    # -- what is asked for -------------------------------------------------------------------

    @Slot(int)
    def _choose(self, row: int) -> None:
        self._enable_actions()
        number = self._shapes[row].id if 0 <= row < len(self._shapes) else -1
        if number != self._answered:
            self._answered = -1
            self._show_lines(self._bare, [])
        self.chosen_changed.emit(number)

    def _enable_actions(self) -> None:
        for action in (self.show_shape, self.export, self.rename, self.remove):
            action.setEnabled(self.chosen >= 0)

    @Slot()
    def _show_chosen(self) -> None:
        self.show_requested.emit(self.chosen)

    @Slot()
    def _export(self) -> None:
        self.export_requested.emit(self.chosen)

    @Slot()
    def _rename(self) -> None:
        self.list.editItem(self.list.currentItem())

    @Slot()
    def _remove(self) -> None:
        self.remove_requested.emit(self.chosen)

    @Slot(QListWidgetItem)
    def _take_name(self, item: QListWidgetItem) -> None:
        shape = self._shapes[self.list.row(item)]
        name = item.text().strip()
        if name and name != shape.name:
            self.renamed.emit(shape.id, name)
        else:
            with QSignalBlocker(self.list):
                item.setText(shape.name)
