"""Tables of 256 colours (red, green, blue, alpha) for map values; 0 means not known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.display import INVALID_COLOUR, colour_table

__all__ = [
    "FIRST_UNKNOWN",
    "hatch_table",
    "hatched",
    "label_table",
    "membership_table",
    "source_table",
    "uncertainty_table",
    "unknown_table",
]

Table = NDArray[np.uint8]
Colour = tuple[int, int, int]
_DARKEST = (14, 16, 20)
# Where on the way from none to full membership the topic's own colour stands: beyond
# it goes on towards white, so that dark colours too have a bright end.
_OWN_COLOUR = 0.72
_TOWARDS_WHITE = 0.6
# Grounds and lines of what is not known, and how many lines there are to a picture's side.
_HATCH = ((116, 120, 126), (142, 146, 152))
_HATCH_LINES = 24
FIRST_UNKNOWN = 192
"""Levels of the map of the unknown from here on are unknown; below is what is usual."""
# The colours of the most usual, the least usual, the just unknown and the quite unknown.
_UNKNOWN = ((34, 38, 44), (92, 98, 106), (255, 150, 160), (235, 30, 60))


def _finished(colours: NDArray[np.floating]) -> Table:
    """Whole numbers, opaque but for level 0."""
    table = np.empty((256, 4), np.uint8)
    table[:, :3] = np.rint(np.clip(colours, 0, 255))
    table[:, 3] = 255
    table[0] = (*INVALID_COLOUR, 0)
    table.setflags(write=False)
    return table


@lru_cache(maxsize=64)
def membership_table(colour: Colour) -> Table:
    """From dark through the topic's colour to a pale one."""
    level = np.linspace(0.0, 1.0, 256)
    end = [part + _TOWARDS_WHITE * (255 - part) for part in colour]
    ramps = [
        np.interp(level, [0.0, _OWN_COLOUR, 1.0], [dark, own, pale])
        for dark, own, pale in zip(_DARKEST, colour, end, strict=True)
    ]
    return _finished(np.column_stack(ramps))


@lru_cache(maxsize=1)
def uncertainty_table() -> Table:
    """Dark where the chain is sure, bright where it is not."""
    return _finished(colour_table("cividis").astype(np.float64))


@lru_cache(maxsize=1)
def unknown_table() -> Table:
    """Quiet greys for what is known, and a colour that no topic has for what is not."""
    level, ends = np.arange(256), (1, FIRST_UNKNOWN - 1, FIRST_UNKNOWN, 255)
    ramps = [np.interp(level, ends, parts) for parts in zip(*_UNKNOWN, strict=True)]
    return _finished(np.column_stack(ramps))


@lru_cache(maxsize=1)
def hatch_table() -> Table:
    """Neutral greys for what is not known, which no other table has."""
    table = np.zeros((256, 3))
    table[1:] = _HATCH[0]
    table[2] = _HATCH[1]
    return _finished(table)


def hatched(inside: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Slanting lines over the pixels inside, as levels of `hatch_table`."""
    height, width = inside.shape
    period = max(4, max(height, width) // _HATCH_LINES)
    slant = np.add.outer(np.arange(height), np.arange(width)) % period
    levels: NDArray[np.uint8] = np.where(slant < period // 2, np.uint8(1), np.uint8(2))
    levels[~inside] = 0
    levels.setflags(write=False)
    return levels


def label_table(colours: Sequence[Colour]) -> Table:
    """The colour of each topic at its number counted from 1."""
    table = np.zeros((256, 3))
    for number, colour in enumerate(colours, 1):
        table[number] = colour
    return _finished(table)


@lru_cache(maxsize=8)
def source_table(name: str) -> Table:
    """A colour map for the source image."""
    return _finished(colour_table(name).astype(np.float64))
