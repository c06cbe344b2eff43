"""Several bands of one file as one image, with one mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image

__all__ = ["band_list", "joined"]


def joined(bands: Sequence[Image]) -> Image:
    """The bands as one image, valid where all of them are."""
    first = bands[0]
    for each in bands:
        if each.shape != first.shape or each.is_colour:
            raise PmldaError(
                f"'{', '.join(each.band_names)}' of {first.name} is a colour picture or not as "
                f"large as '{', '.join(first.band_names)}': choose single bands of one size."
            )
    valid = np.logical_and.reduce([each.valid for each in bands])
    pixels = [np.where(valid, each.pixels, np.float32(0.0)) for each in bands]
    notes = dict.fromkeys(note for each in bands for note in each.notes)
    left_out = int(np.count_nonzero(first.valid & ~valid))
    if left_out:
        notes[f"{left_out} pixels are left out because another band has no data there."] = None
    return replace(
        first,
        pixels=pixels[0],
        valid=valid,
        band_names=tuple(name for each in bands for name in each.band_names),
        notes=tuple(notes),
        further=tuple(pixels[1:]),
    )


def band_list(text: str) -> tuple[int | str, ...]:
    """Bands as a command line gives them: numbers or descriptions with commas between."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise PmldaError(f"{text!r} is no list of bands: write numbers or names as in 1,3.")
    return tuple(int(part) if part.isdecimal() else part for part in parts)
