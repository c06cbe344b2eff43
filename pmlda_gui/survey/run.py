"""A survey from files to results, stage by stage.

Every stage but the learning of topics is a set of tasks, one a tile, that do not depend on
one another nor on who does them.  What is finished is kept in the `Store`, so that a survey
that ended too early goes on where it was.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pmlda_gui import __version__
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.features.texture_scale import MOST_PIXELS
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.readers import ReadOptions, require_opened
from pmlda_gui.imagery.readers.folders import imagery_files
from pmlda_gui.survey.all_words import AllWords
from pmlda_gui.survey.finishing import (
    LARGEST_RASTER,
    finish,
    raster_tasks,
    remove_files,
    tile_files,
)
from pmlda_gui.survey.learned import reach_of, step_for
from pmlda_gui.survey.learning import Plan, Topics, cell_windows, learn, survey_levels
from pmlda_gui.survey.mapping import MapTask, map_tile, read_cells
from pmlda_gui.survey.measuring import (
    Measure,
    count_pixels,
    counted,
    make_cells,
    measure_tile,
    middle_of,
)
from pmlda_gui.survey.possible import require_possible
from pmlda_gui.survey.samples import tiles_around
from pmlda_gui.survey.sources import Source, indexed, stamp_of, stand_in
from pmlda_gui.survey.store import Store
from pmlda_gui.survey.tasks import run_all
from pmlda_gui.survey.tile_files import write_raster
from pmlda_gui.survey.workers import Workers, check_memory, task_bytes
from pmlda_gui.workspace.batch.segment import Stopwatch
from pmlda_gui.workspace.batch.settings import Settings
from pmlda_gui.workspace.export import Result, check_targets
from pmlda_gui.workspace.export.atomic import make_folder
from pmlda_gui.workspace.locking import Lock
from pmlda_gui.workspace.serialization import to_values
from pmlda_gui.workspace.suggestions import pixels_of_each, suggest_scale
from pmlda_gui.workspace.tiled_preparation import (
    TILE_ROWS,
    cell_side,
    require_local_features,
    surroundings,
    tile_windows,
)

__all__ = ["SurveyOutcome", "run_survey"]

log = logging.getLogger(__name__)

Tell = Callable[[str, float, str], None]
Cancel = Callable[[], bool]
_LOCK = ".pmlda-survey.lock"


@dataclass(frozen=True, eq=False)
class SurveyOutcome:
    """What a survey has written, the files it left out, and what is to be said."""

    written: tuple[Path, ...]
    refused: tuple[PmldaError, ...]
    result: Result


def run_survey(
    paths: Sequence[str | Path],
    out: Path,
    settings: Settings,
    workers: Workers,
    *,
    options: ReadOptions | None = None,
    tell: Tell | None = None,
    cancel: Cancel | None = None,
    tile: int = TILE_ROWS,
    largest_raster: int = LARGEST_RASTER,
    all_words: bool = False,
) -> SurveyOutcome:
    """Segment files of any size with one set of topics, and write the results into `out`.

    `tile` is the side in pixels of what one task works on.  With `all_words` topics are
    learned from all words half a window apart, not from a few thousand.  Whatever ends it
    early, the same call goes on where it was.
    """
    require_possible(settings, all_words)
    options = options or ReadOptions()
    make_folder(out)
    lock = Lock(out / _LOCK)
    if not lock.acquire():
        raise PmldaError("Another survey is running in this folder: choose another one.")
    try:
        survey = _Survey(out, settings, workers, options, tell or _ignore, cancel, all_words)
        return survey.run(paths, tile, largest_raster)
    finally:
        lock.release(remove=True)


def _ignore(_stage: str, _fraction: float, _text: str) -> None:
    """Nobody looks on."""


class _Survey:
    def __init__(
        self,
        out: Path,
        settings: Settings,
        workers: Workers,
        options: ReadOptions,
        tell: Tell,
        cancel: Cancel | None,
        all_words: bool,
    ) -> None:
        self._out = out
        self._all_words = all_words
        self._settings = settings
        self._workers = workers
        self._options = options
        self._tell = tell
        self._cancel = cancel
        self._watch = Stopwatch()
        self._refused: list[PmldaError] = []

    def run(self, paths: Sequence[str | Path], tile: int, largest: int) -> SurveyOutcome:
        files = [path.absolute() for path in imagery_files(paths, self._refused)]
        store, going_on = Store.begin(self._out, self._recipe(files, tile))
        if going_on:
            log.info("going on with the survey in %s", self._out)
        sources, valid = self._count(self._index(files), tile)
        check_targets(self._out, [stand_in(source) for source in sources])
        plan = self._plan(sources, valid, tile)
        if self._workers.local:
            check_memory(self._workers.count, self._task_bytes(plan, tile))
        self._make_cells(plan, store)
        levels = survey_levels(plan, store)
        recipe = plan.settings.recipe
        step = step_for(recipe)
        self._measure(plan, store, Measure(recipe.features, levels, plan.factor, step))
        self._watch.start("topics")
        all_words = self._words_of(plan, store, step) if self._all_words else None
        topics = learn(plan, store, levels, self._tell, self._cancel, all_words)
        written, result = self._map(plan, store, step, topics, largest)
        self._watch.start(None)
        store.remove()
        result = replace(result, seconds=self._watch.seconds)
        return SurveyOutcome(tuple(written), tuple(self._refused), result)

    def _words_of(self, plan: Plan, store: Store, step: int) -> AllWords:
        shapes = tuple(source.shape for source in plan.sources)
        return AllWords(self._workers, store, shapes, plan.tiles, sum(plan.valid), step)

    def _task_bytes(self, plan: Plan, tile: int) -> int:
        """What a task takes at most: a tile with what its features need around it."""
        bands = max(1, len(self._options.bands))
        far = Window(10**6, 10**6, 1, 1)
        around = (surroundings(far, plan.settings.recipe.features, (10**7, 10**7)).width + 1) // 2
        held = max(source.header.bytes_held for source in plan.sources)
        return task_bytes(bands, tile, around) + held

    def _recipe(self, files: Sequence[Path], tile: int) -> dict[str, Any]:
        """All that the results depend on."""
        asked = {**self._settings.recipe.to_options(), **self._settings.asked()}
        del asked["threads"]
        return {
            "program": __version__,
            "settings": asked,
            "options": to_values(self._options),
            "tile": tile,
            "all_words": self._all_words,
            "files": [[str(path), *stamp_of(path)] for path in files],
        }

    def _tasks(
        self,
        stage: str,
        work: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        refused: dict[int, PmldaError] | None = None,
    ) -> dict[int, Any]:
        """Do a stage's tasks; those already done are not among the arguments."""
        self._watch.start(stage)
        self._tell(stage, 0.0, "")
        if not arguments:
            return {}
        said = "1 task" if len(arguments) == 1 else f"{len(arguments)} tasks"
        return run_all(
            self._workers.executor,
            self._workers.count,
            work,
            arguments,
            lambda share: self._tell(stage, share, said),
            self._cancel,
            refused,
        )

    # -- stages ------------------------------------------------------------------------------

    def _index(self, files: Sequence[Path]) -> list[Source]:
        refused: dict[int, PmldaError] = {}
        found = self._tasks("index", indexed, [(path, self._options) for path in files], refused)
        self._refused += [refused[number] for number in sorted(refused)]
        require_opened(found, self._refused)
        return [found[number] for number in sorted(found)]

    def _count(self, sources: list[Source], tile: int) -> tuple[tuple[Source, ...], list[int]]:
        """The files whose every pixel can be read, and how many valid pixels they have."""
        tasks = [
            (number, window)
            for number, source in enumerate(sources)
            for window in tile_windows(source.shape, tile)
        ]
        refused: dict[int, PmldaError] = {}
        found = self._tasks(
            "pixels", count_pixels, [(sources[number], window) for number, window in tasks], refused
        )
        kept, valid = [], []
        for number, source in enumerate(sources):
            mine = [place for place, (owner, _) in enumerate(tasks) if owner == number]
            damaged = [refused[place] for place in mine if place in refused]
            counts = [found[place] for place in mine if place in found]
            if damaged:
                self._refused.append(damaged[0])
            elif not any(count.valid for count in counts):
                self._refused.append(PmldaError(f"{source.path.name} has no valid pixel."))
            else:
                kept.append(counted(source, counts))
                valid.append(sum(count.valid for count in counts))
        require_opened(kept, self._refused)
        return tuple(kept), valid

    def _plan(self, sources: tuple[Source, ...], valid: list[int], tile: int) -> Plan:
        settings, reasons = self._settings, []
        automatic = settings.automatic
        texture = self._middles(sources, MOST_PIXELS) if "features" in automatic else []
        looking = Progress(is_cancelled=self._cancel, work="The survey")
        settings = settings.chosen_for(texture, looking)
        if "scale" in automatic:
            parts, recipe = self._middles(sources, pixels_of_each(len(sources))), settings.recipe
            scale = suggest_scale(parts, recipe.features, recipe.parameters.topics, looking)
            settings = settings.with_scale(scale.scale)
            reasons.append(scale.reason)
        require_local_features(settings.recipe.features)
        factor = cell_side(sum(valid))
        return Plan(
            sources,
            tuple(valid),
            settings,
            factor,
            tuple(tuple(tile_windows(source.shape, tile)) for source in sources),
            tuple(cell_windows(source.shape, tile, factor) for source in sources),
            tuple(reasons),
        )

    def _middles(self, sources: Sequence[Source], most_pixels: int) -> list[Image]:
        found = self._tasks("choices", middle_of, [(each, most_pixels) for each in sources])
        return list(found.values())

    def _make_cells(self, plan: Plan, store: Store) -> None:
        self._tasks(
            "cells",
            make_cells,
            [
                (source, window, plan.factor, target)
                for number, source in enumerate(plan.sources)
                for place, window in enumerate(plan.cell_tiles[number])
                if not (target := store.path("cells", number, place)).is_file()
            ],
        )

    def _measure(self, plan: Plan, store: Store, asked: Measure) -> None:
        self._tasks(
            "features",
            measure_tile,
            [
                (source, window, asked, target)
                for number, source in enumerate(plan.sources)
                for place, window in enumerate(plan.tiles[number])
                if not (target := store.path("features", number, place)).is_file()
            ],
        )

    def _map(
        self, plan: Plan, store: Store, step: int, topics: Topics, largest: int
    ) -> tuple[list[Path], Result]:
        margin = reach_of(plan.settings)
        before = topics.result()
        files = tile_files(plan, store, self._out, before, largest)
        if not topics.known:
            remove_files(files)
        self._tasks(
            "memberships",
            map_tile,
            [
                (
                    MapTask(
                        store,
                        number,
                        source.shape,
                        step,
                        tiles_around(place, plan.tiles[number], source.shape, margin),
                        files[number][place],
                    ),
                )
                for number, source in enumerate(plan.sources)
                for place in range(len(plan.tiles[number]))
                if not files[number][place].there
            ],
        )
        rasters = raster_tasks(plan, self._out, before, files)
        self._tasks("writing", write_raster, [(task,) for task in rasters])
        maps = [
            read_cells(mine, plan.tiles[number], plan.sources[number].shape, plan.factor)
            for number, mine in enumerate(files)
        ]
        result = replace(topics.result(maps), seconds=dict(self._watch.seconds))
        progress = Progress(lambda share, text: self._tell("writing", share, text))
        return finish(result, self._out, plan.tiles, files, progress), result
