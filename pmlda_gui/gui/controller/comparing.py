"""The command that opens the comparison of methods; nothing of it is loaded before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from pmlda_gui.gui.controller.controller import Controller

if TYPE_CHECKING:
    from pmlda_gui.gui.compare.flow import ComparisonFlow

__all__ = ["Comparing"]


class Comparing(QObject):
    """Joins the command with what it does."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._flow: ComparisonFlow | None = None
        controller.window.actions_by_name["compare_methods"].triggered.connect(self.show)

    @Slot()
    def show(self) -> None:
        """Open the window of the comparison, or bring it to the front."""
        if self._flow is None:
            from pmlda_gui.gui.compare.export import ComparisonExport
            from pmlda_gui.gui.compare.flow import ComparisonFlow

            self._flow = ComparisonFlow(self._controller)
            ComparisonExport(self._flow, self._controller.jobs)
        self._flow.show()
