"""One light that says where a run stands: still forming, usable, or done.

It speaks of the maps that are shown: how far the maps made from the earlier half of the
kept draws are from those of the later half.  That difference falls as one over the root of
the sweeps, which tells how long it will take, until the few kept draws are as good as
independent: from then on it stays, and the light says so instead of promising an end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pmlda_gui.core.settled_bounds import CHANGE_SETTLED, SIZE_SETTLED

# The window shows a light before the libraries of a chain are loaded.
if TYPE_CHECKING:
    from pmlda_gui.core.diagnostics import Diagnosis

__all__ = ["USABLE_CHANGE", "Colour", "Light", "in_words", "light_of"]

Colour = Literal["red", "amber", "green"]
USABLE_CHANGE = 0.05
"""Maps whose halves differ by no more than this can be used: their pattern will stay."""
_LONGEST = 3600.0
# Draws worth so many times what settles a chain are as good as independent.
_INDEPENDENT = 4.0
_WORDS = {"red": "still forming", "amber": "usable", "green": "done"}


@dataclass(frozen=True)
class Light:
    """A colour with a sentence for the operator; `seconds` to go, None where unknown.

    `final` says that more time is of no use.
    """

    colour: Colour
    text: str
    seconds: float | None = None
    final: bool = False

    @property
    def word(self) -> str:
        """The state in a word or two."""
        return _WORDS[self.colour]


def light_of(
    diagnosis: Diagnosis, sweeps: int = 0, sweeps_per_second: float | None = None
) -> Light:
    """The light of a run after so many sweeps under its settings, at this pace if it runs."""
    if diagnosis.maps_settled:
        return Light(
            "green",
            f"done: more time will not change the maps by more than {100 * CHANGE_SETTLED:.0f} %",
            0.0,
            final=True,
        )
    change = diagnosis.map_change
    seconds = _seconds_to_go(diagnosis, sweeps, sweeps_per_second)
    after = "" if seconds is None else f", about {in_words(seconds)} to go"
    if change is None or change > USABLE_CHANGE or not diagnosis.ess:
        return Light("red", "still forming", seconds)
    if diagnosis.ess.get("memberships", 0.0) >= _INDEPENDENT * SIZE_SETTLED:
        stays = math.ceil(200.0 * change)
        return Light(
            "amber",
            f"usable: the maps go on changing by up to {stays} %, more time is no help",
            final=True,
        )
    return Light("amber", f"usable{after}", seconds)


def _seconds_to_go(
    diagnosis: Diagnosis, sweeps: int, sweeps_per_second: float | None
) -> float | None:
    """How long until the maps are done, from how their change and effective draws grow."""
    change = diagnosis.map_change
    if change is None or not sweeps or not sweeps_per_second:
        return None
    longer = [(change / CHANGE_SETTLED) ** 2]
    if diagnosis.ess.get("memberships", 0.0) > 0.0:
        longer.append(SIZE_SETTLED / diagnosis.ess["memberships"])
    # A chain that has not settled by any of these needs at least a look more.
    seconds = sweeps * max(max(longer) - 1.0, 0.1) / sweeps_per_second
    return min(seconds, _LONGEST)


def in_words(seconds: float) -> str:
    """A duration as an operator says it: 3 s, 40 s, 2 min."""
    if seconds < 10.0:
        return f"{max(1, math.ceil(seconds))} s"
    if seconds < 95.0:
        return f"{5 * math.ceil(seconds / 5)} s"
    return f"{math.ceil(seconds / 60)} min"
