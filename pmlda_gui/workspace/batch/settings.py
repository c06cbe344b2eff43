"""The settings of a segmentation without a window: a recipe, and how long to sample.

Parts of the recipe may be left to the program, which chooses them by looking at the images.
`batch.options` makes settings from the names and texts of the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.choices import LabelMaps
from pmlda_gui.workspace.hashing import file_digest
from pmlda_gui.workspace.label_maps import label_maps_for
from pmlda_gui.workspace.recipe import Recipe
from pmlda_gui.workspace.suggestions import suggest_preset
from pmlda_gui.workspace.topic_set import TopicSet

__all__ = ["Part", "Settings", "default_sweeps"]

Part = Literal["features", "window", "documents", "scale", "topics"]
"""What may be chosen by looking at the images: the features' preset, its window, the number of
documents that goes with it, the features' scale, and the number of topics."""

# Sweeps over a lattice take milliseconds; those over every pixel are far longer.
_SWEEPS_ON_LATTICE, _SWEEPS_OVER_ALL = 500, 120
_MOST_CHAINS = 64
_DEFAULT_RECIPE = Recipe()


@dataclass(frozen=True, eq=False)
class Settings:
    """How to segment, and how long.

    Of the `recipe`, the parts named in `automatic` hold the usual values until they are chosen.
    `sweeps` counts those over all words, None for as many as are usually enough; `seconds`
    limits the time of all chains together instead.  Chain c starts from the recipe's seed + c.
    `given` are topics found before, which are held.  `label_maps` (height, width) are those of
    documents that come from no file, and `hints` is a file of hints.
    """

    recipe: Recipe = _DEFAULT_RECIPE
    automatic: frozenset[Part] = frozenset()
    sweeps: int | None = None
    seconds: float | None = None
    chains: int = 1
    threads: int | None = None
    given: TopicSet | None = None
    label_maps: tuple[NDArray[np.int32], ...] = ()
    hints: Path | None = None

    def __post_init__(self) -> None:
        if self.sweeps is not None and self.seconds is not None:
            raise PmldaError("Sweeps and seconds were both given: choose one to end the run by.")
        _require("sweeps", self.sweeps, self.sweeps is None or self.sweeps >= 1, "at least 1")
        _require("seconds", self.seconds, self.seconds is None or self.seconds > 0, "more than 0")
        _require("chains", self.chains, 1 <= self.chains <= _MOST_CHAINS, f"1 to {_MOST_CHAINS}")
        _require("threads", self.threads, self.threads is None or self.threads >= 1, "at least 1")
        # The last chain's seed must be one as well.
        replace(self.recipe, seed=self.recipe.seed + self.chains - 1)

    def chosen_for(self, images: Sequence[Image], progress: Progress = UNWATCHED) -> Settings:
        """The same with the features, and the documents that go with them, for these images."""
        if "features" not in self.automatic:
            return self
        features, documents = suggest_preset(images, progress)
        recipe = self.recipe
        window = features.window if "window" in self.automatic else recipe.features.window
        features = replace(recipe.features, names=features.names, window=window)
        if "documents" in self.automatic:
            documents = replace(recipe.documents, count=documents.count)
        else:
            documents = recipe.documents
        left: frozenset[Part] = self.automatic - {"features", "window", "documents"}
        recipe = replace(recipe, features=features, documents=documents)
        return replace(self, recipe=recipe, automatic=left)

    def with_scale(self, scale: float) -> Settings:
        """The same with features at this scale."""
        recipe = replace(self.recipe, features=replace(self.recipe.features, scale=scale))
        return replace(self, recipe=recipe, automatic=self.automatic - {"scale"})

    def with_topics(self, topics: int) -> Settings:
        """The same with so many topics; proportions that are fixed are equal."""
        parameters = self.recipe.parameters
        fixed = None if parameters.proportions is None else (1.0 / topics,) * topics
        parameters = replace(parameters, topics=topics, proportions=fixed)
        recipe = replace(self.recipe, parameters=parameters)
        return replace(self, recipe=recipe, automatic=self.automatic - {"topics"})

    def maps_for(self, images: Sequence[Image], progress: Progress = UNWATCHED) -> LabelMaps:
        """The label map of each image, None for each unless documents are drawn."""
        return self.label_maps or label_maps_for(self.recipe, images, progress)

    def asked(self) -> dict[str, Any]:
        """What was asked for beside the recipe, as JSON can hold it."""
        values: dict[str, Any] = {
            "sweeps": self.sweeps,
            "seconds": self.seconds,
            "chains": self.chains,
            "threads": self.threads,
        }
        if self.automatic:
            values["automatic"] = sorted(self.automatic)
        if self.label_maps:
            values["documents"] = "label maps given as arrays"
        if self.hints is not None:
            values["hints"] = self.hints.name
            values["hints_digest"] = file_digest(self.hints)
        if self.given is not None:
            values |= self.given.told
        return values


def default_sweeps(stride: int) -> int:
    """Sweeps that are usually enough, over words on every `stride`-th row and column."""
    return _SWEEPS_OVER_ALL if stride == 1 else _SWEEPS_ON_LATTICE


def _require(name: str, value: object, holds: bool, expected: str) -> None:
    if not holds:
        raise PmldaError(f"The setting {name} is {value}, but must be {expected}.")
