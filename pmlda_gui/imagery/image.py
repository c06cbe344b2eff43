"""An image as the rest of the program sees it, whatever its file format."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.swath import RecordedSwath

__all__ = ["Georeference", "Image"]


@dataclass(frozen=True)
class Georeference:
    """Where the pixels lie on the Earth.

    `transform` holds a, b, c, d, e, f of the affine map from (column, row) of a
    pixel's corner to x = a column + b row + c, y = d column + e row + f in the
    coordinate reference system `crs`, which is given as WKT (empty if unstated).
    """

    crs: str
    transform: tuple[float, float, float, float, float, float]

    def moved(self, row: int, column: int) -> Georeference:
        """The place of an image whose first pixel is this one's at (row, column)."""
        a, b, c, d, e, f = self.transform
        return Georeference(
            self.crs, (a, b, c + a * column + b * row, d, e, f + d * column + e * row)
        )


@dataclass(frozen=True, eq=False)
class Image:
    """Pixels, which of them are valid, and what is known about them.

    `pixels` is float32, (height, width) for one band and (height, width, 3) for
    RGB; `valid` is a boolean (height, width) mask, and pixels outside it hold 0.
    `further` are more bands (height, width) of the same place, such as the depth that
    goes with backscatter: features are measured in all bands, and the first is shown.
    `pixel_size` is the width of a pixel in metres, None where unknown, and
    `pixel_height` its height where that is another, as in a recording of which the
    samples are shown as recorded.  `notes` are sentences for the operator about what was
    replaced or assumed in reading.  `swath` is known of recordings.
    """

    pixels: NDArray[np.float32]
    valid: NDArray[np.bool_]
    pixel_size: float | None = None
    georeference: Georeference | None = None
    band_names: tuple[str, ...] = ()
    source: Path | None = None
    notes: tuple[str, ...] = field(default=())
    further: tuple[NDArray[np.float32], ...] = ()
    pixel_height: float | None = None
    swath: RecordedSwath | None = None

    def __post_init__(self) -> None:
        colour = self.pixels.ndim == 3
        if self.pixels.ndim not in (2, 3) or (colour and self.pixels.shape[2] != 3):
            raise PmldaError(
                f"An image has one band or three, but these pixels have shape {self.pixels.shape}."
            )
        if self.valid.shape != self.pixels.shape[:2]:
            raise PmldaError(
                f"The validity mask has shape {self.valid.shape}, "
                f"but the image has {self.pixels.shape[:2]}."
            )
        if self.further and (
            colour or any(band.shape != self.pixels.shape for band in self.further)
        ):
            raise PmldaError(
                f"The further bands of {self.name} do not have the size of its first: choose bands "
                "of one size."
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        return self.pixels.shape[0], self.pixels.shape[1]

    @property
    def aspect(self) -> float:
        """How many times as high as wide a pixel is; 1 where that is unknown."""
        if self.pixel_size is None or self.pixel_height is None:
            return 1.0
        return self.pixel_height / self.pixel_size

    @property
    def is_colour(self) -> bool:
        return self.pixels.ndim == 3

    @property
    def band_count(self) -> int:
        """How many bands are measured; a colour picture counts as one."""
        return 1 + len(self.further)

    def band(self, place: int) -> Image:
        """One band, counted from 0, as an image of its own."""
        if place == 0:
            return replace(self, further=(), band_names=self.band_names[: self._own_names])
        names = self.band_names[self._own_names + place - 1 :][:1]
        return replace(self, pixels=self.further[place - 1], further=(), band_names=names)

    @property
    def _own_names(self) -> int:
        return 3 if self.is_colour else 1

    def taken(self, index: Any, divisor: float = 1.0) -> Image:
        """The pixels at an index of rows and columns, divided by a number, without their place."""
        scale = np.float32(divisor)
        return Image(
            self.pixels[index] / scale,
            self.valid[index],
            self.pixel_size,
            band_names=self.band_names,
            source=self.source,
            further=tuple(band[index] / scale for band in self.further),
            pixel_height=self.pixel_height,
        )

    @property
    def name(self) -> str:
        """The file's name, for titles and messages."""
        return self.source.name if self.source is not None else "untitled"
