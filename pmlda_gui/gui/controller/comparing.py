"""The command that opens the comparison of methods; nothing of it is loaded before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Slot

from pmlda_gui.gui.controller.controller import Controller

if TYPE_CHECKING:
    from pmlda_gui.gui.compare.comparison_controller import ComparisonFlow
    from pmlda_gui.workspace.comparison import MethodResult

__all__ = ["Comparing"]


class Comparing(QObject):
    """Joins the command with what it does."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._flow: ComparisonFlow | None = None
        controller.window.actions_by_name["compare_methods"].triggered.connect(self.show)

    @property
    def results(self) -> Mapping[str, MethodResult]:
        """The methods that were compared last, by name; none before."""
        return {} if self._flow is None else self._flow.presenter.results

    def picture(self, method: str, image: int) -> NDArray[np.uint8] | None:
        """The composite (height, width, 4) of a method that was compared, of one image."""
        from pmlda_gui.gui.frame_renderer import paint_maps

        if self._flow is None or method not in self.results:
            return None
        segmentations = self.results[method].segmentations
        maps = segmentations[min(image, len(segmentations) - 1)].memberships
        return paint_maps(maps, self._flow.presenter.topics).composite

    @Slot()
    def show(self) -> None:
        """Open the window of the comparison, or bring it to the front."""
        if self._flow is None:
            from pmlda_gui.gui.compare.comparison_controller import ComparisonFlow
            from pmlda_gui.gui.compare.export import ComparisonExport

            self._flow = ComparisonFlow(self._controller)
            ComparisonExport(self._flow, self._controller.jobs)
        self._flow.show()
