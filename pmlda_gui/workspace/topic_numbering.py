"""Decides when to match the topics of a run again with earlier ones, and numbers them."""

from __future__ import annotations

from collections.abc import Callable

from pmlda_gui.workspace.topic_matching import FormerTopics, TopicRecord, recognise

__all__ = ["TopicNumbering"]

# When topics came or went the others move for a while, and the last to arrive may be one that
# was there before: so many sweeps later it is looked again which is which.
_LOOKS = (1, 4, 12, 24, 48, 96)


class TopicNumbering:
    """Numbers the topics of a run after the former topics they match.

    While it is not `active`, numbers come from elsewhere, as from a journal that is repeated.
    """

    def __init__(self, former_topics: FormerTopics | None = None) -> None:
        self.former_topics = FormerTopics() if former_topics is None else former_topics
        self.active = True
        self._since: int | None = None

    def begin(self, former: FormerTopics, present: TopicRecord) -> tuple[int, ...]:
        """The numbers for a run that follows others."""
        self.former_topics, self._since = former.copy(), 0
        return recognise(present, former)

    def topics_change(self, sweep: int, look: Callable[[], TopicRecord]) -> None:
        """Before topics come or go, after so many sweeps: remember where they lie.

        Topics that still look for their place tell less than what is known already.
        """
        if not self.active:
            return
        seen = look()
        if self._since is None or len(seen.ids) not in self.former_topics.by_topics:
            self.former_topics.note(seen)
        self._since = sweep

    def is_due(self, sweep: int) -> bool:
        """Whether topics are to be looked at after so many sweeps."""
        if self._since is None or not self.active:
            return False
        age = sweep - self._since
        if age >= _LOOKS[-1]:
            self._since = None
        return age in _LOOKS

    def look_again(self, present: TopicRecord) -> tuple[int, ...]:
        """The numbers of topics that rather keep those they have."""
        return recognise(present, self.former_topics, present.ids)
