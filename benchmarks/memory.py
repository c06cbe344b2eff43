"""The memory of the window in an hour of storm: does it level off?

States kept for undo have a budget of their own (256 MB) and are told apart.
"""

from __future__ import annotations

from benchmarks.storm import MEMORY_TABLE, driven, memory_rows
from benchmarks.tables import show

__all__ = ["run"]

SECONDS = 3600.0
# What the last third may add to the memory after the second.
MOST_GROWTH = 0.03


def run(quick: bool) -> None:
    """Print the memory of each minute; exit code 1 if it does not level off."""
    found = driven(10**9, SECONDS / 10 if quick else SECONDS)
    show(*MEMORY_TABLE, memory_rows(found))
    rest = [held - kept for _, held, kept in found.memory]
    third = max(1, len(rest) // 3)
    before, after = max(rest[third : 2 * third] or rest), max(rest[-third:])
    growth = after / before - 1
    print(f"{found.events} steps; the last third grew by {growth:.1%}")
    if growth > MOST_GROWTH:
        raise SystemExit("the memory does not level off")
