"""Makes documents of any kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.documents.documents import Documents, documents_from_labels
from pmlda_gui.imagery.image import Image

if TYPE_CHECKING:
    from pmlda_gui.imagery.documents.repair import Ground

__all__ = ["DEFAULT_COUNT", "KINDS", "Kind", "make_documents"]

Kind = Literal["slic", "ncut", "texture", "window", "grid", "labels"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# As many as the paper has superpixels on its sonar image.  Words of overlapping windows
# are so dependent that smaller documents would learn their noise.
DEFAULT_COUNT = 50


def make_documents(
    image: Image,
    kind: Kind,
    count: int = DEFAULT_COUNT,
    window: int | None = None,
    stride: int | None = None,
    labels: ArrayLike | None = None,
    seed: int = 0,
    progress: Progress = UNWATCHED,
    compact: bool = False,
) -> Documents:
    """Divide the valid pixels of an image into documents.

    `kind` is `slic`, `ncut` (normalised cuts) or `texture` (texture boundaries) for
    superpixels, `grid` for squares, `window` for sliding windows of side `window`
    every `stride` pixels, `labels` for the map `labels` (height, width) of whole
    numbers.  `count` is met exactly by superpixels, within 10 % by the grid and
    about by windows without size and stride, as long as the valid pixels are enough
    and lie in no more separate patches; a label map has its own.  With `compact`, superpixels
    of kind `slic` follow the borders in the image less: documents that act beyond their borders
    then leave no trace in the maps.  The same arguments give the same documents.
    """
    _check(kind, count, window, stride)
    progress = progress.named("Making the documents")
    progress.report(0.0)
    finite = np.isfinite(image.pixels)
    valid = image.valid & (finite.all(axis=2) if image.is_colour else finite)
    if kind == "window":
        from pmlda_gui.imagery.documents.windows import window_documents

        documents = window_documents(valid, image.name, count, window, stride, progress)
    else:
        documents = _partition(image, valid, kind, count, labels, seed, progress, compact)
    progress.report(1.0)
    return documents


def _check(kind: str, count: int, window: int | None, stride: int | None) -> None:
    """Refuse settings that cannot mean anything."""
    if kind not in KINDS:
        raise PmldaError(
            f"There are no documents of kind {kind!r}; choose one of {', '.join(KINDS)}."
        )
    for name, value in (("count", count), ("window", window), ("stride", stride)):
        if value is not None and value < 1:
            raise PmldaError(f"The {name} of documents is {value}, but it must be at least 1.")


def _partition(
    image: Image,
    valid: NDArray[np.bool_],
    kind: Kind,
    count: int,
    labels: ArrayLike | None,
    seed: int,
    progress: Progress,
    compact: bool,
) -> Documents:
    """The kinds of documents that do not overlap."""
    from pmlda_gui.imagery.documents.repair import find_ground, repair

    if kind == "labels":
        from pmlda_gui.imagery.documents.labels import imported_labels

        brought = imported_labels(labels, image.shape)
        labelled = valid & (brought >= 0)
        ground = find_ground(labelled, max(1, np.unique(brought[labelled]).size), image.name)
        partition = repair(brought, ground, count=None)
    else:
        ground = find_ground(valid, count, image.name)
        made = "compact" if compact and kind == "slic" else kind
        partition = _LABEL_MAPS[made](image, ground, count, seed, progress)
    left_out = int(np.count_nonzero(valid & (partition < 0)))
    return documents_from_labels(kind, partition, ground.minimum_size, left_out)


# Each kind is imported when it is asked for: together they load all of scipy.


def _slic(
    image: Image, ground: Ground, count: int, _seed: int, progress: Progress
) -> NDArray[np.int32]:
    from pmlda_gui.imagery.documents.slic import slic_labels

    return slic_labels(image, ground, count, progress)


def _compact_slic(
    image: Image, ground: Ground, count: int, _seed: int, progress: Progress
) -> NDArray[np.int32]:
    from pmlda_gui.imagery.documents.slic import slic_labels

    return slic_labels(image, ground, count, progress, compact=True)


def _normalised_cuts(
    image: Image, ground: Ground, count: int, seed: int, progress: Progress
) -> NDArray[np.int32]:
    from pmlda_gui.imagery.documents.normalised_cuts import normalised_cut_labels

    return normalised_cut_labels(image, ground, count, seed, progress)


def _texture_boundaries(
    image: Image, ground: Ground, count: int, seed: int, progress: Progress
) -> NDArray[np.int32]:
    from pmlda_gui.imagery.documents.texture_boundaries import texture_boundary_labels

    return texture_boundary_labels(image, ground, count, seed, progress)


def _grid(
    _image: Image, ground: Ground, count: int, _seed: int, _progress: Progress
) -> NDArray[np.int32]:
    from pmlda_gui.imagery.documents.grid import grid_labels

    return grid_labels(ground, count)


_LABEL_MAPS: dict[str, Callable[[Image, Ground, int, int, Progress], NDArray[np.int32]]] = {
    "slic": _slic,
    "compact": _compact_slic,
    "ncut": _normalised_cuts,
    "texture": _texture_boundaries,
    "grid": _grid,
}
"""The kinds that do not overlap: from image, ground, number, seed and progress to labels."""
