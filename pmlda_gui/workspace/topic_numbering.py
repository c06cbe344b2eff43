"""Decides when to match the topics of a run again with earlier ones, and numbers them."""

from __future__ import annotations

from collections.abc import Callable

from pmlda_gui.workspace.topic_matching import FormerTopics, TopicRecord, recognise

__all__ = ["TopicNumbering"]

# When topics came or went the others move for a while, and the last to arrive may be one that
# was there before: so many sweeps later it is looked again which is which.
_LOOKS = (1, 4, 12, 24, 48, 96)
# So many sweeps after a change topics lie about where they will stay.
_SETTLED = 24
# Topics that somebody named are looked at for ever, because a chain may wander.
_INTERVAL = 200


class TopicNumbering:
    """Numbers the topics of a run after the former topics they match.

    While it is not `active`, numbers come from elsewhere, as from a journal that is repeated.
    The former topics are shared by all runs of a workspace.
    """

    def __init__(self, former_topics: FormerTopics | None = None) -> None:
        self.former_topics = FormerTopics() if former_topics is None else former_topics
        self.active = True
        self._since: int | None = None
        # The numbers before the last change, so that those the chain made up are known.
        self._before: tuple[int, ...] = ()
        self._looked = False

    def begin(self, former: FormerTopics, present: TopicRecord) -> tuple[int, ...]:
        """The numbers for a run that follows others."""
        self.former_topics, self._since, self._looked = former, 0, True
        return self._noted(recognise(present, former, settled=False))

    def note(self, look: Callable[[], TopicRecord]) -> None:
        """Remember where topics lie.

        Topics that still look for their place tell less than what is known already.
        """
        if self.active:
            self.former_topics.note(look(), self._since is None)

    def topics_change(self, sweep: int, look: Callable[[], TopicRecord]) -> None:
        """Before topics or words become others, after so many sweeps: remember where they lie."""
        if self.active:
            seen = look()
            self.note(lambda: seen)
            self._since, self._before, self._looked = sweep, seen.ids, False

    def is_due(self, sweep: int, ids: tuple[int, ...]) -> bool:
        """Whether topics with these numbers are to be looked at after so many sweeps."""
        if not self.active:
            return False
        if self._since is None:
            former = self.former_topics
            return former.lacks(ids) or bool(former.given and sweep % _INTERVAL == 0)
        return sweep - self._since in _LOOKS

    def look_again(self, sweep: int, present: TopicRecord) -> tuple[int, ...]:
        """The numbers of topics that rather keep those they have."""
        age = _LOOKS[-1] if self._since is None else sweep - self._since
        if age >= _SETTLED and self.former_topics.lacks(present.ids):
            self.former_topics.note(present, settled=False)
        fresh = () if self._looked else tuple(set(present.ids) - set(self._before))
        self._looked = True
        if age >= _LOOKS[-1]:
            self._since = None
        return self._noted(
            recognise(
                present, self.former_topics, present.ids, fresh=fresh, settled=age >= _SETTLED
            )
        )

    def _noted(self, ids: tuple[int, ...]) -> tuple[int, ...]:
        """These numbers, which no other topic is to get."""
        self.former_topics.next_id = max(self.former_topics.next_id, *(n + 1 for n in ids))
        return ids
