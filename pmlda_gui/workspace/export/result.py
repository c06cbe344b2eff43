"""A finished segmentation with everything that the exporters need.

Of images too large to hold in full, the maps here are reduced and `tiles` gives the
full ones piece by piece; of all others, reduced and full are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.diagnostics import Diagnosis
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.imagery.topic_palette import topic_colours
from pmlda_gui.workspace.journal import Journal
from pmlda_gui.workspace.recipe import Recipe
from pmlda_gui.workspace.vocabulary import TopicCodes

if TYPE_CHECKING:
    from pmlda_gui.workspace.analysis.answers import Answers

__all__ = ["ImageResult", "Result", "Tile", "tiles_of"]

# A whole number of the blocks that the rasters are stored in.
_ROWS_AT_A_TIME = 256


@dataclass(frozen=True, eq=False)
class Tile:
    """A rectangle of the full maps, whose first pixel is at (`row`, `column`).

    `memberships` and `uncertainty` are (K, height, width) float32, NaN where invalid;
    `unknown` is (height, width), None unless topics were given.
    """

    row: int
    column: int
    memberships: NDArray[np.float32]
    uncertainty: NDArray[np.float32] | None
    unknown: NDArray[np.float32] | None = None


@dataclass(frozen=True, eq=False)
class ImageResult:
    """One image with its segmentation.

    `image` is the image in full.  `shown` is what `segmentation` describes: the same
    image, or where that is too large, the image reduced by `reduction`, in which
    case `tiles` gives the maps in full.  Where the image stands for one that was never held
    whole, `known_valid` is how many of its pixels are valid.  `rasters` are files with the
    maps that are there already.
    """

    image: Image
    segmentation: Segmentation
    shown: Image
    reduction: int = 1
    full_tiles: Callable[[], Iterator[Tile]] | None = None
    known_valid: int | None = None
    rasters: Sequence[Path] | None = None

    @property
    def valid_pixels(self) -> int:
        """How many pixels of the image are valid."""
        if self.known_valid is not None:
            return self.known_valid
        return int(np.count_nonzero(self.image.valid))

    @property
    def has_uncertainty(self) -> bool:
        return self.segmentation.uncertainty is not None

    def tiles(self) -> Iterator[Tile]:
        """The full maps, piece by piece."""
        return tiles_of(self.segmentation) if self.full_tiles is None else self.full_tiles()


@dataclass(frozen=True, eq=False)
class Result:
    """All images of a run, and what was asked for, done and found out.

    `recipe` is what was sampled under, and `asked` what else was asked for, how long and by how
    many chains, as JSON can hold it.  `traces` are the log joints by sweep of each chain,
    `qualities` its best Q; `steps` the acceptance rates or evaluations per draw by block of
    variables; `seconds` the time of each stage; `warnings` sentences for the operator.
    `sweeps_under_settings` are those since anything last changed, which the maps rest on; None
    if nothing can have changed.  `codes` are what topics are called in vocabularies, none if
    empty.  `answers` are what the maps say about profiles, regions and measurements, None if
    nothing is drawn.
    """

    images: Sequence[ImageResult]
    recipe: Recipe
    journal: Journal
    diagnosis: Diagnosis
    traces: Sequence[NDArray[np.float64]]
    qualities: Sequence[float]
    chosen_chain: int
    steps: Mapping[str, float]
    sweeps: int
    seconds: Mapping[str, float]
    warnings: Sequence[str] = ()
    topic_names: Sequence[str] = ()
    colours: NDArray[np.uint8] = field(default_factory=lambda: topic_colours(12))
    sweeps_under_settings: int | None = None
    codes: Sequence[TopicCodes] = ()
    answers: Answers | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """All that was asked for, in the words of the command line, as JSON can hold it."""
        return {**self.recipe.to_options(), **self.asked}

    @property
    def measured_in(self) -> str:
        """In what windows and waves features were measured.

        They are told in metres too where all images have pixels of one known size.
        """
        sizes = {each.image.pixel_size for each in self.images}
        return self.recipe.features.lengths(sizes.pop() if len(sizes) == 1 else None)

    @property
    def window(self) -> int:
        """The side in pixels of the window that features were measured in."""
        return self.recipe.features.scaled_window

    @property
    def topics(self) -> int:
        """Number of topics K."""
        return self.images[0].segmentation.topics

    @property
    def area_fractions(self) -> NDArray[np.float64]:
        """The area fraction of each topic, (K)."""
        totals = np.zeros(self.topics)
        for each in self.images:
            found = each.segmentation
            totals += found.area_fractions * np.count_nonzero(found.valid) * each.reduction**2
        fractions: NDArray[np.float64] = totals / max(float(totals.sum()), 1e-300)
        return fractions


def tiles_of(segmentation: Segmentation) -> Iterator[Tile]:
    """The maps that a segmentation holds, in bands of rows."""
    maps, spread, unknown = (
        segmentation.memberships,
        segmentation.uncertainty,
        segmentation.unknown,
    )
    for row in range(0, maps.shape[1], _ROWS_AT_A_TIME):
        rows = slice(row, row + _ROWS_AT_A_TIME)
        yield Tile(
            row,
            0,
            maps[:, rows],
            None if spread is None else spread[:, rows],
            None if unknown is None else unknown[rows],
        )
