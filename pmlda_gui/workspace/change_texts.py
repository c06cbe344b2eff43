"""The changes in a journal as sentences for a report."""

from __future__ import annotations

from dataclasses import dataclass

from pmlda_gui.workspace.journal import Journal
from pmlda_gui.workspace.serialization import to_values

__all__ = ["Change", "changes_of"]

# Nothing given means that the chain finds out.
_LEARNED = ("scaling", "proportions")


@dataclass(frozen=True)
class Change:
    """What changed, from sweep number `from_sweep` on."""

    from_sweep: int
    what: str


def changes_of(journal: Journal) -> tuple[Change, ...]:
    """Every change that a sweep has seen, earliest first."""
    if journal.start is None:
        return ()
    parameters, preparation = journal.start.parameters, journal.start.preparation
    found = []
    for entry in journal.before(journal.sweeps).entries:
        texts: list[str] = []
        if entry.parameters is not None:
            texts = _differences(parameters, entry.parameters)
            parameters = entry.parameters
        if entry.preparation is not None:
            texts = _differences(preparation.features, entry.preparation.features, "features: ")
            texts += _differences(preparation.documents, entry.preparation.documents, "documents: ")
            texts = texts or ["documents: another label map"]
            preparation = entry.preparation
        if entry.hints is not None:
            texts = [f"{len(entry.hints)} hints" if entry.hints else "hints taken back"]
        if texts:
            found.append(Change(entry.sweep + 1, ", ".join(texts)))
    return tuple(found)


def _differences(old: object, new: object, before: str = "") -> list[str]:
    earlier, later = to_values(old), to_values(new)
    return [
        f"{before}{name.replace('_', ' ')} {_in_words(name, value)}"
        for name, value in later.items()
        if value != earlier[name]
    ]


def _in_words(name: str, value: object) -> str:
    if value is None:
        return "as usual" if name not in _LEARNED else "learned"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return " ".join(_in_words(name, each) for each in value)
    return str(value)
