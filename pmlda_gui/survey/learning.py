"""Documents, words and topics of the whole survey, learned on its cells by one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.documents import make_documents
from pmlda_gui.imagery.features import Features, Levels
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.survey.all_words import AllWords, learn_from_all
from pmlda_gui.survey.learned import Given, Learned, averaged_over, store_learned
from pmlda_gui.survey.sources import Source, stand_in
from pmlda_gui.survey.store import Store, read_arrays
from pmlda_gui.workspace.batch.chains import Sampling
from pmlda_gui.workspace.batch.results import gather, topic_order
from pmlda_gui.workspace.batch.settings import Settings
from pmlda_gui.workspace.export import Result
from pmlda_gui.workspace.given_topics import levels_for
from pmlda_gui.workspace.run_view import MadeMaps
from pmlda_gui.workspace.suggestions import suggest_topics
from pmlda_gui.workspace.tiled_preparation import Reduced, middles, middles_in, prepared_cells

__all__ = ["Plan", "Topics", "cell_windows", "learn", "survey_levels"]

Tell = Callable[[str, float, str], None]
Cancel = Callable[[], bool]


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be done: the files, how they are segmented, and in what tiles.

    `valid` is how many valid pixels each file has; cells are `factor` pixels wide, and
    `tiles` and `cell_tiles` are the rectangles of each file that are a task for features
    and maps, and for cells.
    """

    sources: tuple[Source, ...]
    valid: tuple[int, ...]
    settings: Settings
    factor: int
    tiles: tuple[tuple[Window, ...], ...]
    cell_tiles: tuple[tuple[Window, ...], ...]
    reasons: tuple[str, ...] = ()


