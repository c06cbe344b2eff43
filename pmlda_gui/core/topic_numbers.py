"""Topic numbers that stay with their topics when others come and go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmlda_gui.core.errors import PmldaError

__all__ = ["TopicNumbers"]


@dataclass(frozen=True)
class TopicNumbers:
    """The number of each topic in order, and the number of the next one that comes."""

    ids: tuple[int, ...]
    following: int

    @classmethod
    def first(cls, topics: int) -> TopicNumbers:
        """Those of a chain that begins."""
        return cls(tuple(range(topics)), topics)

    def with_more(self, count: int) -> TopicNumbers:
        """With so many new topics behind the others."""
        end = self.following + count
        return TopicNumbers((*self.ids, *range(self.following, end)), end)

    def without(self, topic: int) -> TopicNumbers:
        """Without the topic at this place."""
        return TopicNumbers(self.ids[:topic] + self.ids[topic + 1 :], self.following)

    def renumbered(self, ids: tuple[int, ...]) -> TopicNumbers:
        """The same topics with other numbers."""
        topics = len(self.ids)
        if len(ids) != topics or len(set(ids)) != topics or min(ids) < 0:
            raise PmldaError(f"{ids} cannot number {topics} topics: give each its own.")
        return TopicNumbers(ids, max(self.following, max(ids) + 1))

    def translate(self, ids: Sequence[int], other: TopicNumbers) -> list[int]:
        """The numbers under which the same topics go there; those of no topic here stay."""
        known = dict(zip(self.ids, other.ids, strict=True))
        return [known.get(int(number), int(number)) for number in ids]
