"""What workers need to map a tile: draws of topics and documents, in files they can read."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.state import Globals
from pmlda_gui.imagery.document_field import DocumentField
from pmlda_gui.imagery.documents import Documents
from pmlda_gui.imagery.features import Standardisation
from pmlda_gui.imagery.map_averaging import reach, sample_step
from pmlda_gui.imagery.similar_ground import averaging_reach
from pmlda_gui.survey.store import Arrays, Store, read_arrays, write_arrays
from pmlda_gui.workspace.batch.settings import Settings
from pmlda_gui.workspace.maps import MapSource
from pmlda_gui.workspace.preparation import averaging_of
from pmlda_gui.workspace.recipe import Recipe
from pmlda_gui.workspace.tiled_memberships import fringed

__all__ = [
    "Given",
    "Learned",
    "averaged_over",
    "labelled",
    "load_field",
    "load_learned",
    "reach_of",
    "step_for",
    "store_fields",
    "store_learned",
]

_LEARNED = "topics"


@dataclass(frozen=True, eq=False)
class Given:
    """Topics that were found elsewhere, so far as they tell what is unknown.

    Distances of words from all mixtures of the `means` (K, p), in `variance`, are averaged
    over `deviation` pixels and compared with `distances`, those where the topics were found.
    """

    means: NDArray[np.float64]
    variance: float
    distances: NDArray[np.float64]
    deviation: float

    @classmethod
    def of(cls, settings: Settings) -> Given | None:
        """What the settings bring, None if they bring no topics."""
        found, recipe = settings.given, settings.recipe
        if found is None:
            return None
        deviation = averaging_of(recipe.features, recipe.parameters.smoothness)
        return cls(found.mean_words, found.variance, np.array(found.distances), deviation)


@dataclass(frozen=True, eq=False)
class Learned:
    """The draws of topics and documents and how features become words.

    Cells are `factor` pixels wide, documents act `width` cells far, topics are numbered by
    `order` (K), and maps are averaged over `deviation` pixels; `window` is the features' in
    pixels.
    """

    source: MapSource
    order: NDArray[np.int64]
    standardisation: Standardisation
    factor: int
    width: float
    deviation: float
    window: float
    given: Given | None = None

    @property
    def reach(self) -> int:
        """How many pixels around a tile its maps depend on."""
        return reach(max(self.deviation, 0.0 if self.given is None else self.given.deviation))


def averaged_over(recipe: Recipe) -> float:
    """The standard deviation in pixels of what maps are averaged over, 0 for none."""
    if recipe.estimate != "mean":
        return 0.0
    return averaging_of(recipe.features, recipe.parameters.smoothness)


def step_for(recipe: Recipe) -> int:
    """Every how many rows and columns are mapped, which the average makes up for."""
    return sample_step(averaged_over(recipe), recipe.features.scaled_window)


def reach_of(settings: Settings) -> int:
    """How many pixels around a tile its maps will depend on, words and all."""
    given = Given.of(settings)
    wider = 0.0 if given is None else given.deviation
    alike = averaging_reach(settings.recipe.features.scaled_window)
    return reach(max(averaged_over(settings.recipe), wider)) + alike


def store_learned(store: Store, learned: Learned, fields: Sequence[DocumentField]) -> bool:
    """Store what was learned for the workers; whether it is what was stored before."""
    source, words = learned.source, learned.standardisation
    arrays: Arrays = {
        "proportions": np.array([each.proportions for each in source.draws]),
        "scaling": np.array([each.scaling for each in source.draws]),
        "means": np.array([each.means for each in source.draws]),
        "variances": np.array([each.variance for each in source.draws]),
        "order": learned.order,
        "centre": words.centre,
        "scale": words.scale,
        "mixing": np.eye(len(words.centre)) if words.mixing is None else words.mixing,
        "numbers": np.array([
            source.fuzzifier, source.smoothness, words.limit, words.noise,
            learned.width, learned.deviation, learned.window,
        ]),
        "counts": np.array([source.seed, learned.factor], np.int64),
        "kind": np.array(source.kind),
    }  # fmt: skip
    if words.guide is not None:
        arrays["guide"] = words.guide
    if learned.given is not None:
        given = learned.given
        arrays["given_means"] = given.means
        arrays["given_distances"] = given.distances
        arrays["given_numbers"] = np.array([given.variance, given.deviation])
    path = store.path(_LEARNED, 0)
    if path.exists() and _equal(read_arrays(path), arrays):
        return True
    for number, field in enumerate(fields):
        _store_documents(store.path("documents", number), fringed(field))
    write_arrays(path, **arrays)
    return False


def store_fields(store: Store, fields: Sequence[DocumentField]) -> None:
    """Store the documents for whoever learns from all words."""
    for number, field in enumerate(fields):
        _store_documents(store.path("fields", number), field)


def load_field(store: Store, image: int) -> DocumentField:
    """The documents of an image, as `store_fields` has stored them."""
    return _load_documents(store.path("fields", image))


def _store_documents(path: Path, field: DocumentField) -> None:
    counts = np.array([field.documents.count, field.first], np.int64)
    write_arrays(path, labels=field.labels, counts=counts)


def _equal(first: Arrays, second: Arrays) -> bool:
    return first.keys() == second.keys() and all(
        np.array_equal(first[name], second[name]) for name in first
    )


def _given(stored: Arrays) -> Given | None:
    if "given_means" not in stored:
        return None
    variance, deviation = stored["given_numbers"].tolist()
    return Given(stored["given_means"], variance, stored["given_distances"], deviation)


class _Last:
    """What was loaded last: the next tile mostly needs the same."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[int, Arrays]] = {}

    def arrays(self, path: Path) -> Arrays:
        with self._lock:
            changed = path.stat().st_mtime_ns
            if path not in self._known or self._known[path][0] != changed:
                # One survey's topics and the documents of a few images.
                while len(self._known) >= 4:
                    del self._known[next(iter(self._known))]
                self._known[path] = (changed, read_arrays(path))
            return self._known[path][1]


_LAST = _Last()


def load_learned(store: Store, image: int) -> tuple[Learned, DocumentField]:
    """What was learned, and the documents of an image."""
    stored = _LAST.arrays(store.path(_LEARNED, 0))
    fuzzifier, smoothness, limit, noise, width, deviation, window = stored["numbers"].tolist()
    seed, factor = stored["counts"].tolist()
    draws = tuple(
        Globals(*each[:3], float(each[3]))
        for each in zip(
            stored["proportions"], stored["scaling"], stored["means"], stored["variances"],
            strict=True,
        )
    )  # fmt: skip
    learned = Learned(
        MapSource(draws, fuzzifier, smoothness, seed, str(stored["kind"])),
        stored["order"],
        Standardisation(
            stored["centre"], stored["scale"], limit, stored["mixing"], noise, stored.get("guide")
        ),
        factor,
        width,
        deviation,
        window,
        _given(stored),
    )
    return learned, _load_documents(store.path("documents", image))


def _load_documents(path: Path) -> DocumentField:
    found = _LAST.arrays(path)
    count, first = found["counts"].tolist()
    return labelled(found["labels"].astype(np.int32, copy=False), count, first)


def labelled(labels: NDArray[np.int32], count: int, first: int) -> DocumentField:
    """Documents of which nothing is asked but their labels (height, width)."""
    documents = Documents(
        "labels", labels.shape, np.zeros(count + 1, np.int64), np.empty(0, np.int64), 1, 0
    )
    return DocumentField(documents, first, labels)
