"""What the operator wants painted, and which topics that shows: values without Qt or arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pmlda_gui.workspace.session import TopicLook

__all__ = ["Look", "ShownTopic", "arrange", "default_topic"]

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Look:
    """What a frame shows: which estimate, of which image, with which topics' looks.

    `scatter` are the numbers of the two features of the scatter, None leaves it out;
    `topics` stand in the order of display.  `visible` are the first and last rows and
    columns of pixels on the screen (ends excluded), None for all; `pixels_per_screen_pixel`
    says how far the picture is zoomed out.
    """

    estimate: str = "mean"
    image: int = 0
    topics: tuple[TopicLook, ...] = ()
    scatter: tuple[int, int] | None = (0, 1)
    visible: tuple[int, int, int, int] | None = None
    pixels_per_screen_pixel: float = 1.0

    @property
    def visible_step(self) -> int:
        """The coarsest step, a power of two, that shows all the screen can show."""
        return 2 ** min(max(int(math.log2(max(self.pixels_per_screen_pixel, 1.0))), 0), 6)


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
    from pmlda_gui.imagery.colours import topic_colours

    red, green, blue = (int(part) for part in topic_colours(identity + 1)[identity])
    return TopicLook(identity, f"topic {identity + 1}", (red, green, blue))


def arrange(identities: Sequence[int], looks: Sequence[TopicLook]) -> tuple[ShownTopic, ...]:
    """The topics to show, in order of display; `identities` are those of the chain, by row.

    A topic without a look gets the default one and stands last.  One that is merged
    into another is added to it, as long as the other is there.
    """
    rows = {identity: row for row, identity in enumerate(identities)}
    known = {look.id: look for look in looks}
    ordered = [look for look in looks if look.id in rows]
    ordered += [default_topic(identity) for identity in identities if identity not in known]
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
