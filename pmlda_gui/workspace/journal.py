"""The journal: how a run began, and every change with the sweep at which it took effect.

Together with the images it is all that is needed to repeat the run bit for bit.
Label maps and topics found elsewhere are part of what was sampled, so the journal keeps those
it was given, under the digest of their contents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace.choices import LabelMaps, Preparation
from pmlda_gui.workspace.hashing import array_digest
from pmlda_gui.workspace.hints import PaintedHint
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.serialization import from_values, to_values
from pmlda_gui.workspace.topic_set import TopicSet, topics_in

__all__ = [
    "MOST_TOPIC_IDS",
    "Entry",
    "Journal",
    "JournalHint",
    "Start",
]

MOST_TOPIC_IDS = 100_000
"""No session counts so many topics, and nobody should paint as many colours."""


@dataclass(frozen=True)
class Start:
    """How a run began; `seed` is the chain's.

    `topic_ids` are the numbers its topics began with, empty if these were 0, 1, 2 ...
    """

    parameters: Parameters
    preparation: Preparation
    sampler: str = "fast"
    seed: int = 0
    topic_ids: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.topic_ids:
            _check_ids(self.topic_ids)


@dataclass(frozen=True)
class JournalHint:
    """A painted hint; `pixels` is the digest of its flat pixel numbers (see `PaintedHint`)."""

    image: int
    pixels: str
    topic: int
    strength: float
    against: bool = False


@dataclass(frozen=True)
class Entry:
    """From sweep number `sweep` + 1 on: new `parameters`, a new `preparation`, or new `hints`.

    Or, right after sweep number `sweep`: the numbers of the topics, `topic_ids`, which change
    nothing that is sampled.
    """

    sweep: int
    parameters: Parameters | None = None
    preparation: Preparation | None = None
    topic_ids: tuple[int, ...] | None = None
    hints: tuple[JournalHint, ...] | None = None

    def __post_init__(self) -> None:
        if self.sweep < 0:
            raise PmldaError(f"A change at sweep {self.sweep} cannot be: sweeps begin at 0.")
        if self.topic_ids is not None:
            _check_ids(self.topic_ids)

    @property
    def kind(self) -> str:
        """Which of its parts is new."""
        if self.topic_ids is not None:
            return "topic_ids"
        if self.hints is not None:
            return "hints"
        return "preparation" if self.parameters is None else "parameters"

    @property
    def value(self) -> Any:
        """What it is now."""
        return getattr(self, self.kind)


def _check_ids(ids: tuple[int, ...]) -> None:
    if len(set(ids)) != len(ids) or not all(0 <= each < MOST_TOPIC_IDS for each in ids):
        raise PmldaError("The journal numbers topics in an impossible way: the file is damaged.")


@dataclass(frozen=True)
class _Written:
    """The journal as it is stored."""

    start: Start | None
    changes: tuple[Entry, ...]
    sweeps: int


class Journal:
    """A run's start, its changes in order, and how many sweeps it has finished.

    What is replaced before any sweep saw it leaves no trace.
    """

    def __init__(
        self, start: Start | None = None, entries: Sequence[Entry] = (), sweeps: int = 0
    ) -> None:
        if any(later.sweep < entry.sweep for entry, later in pairwise(entries)):
            raise PmldaError("The journal's changes are out of order: the file is damaged.")
        self.start = start
        self.sweeps = sweeps
        self.label_maps: dict[str, NDArray[Any]] = {}
        self._entries = list(entries)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The changes, earliest first."""
        return tuple(self._entries)

    @property
    def preparation(self) -> Preparation:
        """The last preparation, with those that wait."""
        if self.start is None:
            raise PmldaError("The journal does not say how its run began: start a new run.")
        made = [each.preparation for each in self._entries if each.preparation is not None]
        return made[-1] if made else self.start.preparation

    @property
    def digests(self) -> set[str]:
        """The digests of all label maps and painted pixels the journal mentions."""
        made = [entry.preparation for entry in self._entries]
        made += [self.start.preparation] if self.start is not None else []
        painted = {hint.pixels for entry in self._entries for hint in entry.hints or ()}
        return painted | {
            digest
            for each in made
            if each is not None
            for digest in (*each.labels, each.given)
            if digest
        }

    def record_start(
        self,
        parameters: Parameters,
        preparation: Preparation,
        label_maps: LabelMaps = (),
        sampler: str = "fast",
        seed: int = 0,
        topic_ids: tuple[int, ...] = (),
        given: TopicSet | None = None,
    ) -> None:
        """How the run begins."""
        self._keep(label_maps, preparation, given)
        self.start = Start(parameters, preparation, sampler, seed, topic_ids)

    def record_parameters(self, sweep: int, parameters: Parameters) -> None:
        """New parameters for the sweep after `sweep` others."""
        self._append(Entry(sweep, parameters=parameters))

    def record_preparation(
        self,
        sweep: int,
        preparation: Preparation,
        label_maps: LabelMaps = (),
        given: TopicSet | None = None,
    ) -> None:
        """New features or documents for the sweep after `sweep` others."""
        self._keep(label_maps, preparation, given)
        self._append(Entry(sweep, preparation=preparation))

    def record_topic_ids(self, sweep: int, topic_ids: tuple[int, ...]) -> None:
        """The numbers of the topics once `sweep` sweeps are done."""
        self._append(Entry(sweep, topic_ids=topic_ids))

    def record_hints(self, sweep: int, hints: Sequence[PaintedHint]) -> None:
        """New hints for the sweep after `sweep` others, in place of those before."""
        written = []
        for hint in hints:
            digest = array_digest(hint.pixels)
            self.label_maps[digest] = hint.pixels
            written.append(JournalHint(hint.image, digest, hint.topic, hint.strength, hint.against))
        self._append(Entry(sweep, hints=tuple(written)))

    def painted(self, hints: Sequence[JournalHint], prepared: Prepared) -> tuple[PaintedHint, ...]:
        """Hints as they were painted, checked against the images."""
        if any(hint.pixels not in self.label_maps for hint in hints):
            raise PmldaError(
                "The journal lacks the pixels of a hint: the file is damaged, "
                "open the version saved before it."
            )
        return tuple(
            PaintedHint.of(
                prepared, self.label_maps[hint.pixels].astype(np.int32), hint.topic,
                hint.strength, hint.against, hint.image,
            )
            for hint in hints
        )  # fmt: skip

    @property
    def last_hints(self) -> tuple[JournalHint, ...]:
        """The last hints, with those that wait."""
        said = [each.hints for each in self._entries if each.hints is not None]
        return said[-1] if said else ()

    def _append(self, entry: Entry) -> None:
        """Add a change, in place of those of its kind that no sweep has seen."""
        self._entries = [
            each for each in self._entries if each.sweep != entry.sweep or each.kind != entry.kind
        ]
        before = [each.value for each in self._entries if each.kind == entry.kind]
        if not before and entry.hints is not None:
            before = [()]
        elif not before and self.start is not None and entry.topic_ids is None:
            before = [getattr(self.start, entry.kind)]
        if not before or before[-1] != entry.value or entry.topic_ids is not None:
            self._entries.append(entry)

    def _keep(
        self, label_maps: LabelMaps, preparation: Preparation, given: TopicSet | None
    ) -> None:
        """Keep the label maps of a preparation, and the topics that it is for."""
        if given is not None:
            self.label_maps[preparation.given] = given.as_array
        for digest, labels in zip(preparation.labels, label_maps, strict=False):
            if labels is not None:
                self.label_maps[digest] = labels

    def labels_of(self, preparation: Preparation) -> LabelMaps | None:
        """The label maps of a preparation, as `prepare` takes them."""
        if not preparation.labels:
            return None
        lacking = [each for each in preparation.labels if each and each not in self.label_maps]
        if lacking:
            raise PmldaError(
                "The journal lacks a label map that was used: the file is damaged, "
                "open the version saved before it."
            )
        return [self.label_maps.get(digest) for digest in preparation.labels]

    def topics_of(self, preparation: Preparation) -> TopicSet | None:
        """The topics that a preparation is for, as `prepare` takes them."""
        if not preparation.given:
            return None
        kept = self.label_maps.get(preparation.given)
        if kept is None or kept.dtype != np.uint8 or kept.ndim != 1:
            raise PmldaError(
                "The journal lacks the topics that were used: the file is damaged, "
                "open the version saved before it."
            )
        return topics_in(kept.tobytes(), "The journal")

    def before(self, sweep: int) -> Journal:
        """The journal without the changes that wait for a sweep after `sweep` others."""
        done = [
            entry
            for entry in self._entries
            if entry.sweep < sweep or (entry.topic_ids is not None and entry.sweep == sweep)
        ]
        shorter = Journal(self.start, done, self.sweeps)
        shorter.label_maps = dict(self.label_maps)
        return shorter

    def copy(self) -> Journal:
        """A journal that stays as this one is now; label maps are shared."""
        same = Journal(self.start, self._entries, self.sweeps)
        same.label_maps = dict(self.label_maps)
        return same

    def to_values(self) -> dict[str, Any]:
        """The journal as JSON can hold it, without the label maps themselves."""
        values: dict[str, Any] = to_values(_Written(self.start, self.entries, self.sweeps))
        return values

    @classmethod
    def from_values(
        cls, values: Any, label_maps: Mapping[str, NDArray[Any]] | None = None
    ) -> Journal:
        """The journal `to_values` gave, checked again."""
        written = from_values(_Written, values, "The journal")
        journal = cls(written.start, written.changes, written.sweeps)
        journal.label_maps = dict(label_maps or {})
        return journal
