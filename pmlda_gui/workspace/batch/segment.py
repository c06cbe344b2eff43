"""The function `segment`: images in, soft maps out, with or without files.

`segment` is what Python users call; the command line calls `compute`, which it calls
too, and then the exporters.  Everything that takes time reports how far it is and
can be stopped; what was sampled by then is the result.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.documents.documents import documents_from_labels
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import ReadOptions, open_images, require_opened
from pmlda_gui.imagery.readers.options import require_together
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.imagery.survey_gain import with_gain_of_survey
from pmlda_gui.workspace.batch.chains import Sampling
from pmlda_gui.workspace.batch.hinted import hinted_by
from pmlda_gui.workspace.batch.options import FurtherOptions, settings_from_names, settings_with
from pmlda_gui.workspace.batch.results import gather
from pmlda_gui.workspace.batch.settings import Settings
from pmlda_gui.workspace.export import ImageResult, Result, check_targets, write_results
from pmlda_gui.workspace.preparation import prepare
from pmlda_gui.workspace.recipe import Recipe
from pmlda_gui.workspace.suggestions import suggest_scale, suggest_topics
from pmlda_gui.workspace.tiled_preparation import Reduced, prepare_reduced, too_large

__all__ = ["Settings", "Stopwatch", "compute", "open_sources", "segment"]

log = logging.getLogger(__name__)

Source = Image | str | Path | NDArray[np.floating]
_DEFAULT_OPTIONS = ReadOptions()
# Which fraction of the work is done when the words are there, and when the chains have run.
_PREPARING, _SAMPLED = 0.2, 0.9


@overload
def segment(
    image: Image | NDArray[np.floating],
    topics: int | str | None = None,
    *,
    recipe: Recipe | None = None,
    out: str | Path | None = None,
    options: ReadOptions = _DEFAULT_OPTIONS,
    progress: Progress = UNWATCHED,
    **settings: Unpack[FurtherOptions],
) -> Segmentation: ...


@overload
def segment(  # type: ignore[overload-overlap] # text is a sequence too
    image: str | Path,
    topics: int | str | None = None,
    *,
    recipe: Recipe | None = None,
    out: str | Path | None = None,
    options: ReadOptions = _DEFAULT_OPTIONS,
    progress: Progress = UNWATCHED,
    **settings: Unpack[FurtherOptions],
) -> Segmentation | list[Segmentation]: ...


@overload
def segment(
    image: Sequence[Source],
    topics: int | str | None = None,
    *,
    recipe: Recipe | None = None,
    out: str | Path | None = None,
    options: ReadOptions = _DEFAULT_OPTIONS,
    progress: Progress = UNWATCHED,
    **settings: Unpack[FurtherOptions],
) -> list[Segmentation]: ...


def segment(
    image: Source | Sequence[Source],
    topics: int | str | None = None,
    *,
    recipe: Recipe | None = None,
    out: str | Path | None = None,
    options: ReadOptions = _DEFAULT_OPTIONS,
    progress: Progress = UNWATCHED,
    **settings: Unpack[FurtherOptions],
) -> Segmentation | list[Segmentation]:
    """Segment an image softly into topics, 3 unless said otherwise; several images share theirs.

    `image` is an Image, a path, an array (height, width) or a list of these; a list
    or a folder gives a list of segmentations.  `topics` is their number, or "auto".  `settings`
    are the options of the command line, with underscores in their names: rate, alpha, scaling,
    fuzzifier, proportions, smoothness, coupling, lattice, documents, document_count, window,
    stride, features, feature_window, feature_scale, sampler, sweeps, seconds, chains, seed,
    threads, estimate, topics_from, hints.  A `recipe` says all that at once; only sweeps, seconds,
    chains and threads may be given beside it.  `options` say how files are read.
    With `out` the files of the command line are written there too.  Once
    `progress` is cancelled, the result so far is given.
    """
    named: dict[str, Any] = {**settings} if topics is None else {"topics": topics, **settings}
    chosen = settings_from_names(named) if recipe is None else settings_with(recipe, named)
    several = not isinstance(image, Image | np.ndarray | str | Path)
    sources: Sequence[Source] = image if several else [image]  # type: ignore[list-item, assignment]
    images = open_sources(sources, progress.unheard(), options=options)
    folder = None if out is None else Path(out)
    if folder is not None:
        check_targets(folder, images)
    result = _completed(compute(images, chosen, progress))
    if folder is not None:
        write_results(result, folder)
    segmentations = [each.segmentation for each in result.images]
    return segmentations if several or len(segmentations) > 1 else segmentations[0]


def open_sources(
    sources: Sequence[Source],
    progress: Progress = UNWATCHED,
    refused: list[PmldaError] | None = None,
    options: ReadOptions = _DEFAULT_OPTIONS,
) -> tuple[Image, ...]:
    """The images behind paths, arrays and images, in the order given.

    A file that cannot be read ends the opening, unless there is a list of `refused`
    for its error and others can be read.
    """
    images: list[Image] = []
    pixels = 0
    for source, part in zip(sources, progress.parts(len(sources)), strict=True):
        if isinstance(source, Image):
            images.append(source)
        elif isinstance(source, np.ndarray):
            images.append(_image_of(source))
        else:
            # However files are named, the limit holds for their sum.
            opened = open_images([source], options, part, refused)
            images += opened
            pixels += sum(image.valid.size for image in opened)
            require_together(Path(source).name, pixels, options)
    images = list(with_gain_of_survey(images))
    require_opened(images, refused or ())
    if not images:
        raise PmldaError("There is no image to segment: give at least one.")
    return tuple(images)


def _image_of(values: NDArray[np.floating]) -> Image:
    finite = np.isfinite(values)
    valid = finite.all(axis=2) if values.ndim == 3 else finite
    return Image(np.where(finite, values, 0.0).astype(np.float32), valid)


class Stopwatch:
    """The seconds spent in each stage; starting one ends the other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stage: str | None = None
        self._since = time.perf_counter()

    def start(self, stage: str | None) -> None:
        now = time.perf_counter()
        if self._stage is not None:
            self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
        self._stage, self._since = stage, now


