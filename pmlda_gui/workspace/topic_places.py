"""Where the topics of a workspace lay, as plain values and arrays for its file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.journal import MOST_TOPIC_IDS
from pmlda_gui.workspace.serialization import from_values, to_values
from pmlda_gui.workspace.session import TopicLook
from pmlda_gui.workspace.shown_topics import given_looks
from pmlda_gui.workspace.topic_matching import FormerTopics, TopicPlace, step_for

__all__ = ["NO_PLACES", "KeptPlaces", "PlaceEntry", "kept_places", "restored_places"]

# Memberships in this many steps; one more says that nothing is known.
_STEPS, _UNKNOWN = 250, 255
_MOST_PLACES = 200


@dataclass(frozen=True)
class PlaceEntry:
    """A topic's number, and its mean in the features' own units."""

    number: int
    features: tuple[str, ...]
    mean: tuple[float, ...]

    def __post_init__(self) -> None:
        if not 0 <= self.number < MOST_TOPIC_IDS:
            raise PmldaError(f"A topic cannot have the number {self.number}.")
        if len(self.mean) != len(self.features) or not all(map(math.isfinite, self.mean)):
            raise PmldaError("The mean of a former topic does not fit its features.")


@dataclass(frozen=True)
class _Written:
    following: int
    topics: tuple[PlaceEntry, ...]


@dataclass(frozen=True, eq=False)
class KeptPlaces:
    """Places as they are in a file: entries, and for each image levels (N, rows, columns)."""

    following: int = 0
    entries: tuple[PlaceEntry, ...] = ()
    levels: tuple[NDArray[np.uint8], ...] = ()

    def to_values(self) -> Any:
        """The part that is no array."""
        return to_values(_Written(self.following, self.entries))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name."""
        return {f"image_{number}": each for number, each in enumerate(self.levels)}

    @classmethod
    def from_values(cls, values: Any, arrays: Mapping[str, NDArray[Any]]) -> KeptPlaces:
        """What `to_values` and `arrays` gave, checked again."""
        written = from_values(_Written, values, "The places of topics")
        levels = tuple(arrays[f"image_{n}"] for n in range(len(arrays)) if f"image_{n}" in arrays)
        count = len(written.topics)
        if (
            not 0 <= written.following <= MOST_TOPIC_IDS
            or count > _MOST_PLACES
            or len({each.number for each in written.topics}) != count
            or any(each.dtype != np.uint8 or each.ndim != 3 for each in levels)
            or any(len(each) != count for each in levels)
        ):
            raise PmldaError("The places of its topics do not fit together.")
        return cls(written.following, written.topics, levels)


NO_PLACES = KeptPlaces()


def kept_places(former: FormerTopics, images: Sequence[Image]) -> KeptPlaces:
    """The places on these images, for a file."""
    places = list(former.places.items())[-_MOST_PLACES:]
    entries = tuple(
        PlaceEntry(number, place.feature_names, tuple(map(float, place.mean)))
        for number, place in places
    )
    levels = []
    for image in images:
        stacked = np.full((len(places), *_thinned(image)), _UNKNOWN, np.uint8)
        for row, (_, place) in enumerate(places):
            for other, memberships in place.maps:
                if other is image:
                    known = ~np.isnan(memberships)
                    rounded = np.rint(np.clip(memberships[known], 0.0, 1.0) * _STEPS)
                    stacked[row][known] = rounded.astype(np.uint8)
        levels.append(stacked)
    return KeptPlaces(former.next_id, entries, tuple(levels))


def restored_places(
    kept: KeptPlaces, images: Sequence[Image | None], looks: Sequence[TopicLook]
) -> FormerTopics:
    """Former topics again, with the looks that the operator gave them.

    What is known of an image that is missing (None) or has another size now is left out.
    No other topic gets a number that has a look.
    """
    following = max([kept.following, *(look.id + 1 for look in looks)])
    former = FormerTopics(next_id=following, given=given_looks(looks))
    for row, entry in enumerate(kept.entries):
        maps = []
        for image, levels in zip(images, kept.levels, strict=False):
            if image is None or levels.shape[1:] != _thinned(image):
                continue
            if (levels[row] == _UNKNOWN).all():
                continue
            memberships = levels[row].astype(np.float32) / _STEPS
            memberships[levels[row] > _STEPS] = np.nan
            maps.append((image, memberships))
        place = TopicPlace(np.array(entry.mean), entry.features, tuple(maps))
        former.places[entry.number] = place
        former.next_id = max(former.next_id, entry.number + 1)
    return former


def _thinned(image: Image) -> tuple[int, int]:
    """The rows and columns of an image that topics are compared on."""
    step = step_for(image.shape)
    height, width = image.shape
    return -(-height // step), -(-width // step)
