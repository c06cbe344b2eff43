"""Bookmarks: a result with its settings and its run, small enough to keep many.

Maps are kept in half precision, 11 bits, which no eye and no report tells from more.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.checkpoint import Checkpoint
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.archive.bounded_json import JsonBudget
from pmlda_gui.workspace.archive.format import MOST_JSON_BYTES
from pmlda_gui.workspace.hashing import array_digest
from pmlda_gui.workspace.journal import Journal
from pmlda_gui.workspace.session import Bookmark, Session
from pmlda_gui.workspace.undo_states import RunState, state_of

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["KeptResult", "keep", "kept_result", "kept_state", "state_in"]

_RUN, _CHAIN, _LABELS = "run", "chain.", "labels."
# Runs on all pixels of large images are kept without their chain.
_MOST_STATE_BYTES = 128 * 2**20


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
    """A bookmark of the run's present result and state, and its arrays by "key/name".

    Of a run whose state takes more than 128 MB only settings and maps are kept.
    """
    key = uuid.uuid4().hex
    run.finish_sweep()
    segmentations = run.segmentations(session.estimate)
    arrays: dict[str, NDArray[Any]] = {
        f"{key}/means": segmentations[0].means,
        f"{key}/topic_ids": np.array(run.topic_ids, np.int64),
    }
    for number, found in enumerate(segmentations):
        arrays[f"{key}/memberships_{number}"] = found.memberships.astype(np.float16)
        if found.uncertainty is not None:
            arrays[f"{key}/uncertainty_{number}"] = found.uncertainty.astype(np.float16)
    state = state_of(run)
    if state.nbytes <= _MOST_STATE_BYTES:
        arrays |= {f"{key}/{name}": array for name, array in _written(state).items()}
    for array in arrays.values():
        array.setflags(write=False)
    # What still waits for its first sweep is not in this result.
    settings = run.as_sampled(session).replace(
        images=session.images if run.entries is None else run.entries,
        bookmarks=(),
        given=run.prepared.given,
    )
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


def _written(state: RunState) -> dict[str, NDArray[Any]]:
    """A state as arrays by name; what is no array becomes the bytes of a JSON document."""
    journal = state.journal
    values = {"checkpoint": state.checkpoint.values, "journal": journal.to_values()}
    arrays: dict[str, NDArray[Any]] = {
        _RUN: np.frombuffer(json.dumps(values).encode(), np.uint8).copy()
    }
    arrays |= {_CHAIN + name: array for name, array in state.checkpoint.arrays.items()}
    used = sorted(journal.digests & journal.label_maps.keys())
    return arrays | {_LABELS + digest: journal.label_maps[digest].copy() for digest in used}


def kept_state(bookmark: Bookmark, arrays: Mapping[str, NDArray[Any]]) -> RunState | None:
    """The run of a bookmark as it was, None if the file that it is from has not got it."""
    return state_in(bookmark.key, arrays)


def state_in(
    key: str, arrays: Mapping[str, NDArray[Any]], budget: JsonBudget | None = None
) -> RunState | None:
    """The state kept under a key, None if there is none; refused if it cannot be read."""
    own = {
        name.partition("/")[2]: array
        for name, array in arrays.items()
        if name.partition("/")[0] == key
    }
    if _RUN not in own:
        return None
    if own[_RUN].dtype != np.uint8 or own[_RUN].ndim != 1 or own[_RUN].size > MOST_JSON_BYTES:
        raise PmldaError("The run of a bookmark is damaged: open the version before.")
    try:
        values = (budget or JsonBudget()).parse(own[_RUN].tobytes())
        checkpoint = Checkpoint(_under(_CHAIN, own), dict(values["checkpoint"]))
        labels = _under(_LABELS, own)
        if any(array_digest(each) != digest for digest, each in labels.items()):
            raise ValueError("a label map is not the one that was used")
        journal = Journal.from_values(values["journal"], labels)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, PmldaError):
            raise
        raise PmldaError("The run of a bookmark is damaged: open the version before.") from error
    return RunState(checkpoint, journal)


def _under(beginning: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(beginning): array
        for name, array in arrays.items()
        if name.startswith(beginning)
    }


def _damaged(bookmark: Bookmark) -> PmldaError:
    return PmldaError(
        f"The result of bookmark {bookmark.name!r} is missing or damaged: "
        "take up its settings and run it again."
    )
