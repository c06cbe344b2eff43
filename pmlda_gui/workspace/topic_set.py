"""A topics file: everything needed to find the topics of one survey in another.

A `.topics` file is JSON.  It may come from anybody, so its size and number of values are
checked before it is parsed, and every value is checked before it is used.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import MOST_TOPICS, Parameters
from pmlda_gui.imagery.features import Standardisation
from pmlda_gui.imagery.readers.regular_files import open_regular
from pmlda_gui.workspace.choices import DocumentChoice, FeatureChoice
from pmlda_gui.workspace.hashing import array_digest
from pmlda_gui.workspace.recipe import Recipe
from pmlda_gui.workspace.serialization import from_values, to_values
from pmlda_gui.workspace.topic_look import TopicLook

# Sessions hold topics, and are needed before the compiler is loaded.
if TYPE_CHECKING:
    from pmlda_gui.core.corpus import Cores

__all__ = ["ENDING", "TAIL_SHARES", "TopicSet", "read_topics", "topics_bytes", "topics_in"]

ENDING = ".topics"
TAIL_SHARES = (
    1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03,
    0.025, 0.02, 0.015, 0.01, 0.005, 0.002, 0.001,
)  # fmt: skip
"""The fractions of a scene for which the least distance is stored."""
_FORMAT, _VERSION = "pmlda-gui topics", 1
_MOST_BYTES, _MOST_VALUES, _MOST_FEATURES = 4 * 2**20, 200_000, 256
# A mean is known about as well as the mean of so many words.
_WORDS_PER_MEAN = 15.0

Row = tuple[float, ...]


@dataclass(frozen=True)
class TopicSet:
    """Topics with the recipe of their words; plain values only.

    `features` says what is measured and `feature_names` the p features that gives; `levels`
    are lowest and highest intensity by band.  Words are features minus `centre`, divided by
    `scale`, cut off at `limit` (None: nowhere) and multiplied by `mixing` (p rows); `noise`
    is the variance of their noise, which `guide` (p rows, none if unknown) makes 1 before words
    are averaged over the ground that looks alike.  `means` (K rows of p) and `variance` are
    the topics in words.  `parameters` are those they were found under, `document_count` goes
    with the features, and `looks` are names, colours and codes in the topics' order.  `distances`
    says how far words of the scene they came from lie from every mixture of topics: the
    least squared distance, in variances, of each of `TAIL_SHARES`.  `pixel_size` is in
    metres, None if unknown.  `gain` is kept as it is for whoever corrects the sonar's gain.
    """

    features: FeatureChoice
    feature_names: tuple[str, ...]
    levels: tuple[tuple[float, float], ...]
    centre: Row
    scale: Row
    limit: float | None
    mixing: tuple[Row, ...]
    noise: float
    means: tuple[Row, ...]
    variance: float
    parameters: Parameters
    document_count: int
    looks: tuple[TopicLook, ...]
    distances: Row
    pixel_size: float | None = None
    source: tuple[str, ...] = ()
    guide: tuple[Row, ...] = ()
    gain: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count, topics = len(self.feature_names), len(self.means)
        fits = (
            1 <= count <= _MOST_FEATURES
            and 2 <= topics <= MOST_TOPICS
            and len(self.centre) == len(self.scale) == len(self.mixing) == count
            and len(self.guide) in (0, count)
            and all(len(row) == count for row in (*self.mixing, *self.means, *self.guide))
            and len(self.looks) == self.parameters.topics == topics
            and len(self.distances) == len(TAIL_SHARES)
            and len(self.levels) >= 1
        )
        if not fits:
            raise PmldaError("The parts of the topics do not fit together: the file is damaged.")
        possible = (
            self.variance > 0.0
            and self.noise >= 0.0
            and min(self.scale) > 0.0
            and (self.limit is None or self.limit > 0.0)
            and all(low <= high for low, high in self.levels)
            and list(self.distances) == sorted(self.distances)
            and 1 <= self.document_count <= 10**6
            and abs(float(np.linalg.det(np.array(self.mixing)))) > 0.0
        )
        if not possible:
            raise PmldaError("The topics hold impossible values: the file is damaged.")

    @property
    def count(self) -> int:
        """The number of topics K."""
        return len(self.means)

    @property
    def recipe(self) -> Recipe:
        """What they were found by."""
        documents = DocumentChoice(count=self.document_count)
        return Recipe(self.features, documents, parameters=self.parameters)

    @property
    def standardisation(self) -> Standardisation:
        """How features become the words of these topics."""
        return Standardisation(
            np.array(self.centre),
            np.array(self.scale),
            math.inf if self.limit is None else self.limit,
            np.array(self.mixing),
            self.noise,
            np.array(self.guide) if self.guide else None,
        )

    @property
    def mean_words(self) -> NDArray[np.float64]:
        """The means (K, p) as words."""
        return np.array(self.means)

    @property
    def cores(self) -> Cores:
        """Where a chain begins, and stays while the topics are held."""
        from pmlda_gui.core.corpus import Cores

        return Cores(self.mean_words, self.variance / _WORDS_PER_MEAN, self.variance)

    @cached_property
    def digest(self) -> str:
        """That of `as_array`, by which a journal knows topics."""
        return array_digest(self.as_array)

    @property
    def as_array(self) -> NDArray[np.uint8]:
        """The bytes of its file."""
        return np.frombuffer(topics_bytes(self), np.uint8)

    @property
    def told(self) -> dict[str, str]:
        """Where topics were taken from, as reports state it."""
        return {
            "topics_from": ", ".join(self.source) or "topics given",
            "topics_digest": hashlib.sha256(topics_bytes(self)).hexdigest(),
        }

    @property
    def colours(self) -> NDArray[np.uint8]:
        """The colours of the topics, (K, 3)."""
        return np.array([look.colour for look in self.looks], dtype=np.uint8)


def topics_bytes(topics: TopicSet) -> bytes:
    """The content of a `.topics` file."""
    values = {"format": _FORMAT, "version": _VERSION, "topics": to_values(topics)}
    return (json.dumps(values, indent=1, allow_nan=False, ensure_ascii=False) + "\n").encode()


def read_topics(path: Path) -> TopicSet:
    """The topics in a file, checked; PmldaError with a sentence if there are none."""
    try:
        with open_regular(path) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > _MOST_BYTES:
                raise PmldaError(f"{path.name} is too large for a file of topics.")
            content = stream.read(_MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise PmldaError(f"There is no file of topics {path}: choose another.") from error
    except OSError as error:
        raise PmldaError(f"{path.name} cannot be read ({error.strerror or error}).") from error
    return topics_in(content, path.name)


def topics_in(content: bytes, name: str) -> TopicSet:
    """The topics in the content of a file that has this name."""
    # Archives hold sessions, and these topics.
    from pmlda_gui.workspace.archive.bounded_json import JsonBudget

    if len(content) > _MOST_BYTES:
        raise PmldaError(f"{name} is too large for a file of topics.")
    try:
        values = JsonBudget(_MOST_VALUES).parse(content)
    except (ValueError, RecursionError) as error:
        raise PmldaError(
            f"{name} is no file of topics, or it is damaged: write it again with pmlda-gui topics."
        ) from error
    if not isinstance(values, dict) or values.get("format") != _FORMAT:
        raise PmldaError(f"{name} is no file of topics: write one with pmlda-gui topics.")
    if values.get("version") != _VERSION:
        raise PmldaError(
            f"{name} was written by another version of the program (format "
            f"{values.get('version')!r:.20}): update the program, or write the file again."
        )
    return from_values(TopicSet, values.get("topics"), f"The topics in {name}")
