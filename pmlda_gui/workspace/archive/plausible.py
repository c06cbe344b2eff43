"""Checks that a chain can have written the values in a file.

An archive whose every checksum is right may still hold means of 1e306, memberships
that sum to 2 or traces of different lengths.  A chain that is resumed from those
draws for ever, shows nonsense or can no longer be saved, so they are refused when
the file is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.checkpoint import Checkpoint, parameters_from_values
from pmlda_gui.core.parameters import SCALING_RANGE
from pmlda_gui.workspace.journal import MOST_TOPIC_IDS

__all__ = ["MOST_SWEEPS", "fault_in_chain", "fault_in_maps"]

MOST_SWEEPS = 2**40
_LARGEST_MEAN = 1e15
# Beyond this the samplers never find back, and what is saved then could not be read.
_LARGEST_SCALING = 1.001 * SCALING_RANGE[1]
# The samplers themselves go to logs of -4e11.
_LEAST_LOG = -1e15
_VARIANCES = (1e-300, 1e30)
_LONGEST_TRACE = 1 << 14
_LONGEST_TEXT = 2000
# Running means of single precision drift a little; half precision rounds more.
_ROUNDING = 1e-3
_DRIFT = 0.02
_PIECE = 1 << 18

# What is followed sweep by sweep, with its extents after the sweeps: K topics, p features,
# and any number of words.
_FOLLOWED: dict[str, tuple[str, ...]] = {
    "words": (),
    "variance": (),
    "scaling": (),
    "means": ("K", "p"),
    "proportions": ("K",),
    "memberships": ("n", "K"),
}
_LOG_JOINTS = ("trace.log_joint", "trace.logit_log_joint")
_COUNTS = ("sweep", "age", "position", "next_topic_id")
_LADDER_COUNTS = ("level", "sweeps_before", "tried")


def fault_in_chain(checkpoint: Checkpoint) -> str | None:
    """What in a checkpoint no chain can have written, as the end of a sentence, or None."""
    try:
        with np.errstate(all="ignore"):
            return next(_faults(checkpoint.values, checkpoint.arrays), None)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return f"its chain lacks a part or holds one of the wrong kind ({error!s:.60})"


def fault_in_maps(arrays: Mapping[str, NDArray[Any]]) -> str | None:
    """What no result can have left in the arrays of the bookmarks, or None."""
    with np.errstate(all="ignore"):
        return next(_faults_of_maps(arrays), None)


def _faults_of_maps(arrays: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    for name, array in arrays.items():
        kind = name.rpartition("/")[2].partition("_")[0]
        if kind in ("memberships", "uncertainty"):
            known = array[~np.isnan(array)] if array.dtype.kind == "f" else array
            if known.size and not (known.min() >= -_DRIFT and known.max() <= 1.0 + _DRIFT):
                yield f"{name!r} holds memberships outside 0 to 1"
        if kind == "memberships" and array.ndim == 3:
            sums = array.sum(axis=0, dtype=np.float32)
            if (np.abs(sums[~np.isnan(sums)] - 1.0) > _DRIFT).any():
                yield f"the memberships {name!r} do not sum to 1"
        if kind == "means" and not np.isfinite(array).all():
            yield f"{name!r} holds values that are not finite"


def _faults(values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    topics = parameters_from_values(values["parameters"]).topics
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            yield f"{name!r} in its chain holds no numbers"
        elif name not in _LOG_JOINTS and not np.isfinite(array).all():
            yield f"{name!r} in its chain is not finite"
        else:
            yield from _faults_of_array(name, array, topics)
    yield from _faults_of_values(values, topics)
    yield from _faults_of_trace(values, arrays, topics)


def _faults_of_array(name: str, array: NDArray[Any], topics: int) -> Iterator[str]:
    kind = name.rpartition(".")[2]
    if name.startswith("trace."):
        return
    # Of one sample or of several; the last axis is the topics.
    if kind == "proportions" and not _are_shares(array, axis=-1, drift=_ROUNDING):
        yield f"the proportions {name!r} in its chain do not sum to 1"
    if kind == "scaling" and not _within(array, 0.0, _LARGEST_SCALING):
        yield f"the scaling {name!r} in its chain is out of range"
    if kind == "variance" and not _within(array, *_VARIANCES):
        yield f"the variances {name!r} in its chain are out of range"
    if kind in ("means", "centre") and not _within(np.abs(array), 0.0, _LARGEST_MEAN):
        yield f"the means {name!r} in its chain are out of range"
    if kind in ("logs", "average", "spread") and array.shape[:1] != (topics,):
        yield f"{name!r} in its chain has not one row for each topic"
    elif kind == "logs" and not _within(array, _LEAST_LOG, _ROUNDING):
        yield f"the memberships {name!r} in its chain are out of range"
    elif kind == "logs" and not _columns_are_shares(array, np.exp, _ROUNDING):
        yield f"the memberships {name!r} in its chain do not sum to 1"
    elif kind == "average" and not _columns_are_shares(array, np.asarray, _DRIFT):
        yield f"the running mean {name!r} in its chain does not sum to 1"
    elif kind == "spread" and not _within(array, -_ROUNDING, 1.0):
        yield f"{name!r} in its chain is out of range"


def _faults_of_values(values: Mapping[str, Any], topics: int) -> Iterator[str]:
    ladder = values["ladder"]
    counts = [values[name] for name in _COUNTS] + [ladder[name] for name in _LADDER_COUNTS]
    counts += [*values["followed"], *values["joints"]]
    if not all(_is_count(count) for count in counts):
        yield "the counts of its chain are out of range"
    ids = values["topic_ids"]
    numbered = len(ids) == len(set(ids)) == topics and all(_is_count(each) for each in ids)
    if not numbered or max(ids) >= min(values["next_topic_id"], MOST_TOPIC_IDS):
        yield "the topics of its chain are not numbered one by one"
    for name, value in values.items():
        if name.endswith(".variance") and not _VARIANCES[0] <= _number(value) <= _VARIANCES[1]:
            yield f"{name!r} in its chain is out of range"
        if name.endswith(".value") and not math.isfinite(_number(value)):
            yield f"{name!r} in its chain is not finite"
    if any(not _number(quality) < math.inf for quality in ladder["qualities"]):
        yield "the qualities of its starts are not numbers"
    for sweep, text in values["marks"]:
        if not _is_count(abs(sweep)) or not isinstance(text, str) or len(text) > _LONGEST_TEXT:
            yield "a mark in its trace is damaged"


def _faults_of_trace(
    values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], topics: int
) -> Iterator[str]:
    done = values["sweep"] - bool(values["begun"])
    lengths = {arrays[name].shape for name in _LOG_JOINTS}
    if len(lengths) != 1 or any(len(shape) != 1 for shape in lengths):
        yield "its traces have different lengths"
    elif (done > 0) != bool(arrays[_LOG_JOINTS[0]].size):
        yield "its trace does not fit the number of its sweeps"
    if any(not (arrays[name] < np.inf).all() for name in _LOG_JOINTS):
        yield "its trace holds values that are not numbers"
    found = {name.removeprefix("trace."): a for name, a in arrays.items() if _is_followed(name)}
    if found and found.keys() != _FOLLOWED.keys():
        yield "its trace does not follow what a chain follows"
        return
    features = arrays["current.means"].shape[1]
    extents = {"K": topics, "p": features}
    sweeps = {len(array) for array in found.values() if array.ndim}
    if len(sweeps) > 1 or max(sweeps, default=0) > _LONGEST_TRACE:
        yield "its traces have different lengths"
    for name, array in found.items():
        wanted = tuple(extents.get(extent) for extent in _FOLLOWED[name])
        shape = array.shape[1:]
        if len(shape) != len(wanted) or any(
            extent is not None and extent != actual
            for extent, actual in zip(wanted, shape, strict=True)
        ):
            yield f"the trace of {name} has the shape {array.shape}"


def _is_followed(name: str) -> bool:
    return name.startswith("trace.") and name not in _LOG_JOINTS


def _columns_are_shares(
    array: NDArray[Any], become: Callable[[NDArray[Any]], NDArray[Any]], drift: float
) -> bool:
    """Whether what the columns become sums to 1; a few at a time, so that it costs no memory."""
    return all(
        _are_shares(become(array[:, first : first + _PIECE]), axis=0, drift=drift)
        for first in range(0, array.shape[1], _PIECE)
    )


def _are_shares(array: NDArray[Any], axis: int, drift: float) -> bool:
    sums = array.sum(axis=axis, dtype=np.float64)
    return bool(
        _within(array, -drift, 1.0 + drift) and (not sums.size or np.abs(sums - 1.0).max() <= drift)
    )


def _within(array: NDArray[Any], low: float, high: float) -> bool:
    return not array.size or bool(array.min() >= low and array.max() <= high)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_SWEEPS


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r:.40} is not a number")
    return float(value)
