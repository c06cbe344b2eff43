"""Converts frozen dataclasses to JSON values and back, checking every type.

What comes back may be damaged or written by a stranger, so nothing is taken over
that does not have the type its field declares; the complaint names the place.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from pmlda_gui.core.errors import PmldaError

__all__ = ["from_values", "to_values"]

Made = TypeVar("Made")
_PLAIN = (str, int, float, bool, type(None))


def to_values(thing: Any) -> Any:
    """A dataclass of dataclasses, tuples, mappings, paths and plain values, as JSON holds it."""
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return {
            field.name: to_values(getattr(thing, field.name)) for field in dataclasses.fields(thing)
        }
    if isinstance(thing, PurePath):
        return thing.as_posix()
    if isinstance(thing, Mapping):
        return {str(key): to_values(value) for key, value in thing.items()}
    if isinstance(thing, tuple | list):
        return [to_values(value) for value in thing]
    if isinstance(thing, _PLAIN):
        return thing
    raise PmldaError(f"A {type(thing).__name__} cannot be stored: only plain values can.")


def from_values(kind: type[Made], values: Any, name: str) -> Made:
    """The `kind` that gave these values; `name` says in complaints what they describe."""
    try:
        made: Made = _made(kind, values, name)
    except RecursionError:
        raise PmldaError(f"{name} is nested too deeply: the file is damaged.") from None
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, PmldaError):
            raise
        raise PmldaError(f"{name} cannot be used ({error}): the file is damaged.") from error
    return made


def _made(kind: Any, values: Any, name: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, values, name)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(kind), values, name)
    if origin is Literal:
        if values in get_args(kind):
            return values
        raise _wrong(name, values, f"one of {', '.join(map(str, get_args(kind)))}")
    if origin is tuple:
        return _tuple(get_args(kind), values, name)
    if origin is not None and issubclass(origin, Mapping):
        if isinstance(values, dict):
            return values
        raise _wrong(name, values, "a table")
    return _plain(kind, values, name)


def _dataclass(kind: Any, values: Any, name: str) -> Any:
    if not isinstance(values, dict):
        raise _wrong(name, values, "a table")
    hints = get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    unknown = sorted(set(values) - set(fields))
    if unknown:
        raise PmldaError(f"{name} has an unknown entry {unknown[0][:40]!r}: the file is damaged.")
    for field in fields.values():
        needed = (
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        )
        if needed and field.name not in values:
            raise PmldaError(f"{name} lacks {field.name!r}: the file is damaged.")
    return kind(
        **{key: _made(hints[key], value, f"{name}, {key}") for key, value in values.items()}
    )


def _one_of(kinds: tuple[Any, ...], values: Any, name: str) -> Any:
    """The first of several types that fits; a None or a list picks its own without trying."""
    if values is None and type(None) in kinds:
        return None
    others = [kind for kind in kinds if kind is not type(None)]
    shaped = [kind for kind in others if (get_origin(kind) is tuple) == isinstance(values, list)]
    for kind in shaped[:-1]:
        try:
            return _made(kind, values, name)
        except PmldaError:
            continue
    return _made((shaped or others)[-1], values, name)


def _tuple(kinds: tuple[Any, ...], values: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(values, list):
        raise _wrong(name, values, "a list")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(values)
    if len(kinds) != len(values):
        raise _wrong(name, values, f"a list of {len(kinds)}")
    return tuple(
        _made(kind, value, f"{name} {number}")
        for number, (kind, value) in enumerate(zip(kinds, values, strict=True), 1)
    )


def _plain(kind: Any, values: Any, name: str) -> Any:
    if kind is Path:
        if isinstance(values, str) and values and "\0" not in values:
            return Path(values)
        raise _wrong(name, values, "a path")
    if kind is bool and isinstance(values, bool):
        return values
    if kind is str and isinstance(values, str):
        return values
    if isinstance(values, int | float) and not isinstance(values, bool):
        if kind is int and isinstance(values, int):
            return values
        if kind is float and math.isfinite(values):
            return float(values)
    words = {bool: "true or false", str: "text", int: "a whole number", float: "a finite number"}
    raise _wrong(name, values, words[kind])


def _wrong(name: str, values: Any, wanted: str) -> PmldaError:
    return PmldaError(f"{name} is {values!r:.60}, but must be {wanted}: the file is damaged.")
