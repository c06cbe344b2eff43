"""Parses JSON within limits of size, depth and number of values.

Three bytes of text can become a hundred in memory, and a few kilobytes of packed
brackets a gigabyte.  So values and nesting are counted in the text first, at the
cost of the text alone.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["DEEPEST", "MOST_VALUES", "JsonBudget", "OverBudgetError"]

# A thousand images in each of twenty bookmarks are about 200,000 values.
MOST_VALUES = 1_000_000
DEEPEST = 40
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


class OverBudgetError(ValueError):
    """A document holds more than a workspace can need; the message ends a sentence."""


class JsonBudget:
    """How many values the documents of one file may still hold, all together."""

    def __init__(self, values: int = MOST_VALUES) -> None:
        self._left = values

    def parse(self, content: bytes) -> Any:
        """The values of a UTF-8 document."""
        outside = _outside_strings(content, self._left)
        brackets = outside.translate(None, _NOT_BRACKETS)
        self._left -= outside.count(b",") + len(brackets)
        if self._left < 0:
            raise OverBudgetError("holds more values than a workspace can need")
        _require_shallow(brackets)
        return json.loads(content.decode("utf-8"), parse_constant=_constant)


def _outside_strings(content: bytes, most: int) -> bytes:
    """The text between the strings of a document, of which there are at most two a value."""
    unescaped = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    if unescaped.count(b'"') > 4 * most + 8:
        raise OverBudgetError("holds more texts than a workspace can need")
    return b"".join(unescaped.split(b'"')[::2])


def _require_shallow(brackets: bytes) -> None:
    depth = 0
    for bracket in brackets:
        depth += 1 if bracket in b"[{" else -1
        if depth > DEEPEST:
            raise OverBudgetError(f"is nested more than {DEEPEST} deep")


def _constant(name: str) -> float:
    """What is no number is refused, but for the log of nothing, which the program writes."""
    if name == "-Infinity":
        return float("-inf")
    raise OverBudgetError(f"holds {name}, which is not a number")
