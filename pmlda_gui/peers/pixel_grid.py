"""The pixels of all images on one grid, for methods that use neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.words import Words

__all__ = ["PixelGrid", "pixel_grid", "word_positions"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PixelGrid:
    """Every covered pixel once, however many documents it lies in.

    `table` (M, p) are the pixels' features, `canvas` (height, width) the row of the table
    that lies there, -1 where none does, and `of_words` (N) the row of each word.  Images
    stand below one another, too far apart to be neighbours.
    """

    table: Array
    canvas: NDArray[np.int64]
    of_words: NDArray[np.int64]


def word_positions(words: Words) -> tuple[NDArray[np.int32], Array]:
    """The image of each word (N), and its row and column (N, 2) in pixels."""
    pixels = np.array([height * width for height, width in words.shapes])
    firsts = np.concatenate([[0], np.cumsum(pixels)])
    image = np.searchsorted(firsts, words.sources, side="right") - 1
    widths = np.array([width for _, width in words.shapes])[image]
    rows, columns = np.divmod(words.sources - firsts[image], widths)
    return image.astype(np.int32), np.stack([rows, columns], axis=1).astype(np.float64)


def pixel_grid(words: Words, reach: int) -> PixelGrid:
    """The grid of these words, with `reach` empty rows between images."""
    _, chosen, of_words = np.unique(words.sources, return_index=True, return_inverse=True)
    image, places = word_positions(words)
    heights = np.array([height + reach for height, _ in words.shapes])
    tops = np.concatenate([[0], np.cumsum(heights)])
    rows, columns = places[chosen].astype(np.int64).T
    canvas = np.full((tops[-1], max(width for _, width in words.shapes)), -1, np.int64)
    canvas[rows + tops[image[chosen]], columns] = np.arange(len(chosen))
    return PixelGrid(words.words[chosen], canvas, of_words)
