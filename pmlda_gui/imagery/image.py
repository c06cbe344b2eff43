"""An image as the rest of the program sees it, whatever file it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError

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


@dataclass(frozen=True, eq=False)
class Image:
    """Pixels, which of them are valid, and what is known about them.

    `pixels` is float32, (height, width) for one band and (height, width, 3) for
    RGB; `valid` is a boolean (height, width) mask, and pixels outside it hold 0.
    `pixel_size` is the side of a pixel in metres, None where unknown.  `notes`
    are sentences for the operator about what was replaced or assumed in reading.
    """

    pixels: NDArray[np.float32]
    valid: NDArray[np.bool_]
    pixel_size: float | None = None
    georeference: Georeference | None = None
    band_names: tuple[str, ...] = ()
    source: Path | None = None
    notes: tuple[str, ...] = field(default=())

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

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        return self.pixels.shape[0], self.pixels.shape[1]

    @property
    def is_colour(self) -> bool:
        return self.pixels.ndim == 3

    @property
    def name(self) -> str:
        """The file's name, for titles and messages."""
        return self.source.name if self.source is not None else "untitled"
