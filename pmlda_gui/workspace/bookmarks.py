"""Bookmarked results: a result and the settings that gave it, small enough to keep many.

Maps are kept in half precision, 11 bits, which no eye and no report tells from more.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.session import Bookmark, Session

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["KeptResult", "keep", "kept_result"]


@dataclass(frozen=True, eq=False)
class KeptResult:
    """A bookmark's result.

    `memberships` and `uncertainty` hold a float32 map (K, height, width) for each
    image, NaN where invalid; `uncertainty` is empty for estimates without.  `means`
    (K, p) are in the features' own units; `topic_ids` (K) tell whose rows they are.
    """

    memberships: tuple[NDArray[np.float32], ...]
    uncertainty: tuple[NDArray[np.float32], ...]
    means: NDArray[np.float64]
    topic_ids: tuple[int, ...]


def keep(name: str, session: Session, run: Run) -> tuple[Bookmark, dict[str, NDArray[Any]]]:
    """A bookmark of the run's present result, and its arrays by "key/name"."""
    key = uuid.uuid4().hex
    segmentations = run.segmentations(session.estimate)
    arrays: dict[str, NDArray[Any]] = {
        f"{key}/means": segmentations[0].means,
        f"{key}/topic_ids": np.array(run.topic_ids, np.int64),
    }
    for number, found in enumerate(segmentations):
        arrays[f"{key}/memberships_{number}"] = found.memberships.astype(np.float16)
        if found.uncertainty is not None:
            arrays[f"{key}/uncertainty_{number}"] = found.uncertainty.astype(np.float16)
    for array in arrays.values():
        array.setflags(write=False)
    settings = session.replace(parameters=run.parameters, bookmarks=())
    return Bookmark(name, run.sweeps, key, settings), arrays


def kept_result(bookmark: Bookmark, arrays: Mapping[str, NDArray[Any]]) -> KeptResult:
    """The result of a bookmark from the workspace's arrays."""

    def maps(kind: str) -> tuple[NDArray[np.float32], ...]:
        names = (f"{bookmark.key}/{kind}_{n}" for n in range(len(bookmark.session.images)))
        return tuple(arrays[name].astype(np.float32) for name in names if name in arrays)

    try:
        result = KeptResult(
            maps("memberships"),
            maps("uncertainty"),
            arrays[f"{bookmark.key}/means"].astype(np.float64),
            tuple(int(number) for number in arrays[f"{bookmark.key}/topic_ids"]),
        )
    except (KeyError, TypeError) as error:
        raise _damaged(bookmark) from error
    topics = len(result.topic_ids)
    if len(result.memberships) != len(bookmark.session.images) or any(
        each.ndim != 3 or len(each) != topics for each in result.memberships + result.uncertainty
    ):
        raise _damaged(bookmark)
    return result


def _damaged(bookmark: Bookmark) -> PmldaError:
    return PmldaError(
        f"The result of bookmark {bookmark.name!r} is missing or damaged: "
        "take up its settings and run it again."
    )
