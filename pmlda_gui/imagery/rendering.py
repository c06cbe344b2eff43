"""Renders memberships, composites, labels and outlines as bytes.

Pure functions on arrays, for the window and for exported pictures alike.  Pixels
without memberships (NaN) get a colour of their own that no map contains.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.display import INVALID_COLOUR

__all__ = [
    "composite",
    "label_picture",
    "membership_levels",
    "membership_picture",
    "outlined",
]

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]
# Colours mix as light does, so half of two colours is as bright as their mean;
# screens raise what they are sent to about this power.
_SCREEN_GAMMA = 2.2


def membership_levels(memberships: NDArray[np.floating]) -> Picture:
    """Memberships of any shape as levels, 0 for none to 255 for full; NaN becomes 0."""
    levels: Picture = np.rint(np.clip(np.nan_to_num(memberships), 0.0, 1.0) * 255).astype(np.uint8)
    return levels


def membership_picture(
    membership: NDArray[np.floating], table: Picture, invalid: Colour = INVALID_COLOUR
) -> Picture:
    """One topic's map (height, width) through a table of 256 colours: (height, width, 3)."""
    picture = np.asarray(table[membership_levels(membership)])
    picture[np.isnan(membership)] = invalid
    return picture


def composite(
    memberships: NDArray[np.floating], colours: Picture, invalid: Colour = INVALID_COLOUR
) -> Picture:
    """All maps (K, height, width) in one picture (height, width, 3).

    Each pixel is the mixture of the topics' `colours` (K, 3) in the shares of its
    memberships, mixed as light.
    """
    if len(colours) != len(memberships):
        raise PmldaError(
            f"There are {len(memberships)} topics but {len(colours)} colours: give one for each."
        )
    light = (colours / 255.0) ** _SCREEN_GAMMA
    mixed = np.tensordot(
        np.moveaxis(np.nan_to_num(memberships), 0, -1), light.astype(np.float32), axes=1
    )
    picture: Picture = np.rint(np.clip(mixed, 0, 1) ** (1 / _SCREEN_GAMMA) * 255).astype(np.uint8)
    picture[np.isnan(memberships[0])] = invalid
    return picture


def label_picture(
    labels: NDArray[np.integer], colours: Picture, invalid: Colour = INVALID_COLOUR
) -> Picture:
    """Topics 0 to K - 1 (height, width), negative for none, in their `colours` (K, 3)."""
    table = np.vstack([colours, np.array([invalid], dtype=np.uint8)])
    return np.asarray(table[np.where(labels < 0, len(colours), labels)])


def outlined(picture: Picture, outlines: NDArray[np.floating], colour: Colour) -> Picture:
    """A copy of a picture (height, width, 3) with lines drawn over it.

    `outlines` (height, width) is how much of each pixel the line covers, from 0 to 1.
    """
    cover = np.clip(outlines, 0.0, 1.0)[..., None]
    drawn: Picture = np.rint(picture * (1 - cover) + np.array(colour) * cover).astype(np.uint8)
    return drawn
