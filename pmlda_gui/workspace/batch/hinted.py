"""The hints of a segmentation without a window: which file, which pixels, which topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.batch.settings import Settings
from pmlda_gui.workspace.hint_files import read_hints
from pmlda_gui.workspace.hints import PaintedHint
from pmlda_gui.workspace.strokes import painted
from pmlda_gui.workspace.tiled_preparation import Reduced

__all__ = ["NO_HINTS_GIVEN", "Hinted", "hinted_by"]


@dataclass(frozen=True, eq=False)
class Hinted:
    """Hints on the images, and the names of the first topics, which are theirs."""

    names: tuple[str, ...] = ()
    hints: tuple[PaintedHint, ...] = ()

    def topic_names(self, count: int) -> tuple[str, ...]:
        """Names for so many topics."""
        rest = range(len(self.names) + 1, count + 1)
        return (*self.names, *(f"topic {number}" for number in rest))

    def on(self, reduced: Reduced | None) -> tuple[PaintedHint, ...]:
        """The hints on what the chain runs on: the images, or cells of them."""
        if reduced is None:
            return self.hints
        return tuple(_on_cells(hint, reduced) for hint in self.hints)

    def check(self, topics: int) -> None:
        """Refuse fewer topics than hints are for."""
        if len(self.names) > topics:
            raise PmldaError(
                f"The hints are for {len(self.names)} topics, but {topics} were asked for: give "
                f"--topics {len(self.names)} or more."
            )


NO_HINTS_GIVEN = Hinted()


def hinted_by(settings: Settings, images: Sequence[Image]) -> Hinted:
    """What the file of hints says about these images, if there is one."""
    if settings.hints is None:
        return NO_HINTS_GIVEN
    known = () if settings.given is None else [look.name for look in settings.given.looks]
    read = read_hints(settings.hints, images, known)
    return Hinted(read.names, painted(read.strokes, [image.shape for image in images]))


def _on_cells(hint: PaintedHint, reduced: Reduced) -> PaintedHint:
    factor = reduced.factor
    rows, columns = np.divmod(hint.pixels.astype(np.int64), reduced.images[hint.image].shape[1])
    cells = reduced.prepared.images[hint.image].shape
    row, column = (
        np.minimum(each // factor, side - 1)
        for each, side in zip((rows, columns), cells, strict=True)
    )
    return replace(hint, pixels=np.unique(row * cells[1] + column).astype(np.int32))
