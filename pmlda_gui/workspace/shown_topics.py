"""The topics as shown: order, names and merging, for the window and for files.

What is merged on the screen is merged in everything that is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.session import Colour, TopicLook

__all__ = ["ShownTopic", "arrange", "default_topic", "given_looks", "looks_of", "merged"]


@dataclass(frozen=True)
class ShownTopic:
    """A topic as it is displayed; `members` are the rows of memberships it adds up."""

    identity: int
    name: str
    colour: Colour
    members: tuple[int, ...]


def default_topic(identity: int) -> TopicLook:
    """How a topic looks before anybody has named or coloured it."""
    # The exporters' package is heavy, and nobody needs a colour before the window is there.
    from pmlda_gui.imagery.topic_palette import topic_colours

    red, green, blue = (int(part) for part in topic_colours(identity + 1)[identity])
    return TopicLook(identity, f"topic {identity + 1}", (red, green, blue))


def given_looks(looks: Sequence[TopicLook]) -> dict[int, TopicLook]:
    """The looks that an operator gave, by number; the others are as any topic's at first."""
    return {look.id: look for look in looks if look != default_topic(look.id)}


def looks_of(identities: Sequence[int], looks: Sequence[TopicLook]) -> tuple[TopicLook, ...]:
    """The looks of these topics in order of display; one without a look stands last."""
    known = {look.id for look in looks}
    there = tuple(look for look in looks if look.id in identities)
    return there + tuple(default_topic(each) for each in identities if each not in known)


def arrange(identities: Sequence[int], looks: Sequence[TopicLook]) -> tuple[ShownTopic, ...]:
    """The topics to show, in order of display; `identities` are those of the chain, by row.

    A topic without a look gets the default one and stands last.  One that is merged
    into another is added to it, as long as the other is there.
    """
    rows = {identity: row for row, identity in enumerate(identities)}
    known = {look.id: look for look in looks}
    ordered = looks_of(identities, looks)
    members: dict[int, list[int]] = {}
    for look in ordered:
        members.setdefault(_shown_as(look, known, rows), []).append(rows[look.id])
    return tuple(
        ShownTopic(look.id, look.name, look.colour, tuple(members[look.id]))
        for look in ordered
        if look.id in members
    )


def _shown_as(look: TopicLook, known: dict[int, TopicLook], rows: dict[int, int]) -> int:
    """The topic a look ends up in; a merger that leads in a circle or nowhere is none."""
    seen = {look.id}
    current = look
    while current.merged_into is not None:
        target = known.get(current.merged_into)
        if target is None or target.id not in rows or target.id in seen:
            break
        seen.add(target.id)
        current = target
    return current.id


def merged(segmentation: Segmentation, topics: Sequence[ShownTopic]) -> Segmentation:
    """The topics added up and ordered as shown; of merged topics the means are averaged.

    The deviation of a sum of memberships is not known; the largest of its parts stands for it.
    """
    members = [list(topic.members) for topic in topics]
    uncertainty, proportions = segmentation.uncertainty, segmentation.proportions
    return replace(
        segmentation,
        memberships=np.stack([segmentation.memberships[each].sum(axis=0) for each in members]),
        uncertainty=None
        if uncertainty is None
        else np.stack([uncertainty[each].max(axis=0) for each in members]),
        means=np.stack([segmentation.means[each].mean(axis=0) for each in members]),
        proportions=None
        if proportions is None
        else np.stack([proportions[:, each].sum(axis=1) for each in members], axis=1),
    )
