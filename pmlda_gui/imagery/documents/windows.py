"""Square windows that slide over the image and overlap.

A window is a document; where the mask cuts it into pieces, each large piece is one.
What several windows say about a pixel is averaged when it is put back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.documents.documents import Documents
from pmlda_gui.imagery.documents.repair import LARGEST_MINIMUM, connected_parts, without_specks

__all__ = ["window_documents"]

# Beyond this the words alone would take gigabytes.
MOST_WORDS = 50_000_000


def window_documents(
    valid: NDArray[np.bool_],
    name: str,
    count: int,
    window: int | None,
    stride: int | None,
    progress: Progress,
) -> Documents:
    """The windows of side `window`, each `stride` pixels from the next, in reading order.

    The last window of a row or column ends at the image's border.  A window is two
    strides wide unless both are given; without either they are chosen so that about
    `count` windows are well filled.  A document has at least a quarter of a window's
    pixels, except that a patch of valid pixels which stands alone is a document from
    25 pixels (or that quarter, if it is less) on.  Usable pixels in smaller pieces of
    windows, and in no other, are added to a document they touch.
    """
    window, stride = _window_and_stride(valid, count, window, stride)
    quarter = _quarter(valid.shape, window)
    least = min(LARGEST_MINIMUM, quarter)
    usable = without_specks(valid, least, name)
    height, width = valid.shape
    corners = [
        (top, left)
        for top in _positions(height, window, stride)
        for left in _positions(width, window, stride)
    ]
    words = len(corners) * min(window, height) * min(window, width)
    if words > MOST_WORDS:
        raise PmldaError(
            f"Windows of {window} pixels every {stride} pixels would make {words:,} words of the "
            f"image {name}, and {MOST_WORDS:,} are the most; use a larger stride."
        )
    indices = np.arange(height * width, dtype=np.int64).reshape(height, width)
    documents: list[NDArray[np.int64]] = []
    for number, (top, left) in enumerate(corners):
        place = (slice(top, top + window), slice(left, left + window))
        documents.extend(_pieces(usable[place], indices[place], quarter))
        progress.report((number + 1) / len(corners))
    documents = _cover_the_rest(documents, usable)
    sizes = np.array([pixels.size for pixels in documents], dtype=np.int64)
    return Documents(
        kind="window",
        shape=(height, width),
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        pixels=np.concatenate(documents),
        minimum_size=least,
        left_out=int(np.count_nonzero(valid & ~usable)),
    )


def _quarter(shape: tuple[int, ...], window: int) -> int:
    """A quarter of the pixels of a window that lies within the image, at least one."""
    return max(1, min(window, shape[0]) * min(window, shape[1]) // 4)


def _positions(length: int, window: int, stride: int) -> list[int]:
    """Where windows begin along an axis of `length` pixels, the last one flush with its end."""
    last = max(0, length - window)
    return [*range(0, last, stride), last]


def _window_and_stride(
    valid: NDArray[np.bool_], count: int, window: int | None, stride: int | None
) -> tuple[int, int]:
    """The window's side and the stride in pixels, chosen where they are not given."""
    if window is None and stride is None:
        stride = _stride_for(valid, count)
    if window is None:
        assert stride is not None
        return 2 * stride, stride
    if stride is None:
        return window, max(1, window // 2)
    if stride > window:
        raise PmldaError(
            f"Windows of {window} pixels every {stride} pixels would leave gaps between them; "
            f"use a stride of {window} pixels or less."
        )
    return window, stride


def _stride_for(valid: NDArray[np.bool_], count: int) -> int:
    """The stride at which the number of well filled windows is nearest to `count`."""
    height, width = valid.shape
    total = np.zeros((height + 1, width + 1), dtype=np.int64)
    total[1:, 1:] = valid.cumsum(axis=0, dtype=np.int64).cumsum(axis=1)

    def occupied(stride: int) -> int:
        window = 2 * stride
        top = np.array(_positions(height, window, stride))
        left = np.array(_positions(width, window, stride))
        bottom, right = np.minimum(top + window, height), np.minimum(left + window, width)
        held = (
            total[np.ix_(bottom, right)]
            - total[np.ix_(top, right)]
            - total[np.ix_(bottom, left)]
            + total[np.ix_(top, left)]
        )
        return int(np.count_nonzero(held >= _quarter(valid.shape, window)))

    smallest, largest = 1, max(height, width)
    while smallest < largest:
        middle = (smallest + largest) // 2
        if occupied(middle) > count:
            smallest = middle + 1
        else:
            largest = middle
    return min((smallest, max(1, smallest - 1)), key=lambda stride: abs(occupied(stride) - count))


def _pieces(
    usable: NDArray[np.bool_], indices: NDArray[np.int64], least: int
) -> list[NDArray[np.int64]]:
    """The pixels of each connected piece of a window with at least `least` of them."""
    if usable.all():
        return [indices.ravel()]
    parts = connected_parts(np.where(usable, np.int32(0), np.int32(-1)))
    return [
        indices[parts == part]
        for part, size in enumerate(np.bincount(parts[usable]))
        if size >= least
    ]


def _cover_the_rest(
    documents: list[NDArray[np.int64]], usable: NDArray[np.bool_]
) -> list[NDArray[np.int64]]:
    """The documents, with every usable pixel in one of them.

    A pixel that no document holds joins the nearest one on a way through such
    pixels; a patch that none reaches becomes a document.
    """
    from skimage.segmentation import watershed

    owners = np.zeros(usable.shape, dtype=np.int32)
    for number, pixels in enumerate(documents):
        owners.flat[pixels] = number + 1
    if np.array_equal(owners > 0, usable):
        return documents
    patches = connected_parts(np.where(usable, np.int32(0), np.int32(-1)))
    reached = np.unique(patches[owners > 0])
    for patch in np.setdiff1d(patches[usable], reached):
        pixels = np.flatnonzero(patches == patch)
        documents.append(pixels)
        owners.flat[pixels] = len(documents)
    grown = watershed(np.zeros(usable.shape, dtype=np.uint8), owners, connectivity=1, mask=usable)
    added = np.flatnonzero((owners == 0) & usable)
    joined = grown.flat[added] - 1
    for number in np.unique(joined):
        documents[number] = np.union1d(documents[number], added[joined == number])
    return documents
