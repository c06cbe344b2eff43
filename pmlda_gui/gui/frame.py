"""A frame: what the worker sends to the window, with its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.gui.view_request import ShownTopic

if TYPE_CHECKING:
    from pmlda_gui.workspace.analysis.light import Light
    from pmlda_gui.workspace.preparation import Prepared

__all__ = [
    "LEVELS",
    "UNCERTAINTY_RANGE",
    "Figures",
    "Pictures",
    "ScatterPicture",
    "Snapshot",
    "UnknownPicture",
]

UNCERTAINTY_RANGE = 0.3
"""The posterior standard deviation drawn brightest; that of a coin flip would be 0.5."""
LEVELS = 255
"""Level 0 is no membership known; 1 to 255 are memberships from 0 to 1."""


class UnknownPicture(NamedTuple):
    """Levels (height, width) of an image of `prepared`, and how much of it is unknown, 0 to 1."""

    prepared: Prepared
    image: int
    levels: NDArray[np.uint8]
    fraction: float


class Pictures(NamedTuple):
    """The bytes of one frame, read-only.

    `maps` (G, height, width) and `uncertainty` (height, width) are levels, 0 where
    nothing is known; `composite` is (height, width, 4); `labels` holds the number
    of the largest topic counted from 1.
    """

    maps: NDArray[np.uint8]
    composite: NDArray[np.uint8]
    labels: NDArray[np.uint8]
    uncertainty: NDArray[np.uint8] | None


@dataclass(frozen=True)
class Figures:
    """How the chain is doing.

    `words` is how many words a sweep visits, `words_per_second` how fast, `seconds`
    the time spent running; they lie on every `stride`-th row and column, and `all_words`
    is how many of them there are.  `steps` is what the last sweep reports of each block.
    `sizes` and `rhat` are effective sample sizes and split R-hat by quantity, `map_change`
    how far the maps of earlier draws are from those of later ones, None while it is unknown.
    """

    sweep: int = 0
    stride: int = 1
    words: int = 0
    all_words: int = 0
    words_per_second: float = 0.0
    seconds: float = 0.0
    sampler: str = "fast"
    steps: Mapping[str, float] = field(default_factory=dict)
    verdict: str = ""
    sizes: Mapping[str, float] = field(default_factory=dict)
    rhat: Mapping[str, float] = field(default_factory=dict)
    map_change: float | None = None
    light: Light | None = None

    @property
    def learned_from(self) -> str:
        """Which words the chain learns from, for people."""
        if self.words < self.all_words:
            return f"{self.words:,} of {self.all_words:,} words, to begin with"
        if self.stride == 1:
            return f"{self.words:,} words, every pixel"
        return f"{self.words:,} words, every {_ordinal(self.stride)} row and column"


@dataclass(frozen=True, eq=False)
class ScatterPicture:
    """Words in the plane of two features: a picture (side, side, 4) and the topics' means.

    `extent` is left, bottom, width, height in the features' units; row 0 is the bottom.
    It is painted less often than the maps, so it brings the topics of its `means` (G, 2).
    """

    features: tuple[int, int]
    picture: NDArray[np.uint8]
    extent: tuple[float, float, float, float]
    means: NDArray[np.float64]
    topics: tuple[ShownTopic, ...]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One frame.

    `run` numbers the run it belongs to: the window drops what an older one sent.
    `proportions` (D, G) and `scaling` (D) are those of the shown image's documents,
    with the topics as shown; `marks` are the changes of target by sweep.

    `step` is the coarsest step of what is visible: 1 once every pixel of it was computed.
    `sharp` says that it is as fine as the screen can show.
    `complete` says that all pixels of the image were, from all that the chain has.
    `deviation_known` says that there are draws enough to tell an uncertainty.
    `unknown` is added where topics were given, once it is known.
    """

    run: int
    image: int
    prepared: Prepared
    topic_ids: tuple[int, ...]
    topics: tuple[ShownTopic, ...]
    pictures: Pictures
    proportions: NDArray[np.float64]
    scaling: NDArray[np.float64]
    marks: tuple[tuple[int, str], ...]
    figures: Figures
    estimate: str
    scatter: ScatterPicture | None = None
    step: int = 1
    sharp: bool = True
    complete: bool = True
    deviation_known: bool = True
    unknown: UnknownPicture | None = None


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"
