"""One door to every kind of documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.documents.collection import Documents, documents_from_labels
from pmlda_gui.imagery.documents.watch import Watch
from pmlda_gui.imagery.image import Image

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
    progress: Callable[[float], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Documents:
    """Divide the valid pixels of an image into documents.

    `kind` is `slic`, `ncut` (normalised cuts) or `texture` (texture boundaries) for
    superpixels, `grid` for squares, `window` for sliding windows of side `window`
    every `stride` pixels, `labels` for the map `labels` (height, width) of whole
    numbers.  `count` is met exactly by superpixels, within 10 % by the grid and
    about by windows without size and stride, as long as the valid pixels are enough
    and lie in no more separate patches; a label map has its own.  The same
    arguments give the same documents.  `progress` is told the fraction done;
    `Cancelled` is raised once `cancel` returns True.
    """
    _check(kind, count, window, stride)
    watch = Watch(progress, cancel)
    watch.report(0.0)
    finite = np.isfinite(image.pixels)
    valid = image.valid & (finite.all(axis=2) if image.is_colour else finite)
    if kind == "window":
        from pmlda_gui.imagery.documents.windows import window_documents

        documents = window_documents(valid, image.name, count, window, stride, watch)
    else:
        documents = _partition(image, valid, kind, count, labels, seed, watch)
    watch.report(1.0)
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
    watch: Watch,
) -> Documents:
    """The kinds of documents that do not overlap.

    Each is imported when it is asked for: together they draw in all of scipy.
    """
    from pmlda_gui.imagery.documents.repair import find_ground, repair

    if kind == "labels":
        from pmlda_gui.imagery.documents.labels import imported_labels

        brought = imported_labels(labels, image.shape)
        labelled = valid & (brought >= 0)
        ground = find_ground(labelled, max(1, np.unique(brought[labelled]).size), image.name)
        partition = repair(brought, ground, count=None)
        return _finish(kind, partition, valid, ground.minimum_size)
    ground = find_ground(valid, count, image.name)
    if kind == "slic":
        from pmlda_gui.imagery.documents.slic import slic_labels

        partition = slic_labels(image, ground, count, watch)
    elif kind == "ncut":
        from pmlda_gui.imagery.documents.normalised_cuts import normalised_cut_labels

        partition = normalised_cut_labels(image, ground, count, seed, watch)
    elif kind == "texture":
        from pmlda_gui.imagery.documents.texture_boundaries import texture_boundary_labels

        partition = texture_boundary_labels(image, ground, count, seed, watch)
    else:
        from pmlda_gui.imagery.documents.grid import grid_labels

        partition = grid_labels(ground, count)
    return _finish(kind, partition, valid, ground.minimum_size)


def _finish(
    kind: Kind, partition: NDArray[np.int32], valid: NDArray[np.bool_], least: int
) -> Documents:
    left_out = int(np.count_nonzero(valid & (partition < 0)))
    return documents_from_labels(kind, partition, least, left_out)
