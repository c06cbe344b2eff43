"""Tells the worker what is looked at: the estimate, the image, and the part on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from pmlda_gui.gui.view_request import ViewRequest

if TYPE_CHECKING:
    from pmlda_gui.gui.controller.controller import Controller

__all__ = ["Looking"]

# While the operator pans or zooms, the worker hears of it no more often than this.
SEEN_MILLISECONDS = 80


class Looking(QObject):
    """Sends looks, at once when asked to, and soon after the views have moved."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._sent: ViewRequest | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SEEN_MILLISECONDS)
        self._soon.timeout.connect(self._send_news)
        controller.window.grid.seen_changed.connect(self._moved)

    def send(self) -> None:
        """Tell the worker what to paint."""
        self._sent = self._present()
        self._controller.chain.requests.set_view(self._sent)

    def stop(self) -> None:
        """Send nothing more by itself."""
        self._soon.stop()

    def _present(self) -> ViewRequest:
        session, window = self._controller.session, self._controller.window
        look = ViewRequest(
            session.estimate, self._controller.current_image, session.topics, window.scatter.chosen
        )
        seen = window.grid.seen
        if seen is None:
            return look
        area, pixels_per_screen_pixel = seen
        pixels = area.toAlignedRect()
        visible = (pixels.top(), pixels.bottom() + 1, pixels.left(), pixels.right() + 1)
        return ViewRequest(
            look.estimate, look.image, look.topics, look.scatter, visible, pixels_per_screen_pixel
        )

    @Slot()
    def _moved(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    @Slot()
    def _send_news(self) -> None:
        if self._sent is not None and self._present() != self._sent:
            self.send()
