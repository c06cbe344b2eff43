"""The options of a reader, and what a probe reports before reading.

Everything here is light to import: the window builds its dialogs from these
values long before a file is opened.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pmlda_gui.core.errors import Cancelled, PmldaError

__all__ = [
    "Band",
    "Probe",
    "ReadOptions",
    "Task",
    "require_together",
    "require_within_limit",
]

DEFAULT_LIMIT_PIXELS = 120_000_000
LARGEST_REDUCTION = 1000
MOST_BANDS = 16
LARGEST_LAYBACK = 20_000.0
MOST_TRACK_POINTS = 10_000
BYTES_PER_VALUE = 4  # float32
BYTES_PER_MASK_VALUE = 1


@dataclass(frozen=True)
class ReadOptions:
    """How a file is read.

    `band` is a band's number (the first is 1) or its description; None takes what
    the file shows by itself.  `bands` are several, in which features are measured
    together; the first is shown.  `reduce` averages blocks of that many pixels a side.
    `limit_pixels` bounds the pixels of all that is read together.  `channels` are the
    numbers of the side-scan channels shown, from left to right; what follows acts on
    side-scan recordings only.  `correct_slant_range` is None for where the bottom was
    tracked with confidence.  `normalise_gain` evens out the gain by a table measured in
    all recordings read together, or by the saved `gain_table`.  `square_pixels` averages
    samples or pings so that pixels are as high as they are wide.  `layback` is how many
    metres the sonar is behind the recorded position, None for as recorded.  `bottom_track`
    are points (ping, sample) on the first return that an operator set, in order of pings;
    both count from 0 as recorded, before any reduction.
    """

    band: int | str | None = None
    reduce: int = 1
    limit_pixels: int = DEFAULT_LIMIT_PIXELS
    channels: tuple[int, ...] = ()
    mask_water_column: bool = True
    correct_slant_range: bool | None = None
    normalise_gain: bool = True
    bands: tuple[int | str, ...] = ()
    gain_table: Path | None = None
    square_pixels: bool = True
    layback: float | None = None
    bottom_track: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if self.bands and self.band is not None:
            raise PmldaError("One band and several were asked for: choose either.")
        if len(self.bands) > MOST_BANDS or len(set(self.bands)) < len(self.bands):
            raise PmldaError(
                f"The bands {', '.join(map(str, self.bands))} are too many or repeat one another; "
                f"choose up to {MOST_BANDS}, each once."
            )
        if not 1 <= self.reduce <= LARGEST_REDUCTION:
            raise PmldaError(
                f"The reduction factor {self.reduce} is outside 1 to {LARGEST_REDUCTION}; "
                "choose a whole number in that range."
            )
        if self.limit_pixels < 1:
            raise PmldaError(
                f"The limit of {self.limit_pixels} pixels leaves no image; choose at least 1."
            )
        if len(self.channels) > 2:
            raise PmldaError(
                f"{len(self.channels)} side-scan channels were asked for; choose one or two."
            )
        if self.gain_table is not None and not self.normalise_gain:
            raise PmldaError(
                "A gain table was given, but the gain is to stay as recorded: choose either."
            )
        if self.layback is not None and not abs(self.layback) <= LARGEST_LAYBACK:
            raise PmldaError(
                f"A layback of {self.layback:g} m cannot be: choose up to {LARGEST_LAYBACK:.0f} m."
            )
        _check_bottom_track(self.bottom_track)


def _check_bottom_track(points: tuple[tuple[float, float], ...]) -> None:
    pings = [ping for ping, _ in points]
    fits = all(math.isfinite(part) and part >= 0 for point in points for part in point)
    if not fits or len(points) > MOST_TRACK_POINTS or sorted(set(pings)) != pings:
        raise PmldaError(
            f"The bottom track must be up to {MOST_TRACK_POINTS} points (ping, sample), none "
            "negative, in order of pings, each ping once."
        )


@dataclass(frozen=True)
class Band:
    """One thing a file can show: a raster band, a variable or a sonar channel.

    `colours` is 3 where the band is a colour picture by itself, otherwise 1.
    """

    description: str
    dtype: str
    height: int
    width: int
    colours: int = 1


@dataclass(frozen=True)
class Probe:
    """What a file is and what reading it will cost, found without reading its pixels.

    `height`, `width` and `dtype` belong to what opens by itself, which has
    `colours` values a pixel (1 or 3); `bands` lists everything the file offers.
    """

    path: Path
    format: str
    height: int
    width: int
    dtype: str
    colours: int
    bands: tuple[Band, ...]

    @property
    def bytes_needed(self) -> int:
        """Most memory that the opened image takes, pixels and mask, without reduction."""
        return self.height * self.width * (self.colours * BYTES_PER_VALUE + BYTES_PER_MASK_VALUE)

    def reduction_to_fit(self, limit_pixels: int = DEFAULT_LIMIT_PIXELS) -> int:
        """The smallest reduction factor that brings the image within the limit."""
        return _reduction_to_fit(self.height, self.width, limit_pixels)


class Task:
    """A reading under way: it tells how far it is and stops when asked to.

    `progress` receives fractions from 0 to 1 that never fall; `cancel` answers
    whether to stop.  A reader calls `reached` between pieces of work.
    """

    def __init__(
        self,
        name: str,
        progress: Callable[[float], None] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> None:
        self._name = name
        self._progress = progress
        self._cancel = cancel
        self._furthest = 0.0

    @property
    def is_cancelled(self) -> bool:
        """Whether to stop."""
        return self._cancel is not None and self._cancel()

    def check(self) -> None:
        """Raise Cancelled once that was asked for; every loop over a file calls this."""
        if self.is_cancelled:
            raise Cancelled(f"Reading {self._name} was stopped; open it again to start over.")

    def reached(self, fraction: float) -> None:
        """Report `fraction` of the work as done, or raise Cancelled."""
        self.check()
        self._tell(fraction)

    def _tell(self, fraction: float) -> None:
        self._furthest = min(1.0, max(self._furthest, fraction))
        if self._progress is not None:
            self._progress(self._furthest)

    def part(self, start: float, stop: float) -> Task:
        """A piece of this task whose 0 to 1 is `start` to `stop` of the whole."""
        return Task(
            self._name,
            lambda fraction: self._tell(start + fraction * (stop - start)),
            self._cancel,
        )


def require_within_limit(name: str, height: int, width: int, options: ReadOptions) -> None:
    """Refuse an image that, reduced as asked, has more pixels than the limit."""
    if height < 1 or width < 1:
        raise PmldaError(f"{name} holds no pixels ({width} x {height}); choose another file.")
    reduced = math.ceil(height / options.reduce) * math.ceil(width / options.reduce)
    if reduced <= options.limit_pixels:
        return
    factor = _reduction_to_fit(height, width, options.limit_pixels)
    remedy = (
        f"read it reduced by {factor} (--reduce {factor}, or Open with options)"
        if factor <= LARGEST_REDUCTION
        else "cut it into smaller files"
    )
    raise PmldaError(
        f"{name} is {width} x {height}, {_millions(height * width)} pixels, and the limit is "
        f"{_millions(options.limit_pixels)}: {remedy}."
    )


def require_together(name: str, pixels: int, options: ReadOptions) -> None:
    """Refuse more pixels than the limit in all images together; `name` is the last of them."""
    if pixels > options.limit_pixels:
        raise PmldaError(
            f"The images up to {name} hold {_millions(pixels)} pixels and the limit for all "
            f"together is {_millions(options.limit_pixels)}: open fewer, or read them reduced "
            "(--reduce, or Open with options)."
        )


def _reduction_to_fit(height: int, width: int, limit_pixels: int) -> int:
    factor = max(1, math.isqrt(max(height * width // limit_pixels - 1, 0)))
    while math.ceil(height / factor) * math.ceil(width / factor) > limit_pixels:
        factor += 1
    return factor


def _millions(pixels: int) -> str:
    if pixels < 100_000:
        return str(pixels)
    return f"{pixels / 1e6:.1f} million"
