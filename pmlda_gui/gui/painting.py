"""From an estimate to bytes for the screen, fast enough to follow the chain.

The worker paints and the window only blits.  First it is settled what each word
looks like, then each pixel is given the bytes of the word it shows; which word that
is is looked up once for each level of the ladder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.compiling import kernel
from pmlda_gui.gui.look import ShownTopic
from pmlda_gui.gui.snapshot import UNCERTAINTY_RANGE, Pictures

if TYPE_CHECKING:
    from pmlda_gui.core.state import Estimate
    from pmlda_gui.workspace.run import Run

__all__ = ["Painter", "paint_maps"]

# Colours are mixed as light, as `imagery.rendering.composite` does.
_SCREEN_GAMMA = 2.2
_BRIGHTNESSES = 4096
_BRIGHTNESS = np.rint(np.linspace(0.0, 1.0, _BRIGHTNESSES) ** (1 / _SCREEN_GAMMA) * 255).astype(
    np.uint8
)
# A word's number travels as float32 through the maps, which is exact up to here.
_MOST_INDEXED_WORDS = 2**24


@kernel
def _paint_words(
    share: NDArray[np.float32],
    spread: NDArray[np.float32],
    light: NDArray[np.float32],
    levels: NDArray[np.uint8],
    colours: NDArray[np.uint8],
    labels: NDArray[np.uint8],
    uncertainty: NDArray[np.uint8],
) -> None:
    """What each word looks like; all loops but one run along the words, so they vectorise."""
    shown, words = share.shape
    for topic in range(shown):
        for word in range(words):
            level = np.float32(1.5) + min(share[topic, word], np.float32(1.0)) * np.float32(254.0)
            levels[topic, word] = np.uint8(np.int32(level))
    last = np.float32(_BRIGHTNESSES - 1)
    for word in range(words):
        red = green = blue = np.float32(0.5)
        largest = 0
        for topic in range(shown):
            value = share[topic, word]
            red += value * light[topic, 0]
            green += value * light[topic, 1]
            blue += value * light[topic, 2]
            if value > share[largest, word]:
                largest = topic
        colours[word, 0] = _BRIGHTNESS[np.uint32(min(red, last))]
        colours[word, 1] = _BRIGHTNESS[np.uint32(min(green, last))]
        colours[word, 2] = _BRIGHTNESS[np.uint32(min(blue, last))]
        colours[word, 3] = 255
        labels[word] = np.uint8(largest + 1)
    if uncertainty.size == 0:
        return
    for word in range(words):
        widest = spread[0, word]
        for topic in range(1, spread.shape[0]):
            widest = max(widest, spread[topic, word])
        level = np.float32(1.5) + min(
            widest * np.float32(254.0 / UNCERTAINTY_RANGE), np.float32(254.0)
        )
        uncertainty[word] = np.uint8(np.int32(level))


@kernel
def _lay_out(
    index: NDArray[np.uint64], word_values: NDArray[Any], pixel_values: NDArray[Any]
) -> None:
    """Give each pixel the values (rows, words) of the word it shows."""
    for row in range(word_values.shape[0]):
        for pixel in range(index.size):
            pixel_values[row, pixel] = word_values[row, index[pixel]]


class Painter:
    """Paints frames of one run; remembers which word each pixel shows."""

    def __init__(self) -> None:
        self._for: tuple[object, int, int] | None = None
        self._index: NDArray[np.uint64] | None = None

    def paint(
        self, run: Run, estimate: Estimate, image: int, topics: tuple[ShownTopic, ...]
    ) -> Pictures:
        """The pictures of one image, with the topics added up and coloured as shown."""
        height, width = run.prepared.images[image].shape
        index = self._lookup(run, image)
        if index is None:
            memberships, index = _by_pixel(run.maps(estimate.memberships)[image])
        else:
            memberships = np.ascontiguousarray(estimate.memberships.T)
        spread = None
        if estimate.uncertainty is not None:
            spread = (
                _by_pixel(run.maps(estimate.uncertainty)[image])[0]
                if self._index is None
                else np.ascontiguousarray(estimate.uncertainty.T)
            )
        return _painted(memberships, spread, index, (height, width), topics)

    def _lookup(self, run: Run, image: int) -> NDArray[np.uint64] | None:
        """The word each pixel shows, the one after the last for none.

        None where a pixel may have several words.
        """
        level = (run.prepared, run.stride, image)
        if self._for is None or any(
            old is not new for old, new in zip(self._for, level, strict=True)
        ):
            self._for, self._index = level, _index_of(run, image)
        return self._index


def paint_maps(maps: NDArray[np.float32], topics: tuple[ShownTopic, ...]) -> Pictures:
    """The pictures of finished maps (K, height, width), which look as those of a run."""
    memberships, index = _by_pixel(maps)
    return _painted(memberships, None, index, (maps.shape[1], maps.shape[2]), topics)


def _painted(
    memberships: NDArray[np.float32],
    spread: NDArray[np.float32] | None,
    index: NDArray[np.uint64],
    shape: tuple[int, int],
    topics: tuple[ShownTopic, ...],
) -> Pictures:
    """Paint the words (K, words), and give each of the pixels the word it shows."""
    share = _added(memberships, topics)
    words = share.shape[1]
    # One word more than there are: it stays blank, and pixels without words show it.
    levels = np.zeros((len(topics), words + 1), np.uint8)
    colours = np.zeros((words + 1, 4), np.uint8)
    labels = np.zeros(words + 1, np.uint8)
    uncertainty = np.zeros(0 if spread is None else words + 1, np.uint8)
    _paint_words(
        share,
        share if spread is None else spread,
        _light(topics),
        levels,
        colours,
        labels,
        uncertainty,
    )
    composite = _laid_out(index, colours.view(np.uint32)[None, :, 0])[0]
    return Pictures(
        _finished(_laid_out(index, levels).reshape(-1, *shape)),
        _finished(composite.view(np.uint8).reshape(*shape, 4)),
        _finished(_laid_out(index, labels[None]).reshape(shape)),
        None if spread is None else _finished(_laid_out(index, uncertainty[None]).reshape(shape)),
    )


def _light(topics: tuple[ShownTopic, ...]) -> NDArray[np.float32]:
    """The topics' colours as amounts of light, (G, 3), in steps of the brightness table."""
    colours = np.array([topic.colour for topic in topics], np.float64)
    light: NDArray[np.float32] = ((colours / 255) ** _SCREEN_GAMMA * (_BRIGHTNESSES - 1)).astype(
        np.float32
    )
    return light