def cell_windows(shape: tuple[int, int], side: int, factor: int) -> tuple[Window, ...]:
    """Tiles of about that side that no cell lies across."""
    side = max(1, side // factor) * factor
    height, width = shape
    return tuple(
        Window(row, column, min(side, height - row), min(side, width - column))
        for row in range(0, height, side)
        for column in range(0, width, side)
    )


def survey_levels(plan: Plan, store: Store) -> Levels:
    """The intensity ranges of the whole survey, from the pixels in the middle of the cells."""
    images = []
    for number in range(len(plan.sources)):
        for tile in range(len(plan.cell_tiles[number])):
            stored = read_arrays(store.path("cells", number, tile))
            if stored["valid"].any():
                images.append(
                    Image(
                        stored["middles"],
                        stored["valid"],
                        further=tuple(stored["further_middles"]),
                    )
                )
    return levels_for(images, plan.settings.given)


def learn(
    plan: Plan,
    store: Store,
    levels: Levels,
    tell: Tell,
    cancel: Cancel | None,
    all_words: AllWords | None = None,
) -> Topics:
    """Learn the topics, from `all_words` if they are given, and store them for the workers."""
    tell("topics", 0.0, "documents")
    settings, reasons = plan.settings, plan.reasons
    recipe = settings.recipe
    cells = [_cells(plan, store, number) for number in range(len(plan.sources))]
    documents = []
    for number, image in enumerate(cells):
        documents.append(
            make_documents(
                image,
                recipe.documents.kind,
                count=recipe.documents.count,
                seed=recipe.seed,
                progress=Progress(is_cancelled=cancel, work="The survey"),
                compact=True,
            )
        )
        tell("topics", 0.2 * (number + 1) / len(cells), "documents")
    features = [_features(plan, store, number) for number in range(len(cells))]
    prepared = prepared_cells(
        cells, documents, features, recipe.features, recipe.documents, plan.factor,
        sum(plan.valid), recipe.seed, settings.given,
    )  # fmt: skip
    if "topics" in settings.automatic:
        suggested = suggest_topics(prepared)
        settings = settings.with_topics(suggested.topics)
        recipe = settings.recipe
        reasons = (*reasons, suggested.reason)

    progress = Progress(lambda done, text: tell("topics", done, text), cancel, "The survey")
    sampled = 0.9 if all_words is None else 0.3
    sampling = Sampling(prepared, settings, progress.part(0.2, sampled))
    sampling.go()
    if sampling.stopped:
        raise Cancelled("The survey was stopped: the same command continues from here.")
    if all_words is not None:
        found = sampling.runs[0]
        part = progress.part(sampled, 0.9)
        sampling.runs = [learn_from_all(all_words, found, settings.sweeps, part)]
    run = sampling.runs[sampling.best]
    learned = Learned(
        run.map_source(recipe.estimate),
        topic_order(run.topic_means(recipe.estimate), recipe.parameters),
        run.prepared.standardisation,
        plan.factor,
        recipe.parameters.smoothness * run.prepared.unit,
        averaged_over(recipe),
        recipe.features.scaled_window,
        Given.of(settings),
    )
    known = store_learned(store, learned, run.prepared.fields)
    tell("topics", 1.0, "")
    asked = {} if all_words is None else {"all_words": True}
    return Topics(plan, settings, sampling, learned.order, levels, known, asked, reasons)


@dataclass(frozen=True, eq=False)
class Topics:
    """What was learned, for the report; `known` tells whether it was stored before.

    `order` (K) is how topics are numbered.
    """

    plan: Plan
    settings: Settings
    sampling: Sampling
    order: NDArray[np.int64]
    levels: Levels
    known: bool
    asked: dict[str, Any]
    reasons: tuple[str, ...]

    def result(self, maps: Sequence[MadeMaps] | None = None) -> Result:
        """What there is to report; without maps of the cells, only what is known before them."""
        plan, prepared = self.plan, self.sampling.prepared
        images = [stand_in(source) for source in plan.sources]
        reduced = Reduced(tuple(images), prepared, plan.factor, self.levels)
        places = np.argsort(self.order)
        made = [
            replace(
                each,
                memberships=each.memberships[places],
                uncertainty=None if each.uncertainty is None else each.uncertainty[places],
            )
            for each in maps or [self._blank(image.shape) for image in prepared.images]
        ]
        result = gather(images, self.settings, self.sampling, reduced, UNWATCHED, made=made)
        return replace(
            result,
            asked={**result.asked, **self.asked},
            images=[
                replace(each, known_valid=valid)
                for each, valid in zip(result.images, plan.valid, strict=True)
            ],
            warnings=(*self.reasons, *result.warnings),
        )

    def _blank(self, shape: tuple[int, int]) -> MadeMaps:
        """Maps of a seabed that is everywhere alike."""
        topics = len(self.order)
        has_uncertainty = self.settings.recipe.estimate == "mean"
        return MadeMaps(
            np.full((topics, *shape), 1.0 / topics, np.float32),
            np.zeros((topics, *shape), np.float32) if has_uncertainty else None,
            None if self.settings.given is None else np.ones(shape, np.float32),
        )


def _cells(plan: Plan, store: Store, number: int) -> Image:
    """The image of an image's cells, put together from its tiles."""
    source, factor = plan.sources[number], plan.factor
    height, width = (-(-side // factor) for side in source.shape)
    whole: dict[str, NDArray[Any]] = {}
    for tile, window in enumerate(plan.cell_tiles[number]):
        stored = read_arrays(store.path("cells", number, tile))
        row, column = window.row // factor, window.column // factor
        rows, columns = stored["valid"].shape
        place = (slice(row, row + rows), slice(column, column + columns))
        if not whole:
            further = (len(stored["further"]), height, width)
            whole = {
                "pixels": np.zeros((height, width, *stored["pixels"].shape[2:]), np.float32),
                "valid": np.zeros((height, width), np.bool_),
                "further": np.zeros(further, np.float32),
            }
        whole["pixels"][place] = stored["pixels"]
        whole["valid"][place] = stored["valid"]
        if len(whole["further"]):
            whole["further"][:, *place] = stored["further"]
    known = stand_in(source)
    georeference = known.georeference
    if georeference is not None:
        a, b, c, d, e, f = georeference.transform
        georeference = Georeference(
            georeference.crs, (a * factor, b * factor, c, d * factor, e * factor, f)
        )
    return replace(
        known,
        pixels=whole["pixels"],
        valid=whole["valid"],
        pixel_size=None if known.pixel_size is None else known.pixel_size * factor,
        georeference=georeference,
        further=tuple(whole["further"]),
    )


def _features(plan: Plan, store: Store, number: int) -> Features:
    """The features of the pixels in the middle of an image's cells, from its tiles."""
    source = plan.sources[number]
    rows, columns = middles(source.shape, plan.factor)
    values: NDArray[np.float32] | None = None
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    for tile, window in enumerate(plan.tiles[number]):
        stored = read_arrays(store.path("features", number, tile))
        if not len(stored["names"]):
            continue
        if values is None:
            names = tuple(stored["names"].tolist())
            units = tuple(stored["units"].tolist())
            values = np.full((len(rows), len(columns), len(names)), np.nan, np.float32)
        values[middles_in(window, rows, columns)] = stored["middles"]
    assert values is not None  # files without a valid pixel were left out before
    return Features(values, names, units)
