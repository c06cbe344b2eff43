"""Tables of figures on the terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = ["best_of", "show"]


def show(title: str, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print one table; numbers are given three significant digits."""
    table = Table(title=title, title_justify="left", title_style="bold")
    for number, name in enumerate(header):
        table.add_column(name, justify="left" if number == 0 else "right")
    for row in rows:
        table.add_row(*(f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row))
    Console(width=140).print(table)


def best_of(repeats: int, work: Callable[[], Any]) -> float:
    """The shortest of several runs in seconds: what other processes add is left out."""
    shortest = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        shortest = min(shortest, time.perf_counter() - started)
    return shortest
