"""One picture in a frame with a title: pans, zooms, and shows overlays.

Pictures arrive as bytes with a table of 256 colours, so that showing one is a blit;
the crosshair, the outlines and the scale bar are drawn over it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QPainterPath,
    QPalette,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

import pyqtgraph as pg  # isort: skip (after PySide6, so that it binds to it)

from pmlda_gui.gui.views.colour_key import Key
from pmlda_gui.gui.views.crosshair import Crosshair
from pmlda_gui.gui.views.outline_layer import OutlineLayer
from pmlda_gui.gui.views.picture_canvas import PictureCanvas
from pmlda_gui.gui.views.picture_header import PictureHeader
from pmlda_gui.gui.views.scale_bar import ScaleBar
from pmlda_gui.gui.views.shape_layer import DrawnShape, ShapeLayer
from pmlda_gui.gui.views.stroke_layer import PaintedArea, StrokeLayer

__all__ = ["PictureView"]

_ZOOM_STEP = 1.25
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_LONG_NUDGE = 10
_DRAWING_KEYS = {
    Qt.Key.Key_Space: "put",
    Qt.Key.Key_Backspace: "take_back",
    Qt.Key.Key_Return: "end",
    Qt.Key.Key_Enter: "end",
}


class PictureView(QFrame):
    """A titled picture.

    `range_changed` carries the visible rectangle in pixels after the operator moved
    it, `seen_changed` tells that it is another one, whoever moved it; `hovered` carries the
    cursor's column and row, which may lie outside the picture; `nudged` how many columns
    and rows an arrow key moves the cursor; `clicked` tells of a click that drags nothing.
    While a tool draws, `draw_pressed`, `draw_released` carry column and row of the left button,
    and `draw_key` what a key asks of it.
    """

    range_changed = Signal(QRectF)
    seen_changed = Signal()
    hovered = Signal(float, float)
    left = Signal()
    enlarge_requested = Signal()
    clicked = Signal()
    pointed_at = Signal()
    titled = Signal(str)
    nudged = Signal(int, int)
    draw_pressed = Signal(float, float)
    draw_released = Signal(float, float)
    draw_key = Signal(str)

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._size: tuple[int, int] | None = None
        self._home: QRectF | None = None
        self._fitted = False
        self._header = PictureHeader(title, self)
        self._build_canvas()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self._header)
        layout.addWidget(self._canvas, 1)

    def _build_canvas(self) -> None:
        self._canvas = PictureCanvas(self)
        self._box = pg.ViewBox(lockAspect=True, invertY=True, enableMenu=False, defaultPadding=0.0)
        self._canvas.setCentralItem(self._box)
        self._image = pg.ImageItem(axisOrder="row-major")
        self._box.addItem(self._image, ignoreBounds=True)
        self._overlay = pg.ImageItem(axisOrder="row-major")
        self._overlay.setZValue(2)
        self._overlay.hide()
        self._box.addItem(self._overlay, ignoreBounds=True)
        self._outlines = OutlineLayer(self._box)
        self._crosshair = Crosshair(self._box)
        self._scale_bar = ScaleBar(self._canvas)
        self._caption = QLabel(self._canvas)
        self._caption.setProperty("role", "caption")
        self._caption.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._caption.hide()
        self._box.sigRangeChangedManually.connect(self._moved_by_hand)
        self._box.sigRangeChanged.connect(self._range_changed)
        self._canvas.hovered.connect(self._hover)
        self._canvas.left.connect(self.left)
        self._canvas.double_clicked.connect(self._double_clicked)
        # Not by the focus alone, which a window in the background does not have.
        self._canvas.clicked.connect(self.pointed_at)
        self._canvas.clicked.connect(self.clicked)
        self._canvas.pressed.connect(self._draw_press)
        self._canvas.released.connect(self._draw_release)
        self._shapes = ShapeLayer(self._box)
        self._strokes = StrokeLayer(self._box)

    # -- what is shown -----------------------------------------------------------------------

    def set_title(self, title: str, colour: tuple[int, int, int] | None = None) -> None:
        """Name the picture; a colour stands before the name as a square."""
        if (title, colour) != self._header.named:
            self.setAccessibleName(title)
            self._header.set_title(title, colour)
            self.titled.emit(title)

    def set_detail(self, text: str) -> None:
        """A few words at the right of the title, where there is room for both."""
        self._header.set_detail(text)

    def set_key(self, key: Key | None) -> None:
        """What the colours mean, beside the title."""
        self._header.set_key(key)

    def set_caption(self, text: str) -> None:
        """Words in the middle of the picture, for what it cannot show; empty for none."""
        if text != self._caption.text():
            self._caption.setText(text)
            self._caption.setVisible(bool(text))
            self._place_caption()

    def _place_caption(self) -> None:
        self._caption.adjustSize()
        place = self._caption.rect()
        place.moveCenter(self._canvas.rect().center())
        self._caption.setGeometry(place)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._header.fit()
        self._place_caption()

    def set_picture(
        self, picture: NDArray[np.uint8], table: NDArray[np.uint8] | None = None
    ) -> None:
        """Show levels (height, width) through `table` (256, 4), or colours (height, width, 4).

        The array is kept, not copied, and painted later: it must not change.
        """
        levels = (0, 255) if picture.ndim == 2 else None
        self._image.setImage(picture, autoLevels=False, levels=levels, lut=table)
        size = (picture.shape[1], picture.shape[0])
        if size != self._size:
            self._size = size
            self.fit()

    def set_overlay(
        self,
        picture: NDArray[np.uint8] | None,
        table: NDArray[np.uint8] | None = None,
        opacity: float = 1.0,
    ) -> None:
        """Lay another picture of the same size over this one; None takes it away."""
        self._overlay.setVisible(picture is not None)
        if picture is not None:
            levels = (0, 255) if picture.ndim == 2 else None
            self._overlay.setImage(picture, autoLevels=False, levels=levels, lut=table)
            self._overlay.setOpacity(opacity)

    def clear(self) -> None:
        """Show nothing."""
        self._image.clear()
        self._size = None

    def set_outlines(
        self, path: QPainterPath, colour: tuple[int, int, int], opacity: float
    ) -> None:
        """Draw lines over the picture; an empty path draws none.

        They fade where so many of them meet on the screen that they would hide the picture.
        """
        self._outlines.set_outlines(path, colour, opacity)
        self._fade_outlines()

    def _fade_outlines(self) -> None:
        if self._size is not None:
            points = max(self._canvas.width(), 1) / max(self.visible_range.width(), 1e-9)
            self._outlines.fade(self._size[0] * self._size[1], points)

    def set_shapes(self, shapes: Sequence[DrawnShape]) -> None:
        """Draw profiles, regions and measurements over the picture."""
        self._shapes.set_shapes(shapes)

    def set_strokes(self, areas: Sequence[PaintedArea]) -> None:
        """Show what was painted over the picture."""
        self._strokes.set_areas(areas)

    def set_drawing(self, draws: bool) -> None:
        """Give the left button and some keys to a tool that draws, or back."""
        self._canvas.draws = draws
        cursor = Qt.CursorShape.CrossCursor if draws else Qt.CursorShape.ArrowCursor
        self._canvas.viewport().setCursor(cursor)

    def set_crosshair(self, position: tuple[float, float] | None) -> None:
        """Mark the column and row under the cursor, here or in another view."""
        self._crosshair.move(position)

    def set_pixel_size(self, metres: float | None, height: float | None = None) -> None:
        """Draw a scale bar in metres, in pixels where the width of a pixel is unknown.

        Pixels of another height are drawn as high as they are, so proportions are true.
        """
        self._scale_bar.set_pixel_size(metres)
        self._box.setAspectLocked(True, metres / height if metres and height else 1.0)
        self._range_changed()

    def set_scale_bar_shown(self, shown: bool) -> None:
        self._scale_bar.setVisible(shown)

    # -- what is visible ---------------------------------------------------------------------

    def set_home(self, area: QRectF) -> None:
        """The rectangle of pixels worth seeing, which `fit` shows."""
        self._home = area

    def fit(self) -> None:
        """Show the whole picture, or of one that is mostly empty the rest."""
        if self._home is not None:
            self.set_range(self._home)
        elif self._size is not None:
            self.set_range(QRectF(0, 0, *self._size))

    def set_range(self, area: QRectF) -> None:
        """Show at least this rectangle of pixels."""
        self._box.setRange(area, padding=0.0, disableAutoRange=True)

    @property
    def visible_range(self) -> QRectF:
        """The rectangle of pixels that is visible, which may reach beyond the picture."""
        return QRectF(self._box.viewRect())

    @property
    def pixels_per_screen_pixel(self) -> float:
        """How many pixels of the picture, in a row, share one of the screen."""
        width = max(self._canvas.width(), 1) * self.devicePixelRatioF()
        return float(self.visible_range.width()) / width

    def zoom(self, steps: int) -> None:
        """Zoom in, or out for negative steps, about the middle."""
        self._box.scaleBy((_ZOOM_STEP**-steps, _ZOOM_STEP**-steps))
        self.range_changed.emit(self.visible_range)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        # A view box knows its size, and with it the range that fits, only once it is shown.
        if not self._fitted:
            self._fitted = True
            QTimer.singleShot(0, self, self.fit)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self.pointed_at.emit()

    def event(self, event: QEvent) -> bool:
        """A picture whose menu opens is the one that the menu's commands are about."""
        if event.type() == QEvent.Type.ContextMenu:
            self.pointed_at.emit()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        step = _LONG_NUDGE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        if event.key() in _ARROWS:
            across, down = _ARROWS[Qt.Key(event.key())]
            self.nudged.emit(step * across, step * down)
        elif self._canvas.draws and event.key() in _DRAWING_KEYS:
            self.draw_key.emit(_DRAWING_KEYS[Qt.Key(event.key())])
        elif self._canvas.draws and Qt.Key.Key_1 <= event.key() <= Qt.Key.Key_9:
            self.draw_key.emit(str(event.key() - Qt.Key.Key_0))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.enlarge_requested.emit()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_canvas"):
            self._canvas.setBackground(self.palette().color(QPalette.ColorRole.Base))

    # -- from the canvas ---------------------------------------------------------------------

    @Slot(object)
    def _moved_by_hand(self, _axes: object) -> None:
        self.range_changed.emit(self.visible_range)

    @Slot()
    def _range_changed(self, *_arguments: object) -> None:
        width = max(self._canvas.width(), 1)
        self._scale_bar.set_pixels_per_point(self.visible_range.width() / width)
        self._fade_outlines()
        self.seen_changed.emit()

    def _place(self, position: QPointF) -> tuple[float, float]:
        """The column and row at a point of the canvas."""
        point = self._box.mapSceneToView(self._canvas.mapToScene(position.toPoint()))
        return point.x(), point.y()

    @Slot(QPointF)
    def _hover(self, position: QPointF) -> None:
        self.hovered.emit(*self._place(position))

    @Slot(QPointF)
    def _draw_press(self, position: QPointF) -> None:
        # The click that draws also chooses the picture, which then hears the keys.
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.draw_pressed.emit(*self._place(position))

    @Slot(QPointF)
    def _draw_release(self, position: QPointF) -> None:
        self.draw_released.emit(*self._place(position))

    @Slot()
    def _double_clicked(self) -> None:
        if self._canvas.draws:
            self.draw_key.emit("end")
        else:
            self.enlarge_requested.emit()
