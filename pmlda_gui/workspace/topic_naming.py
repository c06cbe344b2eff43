"""Gives names that come with hints to topics that have none of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.hints import PaintedHint
from pmlda_gui.workspace.session import TopicLook
from pmlda_gui.workspace.shown_topics import default_topic

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["topics_for_names"]


def topics_for_names(
    names: Sequence[str], looks: Sequence[TopicLook], hints: Sequence[PaintedHint], run: Run
) -> tuple[TopicLook, ...]:
    """The looks of topics with these names: first those that go by them, then others.

    `names` begin with those of the `looks`; what else there is goes to topics that nobody has
    named, to each where it was painted.  Hints are numbered by their names' places.
    """
    fresh = list(names[len(looks) :])
    unnamed = [look for look in looks if look.name == default_topic(look.id).name]
    # A topic that the file calls by its usual name is taken.
    used = {hint.topic for hint in hints}
    unnamed = [look for look in unnamed if list(looks).index(look) not in used]
    if len(fresh) > len(unnamed):
        missing = ", ".join(fresh)
        raise PmldaError(
            f"The hints name {missing}, but only {len(unnamed)} topics have no name yet: have more "
            "topics, or rename some as in the file."
        )
    if not fresh:
        return tuple(looks)
    from scipy.optimize import linear_sum_assignment

    hinted, shares = run.painted_shares([hint for hint in hints if hint.topic >= len(looks)])
    table = np.zeros((len(fresh), len(unnamed)))
    for place in range(len(fresh)):
        if place + len(looks) in hinted:
            row = shares[hinted.index(place + len(looks))]
            table[place] = [row[run.topic_ids.index(look.id)] for look in unnamed]
    rows, columns = linear_sum_assignment(-table)
    given = {fresh[row]: unnamed[column] for row, column in zip(rows, columns, strict=True)}
    return (*looks, *(replace(given[name], name=name) for name in fresh))
