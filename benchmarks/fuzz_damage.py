"""Damage: to the bytes of any file, and to what a workspace says under checksums that are right."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["damaged", "reworded"]

# Numbers that break careless size arithmetic, little and big endian.
NASTY_SIZES = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
NASTY_NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-320, 1e-9, 1e9, -1e9, 1e306, -1e306)
NOT_FINITE = (float("nan"), float("inf"), float("-inf"))
NASTY_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 64, 10**4, 10**9, 2**31, 2**63, -(2**63), 10**30,
    *NASTY_NUMBERS, *NOT_FINITE,
    "", "a", "../..", "/dev/zero", "nan", "\0", "\n", "x" * 5000, "\ud800",
    [], {}, [[]], [None], {"a": 1}, [1, 2, 3], [[[[[[[[]]]]]]]],
)  # fmt: skip
TYPES = ("f4", "f8", "f2", "i1", "i4", "i8", "u1", "?", ">f8", "c16")

Array = NDArray[Any]


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """One to three kinds of damage, more often near the head, where sizes are."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        if not data:
            break
        reach = len(data) if rng.random() < 0.5 else min(len(data), 600)
        place = int(rng.integers(reach))
        match rng.integers(7):
            case 0:
                data[place] ^= 1 << int(rng.integers(8))
            case 1:
                data[place] = int(rng.integers(256))
            case 2:
                number = NASTY_SIZES[rng.integers(len(NASTY_SIZES))]
                order = "little" if rng.random() < 0.7 else "big"
                data[place : place + 4] = number.to_bytes(4, order)
            case 3:
                del data[place:]
            case 4:
                del data[place : place + int(rng.integers(1, 40))]
            case 5:
                data[place:place] = rng.bytes(int(rng.integers(1, 40)))
            case _:
                source = int(rng.integers(len(data)))
                data[place : place + 32] = data[source : source + 32]
    return bytes(data)


def reworded(content: bytes, rng: np.random.Generator) -> bytes:
    """A workspace in which one to three values or arrays are others, packed as it should be."""
    with zipfile.ZipFile(io.BytesIO(content)) as stored:
        members = {name: stored.read(name) for name in stored.namelist()}
    for _ in range(rng.integers(1, 4)):
        documents = [name for name in sorted(members) if name.endswith(".json")]
        # There are ten times as many arrays, but documents can go wrong in more ways.
        name = _one_of(documents if rng.random() < 0.5 else sorted(members), rng)
        match rng.integers(12):
            case 0 if name != "workspace.json":
                del members[name]
            case 1:
                members[_one_of(sorted(members), rng)] = members[name]
            case _ if name.endswith(".json"):
                members[name] = _other_document(members[name], rng)
            case _:
                members[name] = _other_array(members[name], rng)
    return _packed(members)


def _packed(members: dict[str, bytes]) -> bytes:
    """A zip whose list of contents fits."""
    try:
        manifest = json.loads(members["workspace.json"]) | {"members": list(members)}
        members = members | {"workspace.json": json.dumps(manifest).encode()}
    except (TypeError, ValueError):
        pass
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as stored:
        for name, data in members.items():
            stored.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _other_document(content: bytes, rng: np.random.Generator) -> bytes:
    """The document with another value somewhere, or without one."""
    try:
        document = json.loads(content)
    except ValueError:
        return damaged(content, rng)
    places = list(_places(document))
    if not places:
        return json.dumps(_one_of(NASTY_VALUES, rng)).encode()
    holder, key = places[rng.integers(len(places))]
    match rng.integers(8):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[f"{key}x"] = holder[key]
        case 1:
            holder.insert(key, holder[key])
        case 2 if isinstance(holder[key], int | float):
            holder[key] = holder[key] * _one_of((-1, 0.5, 2, 10, 1e6), rng)
        case _:
            holder[key] = _one_of(NASTY_VALUES, rng)
    return json.dumps(document).encode()


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a document, as what holds it and under which key."""
    if isinstance(value, dict):
        keys: list[Any] = list(value)
    elif isinstance(value, list):
        keys = list(range(len(value)))
    else:
        return []
    return [(value, key) for key in keys] + [place for key in keys for place in _places(value[key])]


def _other_array(content: bytes, rng: np.random.Generator) -> bytes:
    try:
        array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    except ValueError:
        return damaged(content, rng)
    changes: list[Callable[[Array, np.random.Generator], Array]] = [
        _with_nasty_values, _scaled, _shifted, _reshaped, _retyped,
    ]  # fmt: skip
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        changed = _one_of(changes, rng)(array.copy(), rng)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(changed), (1, 0), allow_pickle=False)
    return stream.getvalue()


def _with_nasty_values(array: Array, rng: np.random.Generator) -> Array:
    if array.size:
        count = array.size if rng.random() < 0.3 else int(rng.integers(1, 4))
        places = rng.integers(array.size, size=count)
        number = _one_of(NASTY_NUMBERS + NOT_FINITE, rng)
        array.reshape(-1)[places] = np.asarray(number).astype(array.dtype)
    return array


def _scaled(array: Array, rng: np.random.Generator) -> Array:
    factor = _one_of((-1.0, 0.0, 0.9, 1.01, 1.9, 1e3, 1e12, 1e300), rng)
    return (array.astype(np.float64) * factor).astype(array.dtype)


def _shifted(array: Array, rng: np.random.Generator) -> Array:
    by = _one_of((-1000.0, -1.0, -1e-4, 1e-4, 0.01, 1.0, 700.0), rng)
    return (array.astype(np.float64) + by).astype(array.dtype)


def _reshaped(array: Array, rng: np.random.Generator) -> Array:
    match rng.integers(5):
        case 0:
            return array[: len(array) // 2] if array.ndim else array.reshape(1)
        case 1:
            return array.reshape(-1)
        case 2:
            return array.T
        case 3:
            return array[None]
        case _:
            return np.concatenate([array, array]) if array.ndim else array


def _retyped(array: Array, rng: np.random.Generator) -> Array:
    return array.astype(_one_of(TYPES, rng))


def _one_of(choices: Any, rng: np.random.Generator) -> Any:
    return choices[int(rng.integers(len(choices)))]
