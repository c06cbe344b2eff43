"""The journal: every change of what is sampled, with the sweep at which it took effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pmlda_gui.core.checkpoint import parameters_from_values, parameters_to_values
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice

__all__ = ["Entry", "Journal", "feature_choice_from_values"]


@dataclass(frozen=True)
class Entry:
    """After `sweep` sweeps: new `parameters`, or new `features` and `documents`."""

    sweep: int
    parameters: Parameters | None = None
    features: FeatureChoice | None = None
    documents: DocumentChoice | None = None


class Journal:
    """The entries in order; what is replaced before any sweep saw it leaves no trace."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        self._entries = list(entries)

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries)

    def record_parameters(self, sweep: int, parameters: Parameters) -> None:
        """New parameters from the next sweep on."""
        last = self._entries[-1] if self._entries else None
        if last is not None and last.sweep == sweep and last.parameters is not None:
            self._entries.pop()
        self._entries.append(Entry(sweep, parameters=parameters))

    def record_preparation(
        self, sweep: int, features: FeatureChoice, documents: DocumentChoice
    ) -> None:
        """New features or documents from the next sweep on."""
        self._entries.append(Entry(sweep, features=features, documents=documents))

    def to_values(self) -> list[dict[str, Any]]:
        """The journal as JSON can hold it."""
        values = []
        for entry in self._entries:
            row: dict[str, Any] = {"sweep": entry.sweep}
            if entry.parameters is not None:
                row["parameters"] = parameters_to_values(entry.parameters)
            if entry.features is not None:
                row["features"] = asdict(entry.features)
            if entry.documents is not None:
                row["documents"] = asdict(entry.documents)
            values.append(row)
        return values

    @classmethod
    def from_values(cls, values: Sequence[Mapping[str, Any]]) -> Journal:
        """The journal `to_values` gave, checked again."""
        try:
            return cls([_entry(row) for row in values])
        except (KeyError, TypeError, ValueError) as error:
            raise PmldaError(f"The journal cannot be read ({error}): it is damaged.") from error


def _entry(row: Mapping[str, Any]) -> Entry:
    return Entry(
        sweep=int(row["sweep"]),
        parameters=parameters_from_values(row["parameters"]) if "parameters" in row else None,
        features=feature_choice_from_values(row["features"]) if "features" in row else None,
        documents=DocumentChoice(**row["documents"]) if "documents" in row else None,
    )


def feature_choice_from_values(values: Mapping[str, Any]) -> FeatureChoice:
    """A feature choice from JSON, where tuples have become lists."""
    names = values["names"]
    return FeatureChoice(
        names=names if isinstance(names, str) else tuple(names), window=int(values["window"])
    )
