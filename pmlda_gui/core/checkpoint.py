"""A saved chain: plain arrays and values, from which it continues bit for bit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters

__all__ = [
    "Checkpoint",
    "Draft",
    "checkpoint_parameters",
    "damaged_if_unreadable",
    "parameters_from_values",
    "parameters_to_values",
]


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """`arrays` are numeric, `values` hold only what JSON can: both can be stored anywhere."""

    arrays: dict[str, NDArray[Any]]
    values: dict[str, Any]

    def array(self, name: str, shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
        """A fresh copy of one array, refused unless it has the shape the chain needs."""
        if name not in self.arrays:
            raise PmldaError(f"The checkpoint lacks {name!r}: it is damaged or of another version.")
        found = self.arrays[name]
        if found.shape != shape or not np.isfinite(found).all():
            raise PmldaError(
                f"{name!r} in the checkpoint has shape {found.shape} or is not finite, but this "
                f"corpus needs {shape}: it belongs to another corpus or is damaged."
            )
        return np.array(found, dtype=dtype)


class Draft:
    """A checkpoint being written: each part of the chain adds its own arrays and values."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self.values: dict[str, Any] = {}

    def finished(self) -> Checkpoint:
        return Checkpoint(self.arrays, self.values)


@contextmanager
def damaged_if_unreadable() -> Iterator[None]:
    """Turn what goes wrong with values of another kind than expected into a sentence."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        if isinstance(error, PmldaError):
            raise
        raise PmldaError(f"The checkpoint is damaged or of another version ({error}).") from error


def parameters_to_values(parameters: Parameters) -> dict[str, Any]:
    """Parameters as JSON can hold them."""
    values = asdict(parameters)
    if not parameters.held:
        # As it was before topics could be held.
        del values["held"]
    return values


def parameters_from_values(values: Mapping[str, Any]) -> Parameters:
    """Parameters from what `parameters_to_values` gave, checked again."""
    known = dict(values)
    for name in ("alpha", "proportions", "held"):
        if isinstance(known.get(name), list):
            known[name] = tuple(known[name])
    try:
        return Parameters(**known)
    except TypeError:
        raise PmldaError(f"These are not parameters of the model: {sorted(known)}.") from None


def checkpoint_parameters(checkpoint: Checkpoint) -> Parameters:
    """The parameters a checkpoint was taken under."""
    with damaged_if_unreadable():
        return parameters_from_values(checkpoint.values["parameters"])