def compute(
    images: Sequence[Image],
    settings: Settings,
    progress: Progress = UNWATCHED,
) -> Result:
    """Run the chains on the images and gather what came out."""
    watch = Stopwatch()

    def begin(fraction: float, stage: str) -> None:
        watch.start(stage)
        progress.tell(_PREPARING * fraction, f"preparing, {stage}")

    preparing = Progress(begin, progress.is_cancelled)
    looking = progress.unheard()
    settings, reasons = settings.chosen_for(images, looking), list[str]()
    recipe = settings.recipe
    if "scale" in settings.automatic:
        preparing.report(0.0, "scale")
        scale = suggest_scale(images, recipe.features, recipe.parameters.topics, looking)
        settings = settings.with_scale(scale.scale)
        recipe = settings.recipe
        reasons.append(scale.reason)
    hinted = hinted_by(settings, images)
    if "topics" not in settings.automatic:
        hinted.check(recipe.parameters.topics)
    label_maps = settings.maps_for(images, looking)
    choices = recipe.features, recipe.documents, label_maps, recipe.seed
    reduced: Reduced | None = None
    if too_large(images, recipe.documents, settings.chains):
        reduced = prepare_reduced(images, *choices, preparing, settings.given)
        prepared = reduced.prepared
    else:
        prepared = prepare(images, *choices, progress=preparing, given=settings.given)
    if "topics" in settings.automatic:
        topics = suggest_topics(prepared)
        settings = settings.with_topics(max(topics.topics, len(hinted.names)))
        reasons.append(topics.reason)
    watch.start("chain")
    sampling = Sampling(prepared, settings, progress.part(_PREPARING, _SAMPLED), hinted.on(reduced))
    sampling.go()
    watch.start("estimate")
    result = gather(
        images, settings, sampling, reduced, progress.part(_SAMPLED, 1.0, "memberships"), hinted
    )
    watch.start(None)
    spent = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in watch.seconds.items())
    log.info("segmented %d images: %s", len(images), spent)
    return replace(result, seconds=watch.seconds, warnings=(*reasons, *result.warnings))


def _completed(result: Result) -> Result:
    """The same result with the full maps of large images in memory."""
    return replace(result, images=[_completed_image(each) for each in result.images])


def _completed_image(result: ImageResult) -> ImageResult:
    if result.full_tiles is None:
        return result
    known, (height, width) = result.segmentation, result.image.shape
    memberships = np.full((known.topics, height, width), np.nan, dtype=np.float32)
    uncertainty = np.full_like(memberships, np.nan) if result.has_uncertainty else None
    unknown = None if known.unknown is None else np.full((height, width), np.nan, np.float32)
    for tile in result.tiles():
        _, rows, columns = tile.memberships.shape
        window = (
            slice(None),
            slice(tile.row, tile.row + rows),
            slice(tile.column, tile.column + columns),
        )
        memberships[window] = tile.memberships
        if uncertainty is not None:
            uncertainty[window] = tile.uncertainty
        if unknown is not None:
            unknown[window[1:]] = tile.unknown
    assert known.documents is not None
    rows, columns = np.ogrid[:height, :width]
    labels = known.documents.labels[rows // result.reduction, columns // result.reduction].copy()
    labels[~result.image.valid] = -1
    full = replace(
        known,
        memberships=memberships,
        uncertainty=uncertainty,
        unknown=unknown,
        documents=documents_from_labels(
            known.documents.kind, labels, 1, int(np.count_nonzero(np.isnan(memberships[0])))
        ),
    )
    return ImageResult(result.image, full, result.image)
