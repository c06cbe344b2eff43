"""When the topics of a run are looked at again, to give them the numbers of those they are."""

from __future__ import annotations

from collections.abc import Callable

from pmlda_gui.workspace.topic_matching import Sightings, TopicSighting, recognise

__all__ = ["Numbering"]

# When topics came or went the others move for a while, and the last to arrive may be one that
# was there before: so many sweeps later it is looked again which is which.
_LOOKS = (1, 4, 12, 24, 48, 96)


class Numbering:
    """What is known of former topics.

    While it is not `active`, numbers come from elsewhere, as from a journal that is repeated.
    """

    def __init__(self, sightings: Sightings | None = None) -> None:
        self.sightings = Sightings() if sightings is None else sightings
        self.active = True
        self._since: int | None = None

    def begin(self, former: Sightings, present: TopicSighting) -> tuple[int, ...]:
        """The numbers for a run that follows others."""
        self.sightings, self._since = former.copy(), 0
        return recognise(present, former)

    def topics_change(self, sweep: int, look: Callable[[], TopicSighting]) -> None:
        """Before topics come or go, after so many sweeps: remember where they lie.

        Topics that still look for their place tell less than what is known already.
        """
        if not self.active:
            return
        seen = look()
        if self._since is None or len(seen.ids) not in self.sightings.by_topics:
            self.sightings.note(seen)
        self._since = sweep

    def is_due(self, sweep: int) -> bool:
        """Whether topics are to be looked at after so many sweeps."""
        if self._since is None or not self.active:
            return False
        age = sweep - self._since
        if age >= _LOOKS[-1]:
            self._since = None
        return age in _LOOKS

    def look_again(self, present: TopicSighting) -> tuple[int, ...]:
        """The numbers of topics that rather keep those they have."""
        return recognise(present, self.sightings, present.ids)
