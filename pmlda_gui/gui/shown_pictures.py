"""What each picture shows of a frame: bytes, colours, name and legend.

The views, overlays, comparisons and saved pictures all take it from here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.gui.frame import UNCERTAINTY_RANGE, Snapshot
from pmlda_gui.gui.view_request import ShownTopic
from pmlda_gui.gui.views.colour_key import Bar, Key, Legend
from pmlda_gui.gui.views.tables import (
    hatch_table,
    hatched,
    label_table,
    membership_table,
    uncertainty_table,
    unknown_table,
)

__all__ = ["ShownPicture", "picture_names", "shown_picture"]

MEMBERSHIP = "membership_view_"
NO_MAP = "no map yet: Run (F5)"


@dataclass(frozen=True, eq=False)
class ShownPicture:
    """Levels (height, width) with a `table` of colours (256, 4), or colours (height, width, 4).

    `caption` is written over what cannot be shown.
    """

    title: str
    picture: NDArray[np.uint8]
    table: NDArray[np.uint8] | None = None
    colour: tuple[int, int, int] | None = None
    key: Key | None = None
    caption: str = ""

    def colours(self) -> NDArray[np.uint8]:
        """The picture as colours, (height, width, 4)."""
        if self.picture.ndim == 3 and self.picture.shape[2] == 4:
            return self.picture
        if self.table is None:
            opaque = np.full((*self.picture.shape[:2], 1), 255, np.uint8)
            return np.concatenate([self.picture[..., :3], opaque], axis=2)
        colours: NDArray[np.uint8] = self.table[self.picture]
        return colours


def picture_names(snapshot: Snapshot) -> dict[str, str]:
    """The pictures there are of a result besides the source image: what they are called, by
    the name of their view."""
    topics, given = snapshot.topics, snapshot.prepared.given
    return {
        "composite_view": "Composite",
        **{f"{MEMBERSHIP}{number}": topic.name for number, topic in enumerate(topics)},
        "uncertainty_view": "Uncertainty",
        "labels_view": "Crisp labels",
        **({} if given is None else {"unknown_view": "Unknown"}),
    }


def shown_picture(snapshot: Snapshot, name: str) -> ShownPicture | None:
    """What the view of that name shows; None if there is no such picture.

    Before the first sweep there is no map: what the chain begins with is not shown as one.
    """
    shown = _of_result(snapshot, name)
    if shown is None or snapshot.figures.sweep > 0:
        return shown
    nothing = hatched(snapshot.pictures.labels > 0)
    return replace(shown, picture=nothing, table=hatch_table(), key=None, caption=NO_MAP)


def _of_result(snapshot: Snapshot, name: str) -> ShownPicture | None:
    pictures, topics = snapshot.pictures, snapshot.topics
    if name == "composite_view":
        return ShownPicture("Composite", pictures.composite, key=_legend(topics))
    if name == "labels_view":
        table = label_table([topic.colour for topic in topics])
        return ShownPicture("Crisp labels", pictures.labels, table, key=_legend(topics))
    if name == "uncertainty_view":
        return _uncertainty(snapshot)
    if name == "unknown_view":
        return _unknown(snapshot)
    number = name.removeprefix(MEMBERSHIP)
    if number == name or not number.isdecimal() or int(number) >= len(topics):
        return None
    topic = topics[int(number)]
    table = membership_table(topic.colour)
    bar = _membership_bar(topic.colour)
    return ShownPicture(topic.name, pictures.maps[int(number)], table, topic.colour, bar)


def _uncertainty(snapshot: Snapshot) -> ShownPicture:
    """How sure the maps are; where that cannot be told, neither dark nor bright."""
    levels, inside = snapshot.pictures.uncertainty, snapshot.pictures.labels > 0
    if levels is not None and snapshot.deviation_known:
        table = uncertainty_table()
        return ShownPicture("Uncertainty", levels, table, key=_uncertainty_bar())
    caption = "of the posterior mean only" if levels is None else "not known yet"
    return ShownPicture("Uncertainty", hatched(inside), hatch_table(), caption=caption)


def _unknown(snapshot: Snapshot) -> ShownPicture | None:
    """What none of the given topics explains."""
    if snapshot.prepared.given is None:
        return None
    if snapshot.unknown is None:
        levels = hatched(snapshot.pictures.labels > 0)
        return ShownPicture("Unknown", levels, hatch_table(), caption="not known yet")
    title = f"Unknown: {100 * snapshot.unknown.fraction:.1f} %"
    return ShownPicture(title, snapshot.unknown.levels, unknown_table(), key=_unknown_bar())


# Cached, so that a title is not laid out anew with every frame: keys are told apart by identity.


@lru_cache(maxsize=64)
def _membership_bar(colour: tuple[int, int, int]) -> Bar:
    return Bar(membership_table(colour), "0", "100 %")


@lru_cache(maxsize=1)
def _uncertainty_bar() -> Bar:
    return Bar(uncertainty_table(), "± 0", f"{UNCERTAINTY_RANGE:g}")


@lru_cache(maxsize=1)
def _unknown_bar() -> Bar:
    return Bar(unknown_table(), "known", "unknown")


@lru_cache(maxsize=8)
def _legend(topics: tuple[ShownTopic, ...]) -> Legend:
    return Legend(tuple((topic.name, topic.colour) for topic in topics))
