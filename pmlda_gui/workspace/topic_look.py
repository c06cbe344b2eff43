"""How a topic is shown: its name, its colour, and what others call it."""

from __future__ import annotations

from dataclasses import dataclass

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.vocabulary import NO_CODES, TopicCodes

__all__ = ["LONGEST_NAME", "Colour", "TopicLook", "check_colour", "check_name"]

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""
LONGEST_NAME = 200
"""How many characters a name may have."""


def check_colour(colour: Colour, what: str) -> None:
    """Refuse what is no colour."""
    if len(colour) != 3 or not all(isinstance(part, int) and 0 <= part <= 255 for part in colour):
        raise PmldaError(f"The colour of {what} is {colour}, but must be three numbers 0 to 255.")


def check_name(name: str, what: str) -> None:
    """Refuse what is no name."""
    if not name.strip() or len(name) > LONGEST_NAME:
        raise PmldaError(f"The name of {what} must have 1 to {LONGEST_NAME} characters.")


@dataclass(frozen=True)
class TopicLook:
    """A topic's name and colour; `merged_into` is the id of the topic it is shown as.

    `codes` are what it is called in vocabularies of others.
    """

    id: int
    name: str
    colour: Colour
    merged_into: int | None = None
    codes: TopicCodes = NO_CODES

    def __post_init__(self) -> None:
        if self.id < 0:
            raise PmldaError(f"A topic has the number {self.id}, but numbers begin at 0.")
        check_name(self.name, f"topic {self.id + 1}")
        check_colour(self.colour, f"topic {self.name!r}")
        if self.merged_into == self.id:
            raise PmldaError(f"Topic {self.name!r} is merged into itself: choose another topic.")
