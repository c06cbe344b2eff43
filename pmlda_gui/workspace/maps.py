"""Maps on demand: any part of an image, at any step, from the draws a chain has kept.

Nothing is learned here.  What is asked for is computed and no more: what is on the screen
first, at its resolution, then finer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.crew import Crew
from pmlda_gui.core.map_pass import MapResult, Places, map_estimate, map_mean
from pmlda_gui.core.samplers import Globals
from pmlda_gui.imagery.field import CellField
from pmlda_gui.workspace.preparation import Prepared

__all__ = ["ImageMaps", "MapMaker", "MapSource", "Window", "map_of"]

Cancel = Callable[[], bool]
Window = tuple[slice, slice]
"""Rows and columns of an image, without steps."""


@dataclass(frozen=True, eq=False)
class MapSource:
    """What maps are made from: the draws of a chain, and how documents act.

    `kind` "mean" gives mean and deviation over all draws, "map" each pixel's mode and
    "paper-map" one sample of its memberships, both under the first draw.
    """

    draws: tuple[Globals, ...]
    fuzzifier: float
    smoothness: float
    seed: int
    kind: str = "mean"


@dataclass(frozen=True, eq=False)
class ImageMaps:
    """Maps of the pixels on every `step`-th row and column of a rectangle of an image.

    `memberships` and `deviation` are (K, rows, columns), NaN outside the documents;
    `deviation` is None for single points.  `rows` and `columns` are the pixels' places.
    `kept` (draws, K, rows, columns) are draws of the map in 255 levels, if asked for.
    """

    memberships: NDArray[np.float32]
    deviation: NDArray[np.float32] | None
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    step: int
    kept: NDArray[np.uint8] | None = None


class MapMaker:
    """Makes the maps of prepared images; remembers what the same images need again."""

    def __init__(self, prepared: Prepared, crew: Crew) -> None:
        self._prepared = prepared
        self._crew = crew
        self._cells: dict[tuple[int, float], CellField] = {}

    def maps(
        self,
        source: MapSource,
        image: int,
        step: int = 1,
        window: Window | None = None,
        *,
        keep: bool = False,
        cancel: Cancel | None = None,
    ) -> ImageMaps | None:
        """The maps of (a part of) an image; None once `cancel` says True."""
        labels = self._prepared.fields[image].labels
        height, width = labels.shape
        across = window or (slice(0, height), slice(0, width))
        rows, columns = (_places(part, step) for part in across)
        inside = labels[np.ix_(rows, columns)] >= 0
        at = np.flatnonzero(inside)
        row, column = rows[at // len(columns)], columns[at % len(columns)]
        planes = self._prepared.standardised(image)
        words = planes[:, row, column]
        found = self._mapped(source, image, words, row, column, keep, cancel)
        if found is None:
            return None

        def laid_out(values: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
            if values is None:
                return None
            maps = np.full((len(values), inside.size), np.nan, np.float32)
            maps[:, at] = values
            return maps.reshape(-1, *inside.shape)

        memberships = laid_out(found.memberships)
        assert memberships is not None
        kept = None
        if keep:
            kept = np.zeros((*found.kept.shape[:2], inside.size), np.uint8)
            kept[:, :, at] = found.kept
            kept = kept.reshape(*found.kept.shape[:2], *inside.shape)
        return ImageMaps(memberships, laid_out(found.deviation), rows, columns, step, kept)

    def _mapped(
        self,
        source: MapSource,
        image: int,
        words: NDArray[np.float32],
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        keep: bool,
        cancel: Cancel | None,
    ) -> MapResult | None:
        if source.smoothness == 0.0:
            cells, places = self._prepared.fields[image].hard_cells(rows, columns)
        else:
            cells = self._field(image, source.smoothness)
            places = cells.places(rows, columns)
            if places.cells.size < cells.starts.size:
                # What a coarse pass does not look at need not be mixed under every draw.
                cells, places = cells.restricted(places)
        return map_of(source, words, cells, places, self._crew, keep, cancel)

    def _field(self, image: int, smoothness: float) -> CellField:
        """The cells of an image; those of the last smoothness are kept."""
        wanted = (image, smoothness)
        if wanted not in self._cells:
            self._cells = {key: each for key, each in self._cells.items() if key[1] == smoothness}
            width = smoothness * self._prepared.unit
            self._cells[wanted] = self._prepared.fields[image].cells(width)
        return self._cells[wanted]


def map_of(
    source: MapSource,
    words: NDArray[np.float32],
    cells: CellField,
    places: Places,
    crew: Crew,
    keep: bool = False,
    cancel: Cancel | None = None,
) -> MapResult | None:
    """The map of words (p, N) that lie at these places between the cells."""
    concentration = cells.concentration(np.array([g.concentration for g in source.draws]))
    if source.kind == "map":
        return map_estimate(
            words, places, concentration[0], source.draws[0], source.fuzzifier, crew, cancel
        )
    found = map_mean(
        words, places, concentration, source.draws, source.fuzzifier, source.seed, crew,
        sweeps=1 if source.kind == "paper-map" else None, keep=keep, cancel=cancel,
    )  # fmt: skip
    if found is None or source.kind == "mean":
        return found
    return replace(found, deviation=None)


def _places(part: slice, step: int) -> NDArray[np.int64]:
    """The middle of every run of `step` rows or columns, the last one where it ends."""
    starts = np.arange(part.start, part.stop, step)
    middles: NDArray[np.int64] = np.minimum(starts + step // 2, part.stop - 1)
    return middles
