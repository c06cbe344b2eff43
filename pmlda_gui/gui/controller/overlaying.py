"""Shows a map or the composite over the source image."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.shown_pictures import picture_names

__all__ = ["Overlaying"]


class Overlaying(QObject):
    """Joins the panel and the key of the overlay with the source view."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._presenter = controller.presenter
        self._window = window = controller.window
        self._action = window.actions_by_name["overlay"]
        self._action.triggered.connect(window.overlay.set_shown)
        window.overlay.overlay_changed.connect(self._show)
        self._presenter.pictures_changed.connect(self._follow)

    @Slot()
    def _follow(self) -> None:
        snapshot = self._presenter.snapshot
        if snapshot is not None:
            self._window.overlay.set_choices(picture_names(snapshot))
        self._show()

    @Slot()
    def _show(self) -> None:
        overlay = self._window.overlay.overlay
        self._action.setChecked(overlay.shown)
        view = self._window.grid.view("source_view")
        shown = self._presenter.picture(overlay.picture) if overlay.shown else None
        source = self._presenter.source
        # Maps may be quicker than the image they belong to.
        fits = shown and source and shown.picture.shape[:2] == source.picture.shape[:2]
        # What is hatched because it is not known would only hide the image.
        if shown is None or shown.caption or not fits:
            view.set_overlay(None)
            view.set_detail(f"{shown.title}: {shown.caption}" if shown and shown.caption else "")
            view.set_key(None)
            return
        view.set_overlay(shown.picture, shown.table, overlay.opacity)
        view.set_detail(f"{shown.title}, {100 * overlay.opacity:.0f} %")
        view.set_key(shown.key)
