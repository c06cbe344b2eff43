"""The maps in linked columns: the image, then a column for each method, a row for each topic.

One row can have all the room; its pictures then stand in as many columns as make them
largest, which for survey strips is one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPainterPath, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from pmlda_gui.gui.compare.header import ColumnHeader
from pmlda_gui.gui.compare.methods import Offer
from pmlda_gui.gui.compare.readout import MethodMemberships, MethodReadout
from pmlda_gui.gui.controller.background_tasks import SourcePicture
from pmlda_gui.gui.controller.pixel_readout import read_pixel
from pmlda_gui.gui.controller.presenter import occupied
from pmlda_gui.gui.frame import LEVELS, Pictures
from pmlda_gui.gui.view_request import ShownTopic
from pmlda_gui.gui.views.linked_views import LinkedViews, best_columns
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.gui.views.tables import membership_table, source_table
from pmlda_gui.workspace.session import OutlineLook

__all__ = ["ComparisonColumns"]

_IMAGE = "compare_view_image"
# Images so many times as wide as high are too small to see in columns.
_FLAT = 5.0


class ComparisonColumns(LinkedViews):
    """Shows the pictures of several methods; `row_changed` tells which row has all the room.

    Rows are the topics from 0 on, and after them all topics in one; None is all rows.
    """

    row_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare_columns")
        self._source: SourcePicture | None = None
        self._methods: tuple[Offer, ...] = ()
        self._topics: tuple[ShownTopic, ...] = ()
        self._pictures: dict[str, Pictures] = {}
        self._failures: dict[str, QLabel] = {}
        self._headers: dict[str, ColumnHeader] = {}
        self._row: int | None = None
        self._placed: object = None
        self._image_header = ColumnHeader("image", "Image", "The image that is compared on.", self)
        self.readout = MethodReadout(self)
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self.view(_IMAGE).set_title("Source image")
        self.cursor_moved.connect(self._read)

    # -- what is shown -----------------------------------------------------------------------

    def begin(self, methods: Sequence[Offer]) -> None:
        """Make room for methods that have no maps yet; `set_topics` is to follow."""
        for widget in (*self._headers.values(), *self._failures.values()):
            self._layout.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._methods = tuple(methods)
        self._headers = {
            each.name: ColumnHeader(each.name, each.title, f"{each.title}. {each.sentence}", self)
            for each in methods
        }
        self._failures = {}
        self._placed = None

    def set_topics(self, topics: Sequence[ShownTopic]) -> None:
        """Name and colour the rows; maps of other topics are taken away."""
        self._topics = tuple(topics)
        self.clear_maps()
        if self._row is not None and self._row > len(self._topics):
            self._row = None
        for method in self._methods:
            for row, view in enumerate(self._column(method.name)):
                topic = None if row == len(self._topics) else self._topics[row]
                view.set_title(
                    "All topics" if topic is None else topic.name,
                    None if topic is None else topic.colour,
                )
                view.setAccessibleName(f"{method.title}, {view.accessibleName()}")
        self._read(self._cursor)
        self._place()

    def clear_maps(self) -> None:
        """Show no maps, which are to come."""
        self._pictures = {}
        for view in self.views:
            if view.objectName() != _IMAGE:
                view.clear()

    def set_source(self, source: SourcePicture, outlines: QPainterPath, look: OutlineLook) -> None:
        """Show the image with the outlines of its documents."""
        image = source.image
        other = self._source is None or self._source.image is not image
        self._source = source
        view = self.view(_IMAGE)
        view.set_picture(
            source.picture, None if image.is_colour else source_table(source.display.colours)
        )
        view.set_outlines(outlines, look.colour, look.opacity)
        if other:
            self.set_pixel_size(image.pixel_size, image.pixel_height)
            self.set_home(occupied(image))
            if self._row is None and self._aspect > _FLAT:
                self.show_row(len(self._topics))
            self.fit()

    def set_documents(self, count: int) -> None:
        """Say above the image into how many documents it is divided."""
        view = self.view(_IMAGE)
        view.set_title(f"{count} documents")
        view.setAccessibleName(f"Image, {count} documents")

    def show_pictures(self, method: str, pictures: Pictures) -> None:
        """Show the maps of a method."""
        self._pictures[method] = pictures
        *maps, composite = self._column(method)
        for view, topic, levels in zip(maps, self._topics, pictures.maps, strict=True):
            view.set_picture(levels, membership_table(topic.colour))
        composite.set_picture(pictures.composite)
        if self._cursor is not None:
            self._read(self._cursor)

    def header(self, method: str) -> ColumnHeader:
        """The head of a method's column."""
        return self._headers[method]

    def fail(self, method: str, sentence: str) -> None:
        """Say in place of a method's maps why there are none."""
        label = QLabel(sentence, self)
        label.setObjectName(f"compare_failure_{method}")
        label.setProperty("role", "warning")
        label.setWordWrap(True)
        label.setContentsMargins(6, 6, 6, 6)
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._failures[method] = label
        self._pictures.pop(method, None)
        self._place()

    def has_failed(self, method: str) -> bool:
        """Whether a sentence stands in place of the method's maps."""
        return method in self._failures

    @Slot(object)
    def show_row(self, row: int | None) -> None:
        """Give all the room to one row, or with None show all rows."""
        if row != self._row:
            self._row = row
            self._place()
            self.row_changed.emit(row)

    def _name(self, method: str, row: int) -> str:
        return f"compare_view_{method}_{'all' if row == len(self._topics) else row}"

    def _column(self, method: str) -> list[PictureView]:
        return [self.view(self._name(method, row)) for row in range(len(self._topics) + 1)]

    # -- layout ------------------------------------------------------------------------------

    @property
    def visible_views(self) -> tuple[PictureView, ...]:
        """The image, and the maps of the rows shown."""
        shown = [
            self.view(self._name(method.name, row))
            for method in self._methods
            if method.name not in self._failures
            for row in self._rows
        ]
        return (self.view(_IMAGE), *shown)

    @property
    def _rows(self) -> tuple[int, ...]:
        return tuple(range(len(self._topics) + 1)) if self._row is None else (self._row,)

    def toggle_enlarged(self, name: str) -> None:
        """Give all the room to the row of a map, or show all rows again."""
        rows = {self._name(method.name, row): row for method in self._methods for row in self._rows}
        self.show_row(None if self._row is not None else rows.get(name))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        cells = len(self._methods) + 1
        columns = cells
        if self._row is not None:
            columns = best_columns(cells, self._aspect, self.width(), self.height())
        rows = self._rows
        arrangement = (self._methods, self._topics, tuple(self._failures), rows, columns)
        if arrangement == self._placed:
            return
        self._placed = arrangement
        while self._layout.count():
            self._layout.takeAt(0)
        visible = self.visible_views
        for view in self.views:
            view.setVisible(view in visible)
            # One scale bar says it for all linked views.
            view.set_scale_bar_shown(view.objectName() == _IMAGE)
        band = 1 + len(rows)
        self._place_image()
        for number, method in enumerate(self._methods, 1):
            top, column = number // columns * band, number % columns
            failure = self._failures.get(method.name)
            if failure is None:
                views = [self.view(self._name(method.name, row)) for row in rows]
                self._place_column(self._headers[method.name], views, top, column)
            else:
                self._place_column(self._headers[method.name], [failure], top, column)
        bands = math.ceil(cells / columns)
        self._place_readout(cells, columns, bands * band)
        stretched = {row for row in range(bands * band) if row % band}
        for row in range(self._layout.rowCount()):
            self._layout.setRowStretch(row, int(row in stretched))
        for column in range(self._layout.columnCount()):
            self._layout.setColumnStretch(column, int(column < columns))

    def _place_column(
        self, header: QWidget, widgets: Sequence[QWidget], top: int, column: int
    ) -> None:
        """A header with what stands below it; one sentence has the height of all rows."""
        self._layout.addWidget(header, top, column)
        header.show()
        for number, widget in enumerate(widgets, 1):
            failed = isinstance(widget, QLabel)
            self._layout.addWidget(
                widget, top + number, column, len(self._rows) if failed else 1, 1
            )
            widget.show()

    @property
    def _image_rows(self) -> int:
        """The image is twice as high as a map, where that leaves room for the read-out."""
        return 2 if len(self._rows) > 3 else 1

    def _place_image(self) -> None:
        self._layout.addWidget(self._image_header, 0, 0)
        self._layout.addWidget(self.view(_IMAGE), 1, 0, self._image_rows, 1)

    def _place_readout(self, cells: int, columns: int, below: int) -> None:
        """Under the image or after the last method where there is room, else under everything."""
        left, taken = len(self._rows) - self._image_rows, cells % columns
        self.readout.set_wide(not (left or taken))
        if left:
            self._layout.addWidget(self.readout, 1 + self._image_rows, 0, left, 1)
        elif taken:
            self._layout.addWidget(self.readout, below - 1, taken, 1, columns - taken)
        else:
            self._layout.addWidget(self.readout, below, 0, 1, columns)

    # -- the cursor --------------------------------------------------------------------------

    @Slot(object)
    def _read(self, position: tuple[float, float] | None) -> None:
        source = self._source
        reading = (
            None if source is None or position is None else read_pixel(source.image, None, position)
        )
        shares: dict[str, tuple[float, ...]] = {}
        if position is not None and reading is not None:
            column, row = math.floor(position[0]), math.floor(position[1])
            shares = {each.name: self._shares(each.name, row, column) for each in self._methods}
        self.readout.set_reading(
            () if reading is None else reading.lines,
            self._topics,
            [MethodMemberships(each.title, shares.get(each.name, ())) for each in self._methods],
        )
        self._show_details(shares)

    def _shares(self, method: str, row: int, column: int) -> tuple[float, ...]:
        """The memberships of a pixel, none where they are unknown."""
        pictures = self._pictures.get(method)
        if pictures is None or pictures.labels.shape != self._source_shape:
            return ()
        levels = pictures.maps[:, row, column]
        return () if levels.min() == 0 else tuple((levels - 1.0) / (LEVELS - 1))

    @property
    def _source_shape(self) -> tuple[int, int] | None:
        return None if self._source is None else self._source.image.shape

    def _show_details(self, shares: dict[str, tuple[float, ...]]) -> None:
        """The membership at the cursor in the title of every map."""
        for method in self._methods:
            known = shares.get(method.name, ())
            for row in self._rows:
                text = f"{100 * known[row]:.0f} %" if row < len(known) else ""
                self.view(self._name(method.name, row)).set_detail(text)