def _added(memberships: NDArray[np.float32], topics: tuple[ShownTopic, ...]) -> NDArray[np.float32]:
    """The rows of (K, words) added up to the topics shown, (G, words)."""
    if [topic.members for topic in topics] == [(row,) for row in range(len(memberships))]:
        return memberships
    return np.stack([memberships[list(topic.members)].sum(axis=0) for topic in topics])


def _laid_out(index: NDArray[np.uint64], values: NDArray[Any]) -> NDArray[Any]:
    """Values of words (rows, words) as values of pixels (rows, pixels)."""
    pixels = np.empty((len(values), index.size), values.dtype)
    _lay_out(index, np.ascontiguousarray(values), pixels)
    return pixels


def _finished(array: NDArray[np.uint8]) -> NDArray[np.uint8]:
    array.setflags(write=False)
    return array


def _index_of(run: Run, image: int) -> NDArray[np.uint64] | None:
    words = run.chain.corpus.size
    overlapping = not run.prepared.documents[image].is_partition
    if overlapping or words > _MOST_INDEXED_WORDS:
        return None
    # The words of a document follow one another, so where a pixel has none of its own
    # and takes its document's mean, the mean number is that of a word of the document.
    numbers = run.maps(np.arange(words, dtype=np.float64)[:, None])[image].ravel()
    return _numbers(numbers, words)


def _numbers(found: NDArray[np.floating], blank: int) -> NDArray[np.uint64]:
    """Whole numbers, `blank` where there is none; without sign, which indexes faster."""
    return np.where(np.isnan(found), blank, np.rint(found)).astype(np.uint64)


def _by_pixel(maps: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.uint64]]:
    """Maps (K, height, width) as words, one a pixel, and for each pixel its own number."""
    flat = maps.reshape(len(maps), -1)
    pixels = flat.shape[1]
    own = np.where(np.isnan(flat[0]), np.nan, np.arange(pixels))
    return np.ascontiguousarray(np.nan_to_num(flat), np.float32), _numbers(own, pixels)
