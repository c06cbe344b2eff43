"""How far the work is, on the terminal's error stream: a bar for each piece of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pmlda_gui.core.progress import Progress

__all__ = ["ProgressBars", "progress_bars"]

Show = Callable[[str, float, str], None]


class ProgressBars:
    """Gives the progress of each piece of work, which is shown as a bar under its name."""

    def __init__(self, show: Show) -> None:
        self.show = show

    def named(self, name: str, is_cancelled: Callable[[], bool] | None = None) -> Progress:
        """The progress of a piece of work."""
        return Progress(lambda fraction, text: self.show(name, fraction, text), is_cancelled)


@contextmanager
def progress_bars(quiet: bool) -> Iterator[ProgressBars]:
    """Bars while the work lasts; none if `quiet`."""
    if quiet:
        yield ProgressBars(lambda name, fraction, text: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    with Bars(
        TextColumn("{task.description:<12}"),
        BarColumn(),
        TextColumn("{task.percentage:>4.0f} %"),
        TextColumn("{task.fields[text]}"),
        TextColumn("{task.fields[left]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    ) as bars:
        tasks: dict[str, TaskID] = {}
        began: dict[str, float] = {}
        said: dict[str, str] = {}

        def show(name: str, fraction: float, text: str) -> None:
            now = time.monotonic()
            if name not in tasks:
                for other in tasks.values():
                    bars.update(other, completed=1.0, left="")
                    bars.stop_task(other)
                tasks[name] = bars.add_task(name, total=1.0, text="", left="")
                began[name] = now
            left = _time_left(now - began[name], fraction)
            # What was said last stays until something else is said.
            said[name] = text or said.get(name, "")
            bars.update(tasks[name], completed=fraction, text=said[name], left=left)

        yield ProgressBars(show)


def _time_left(spent: float, fraction: float) -> str:
    """How long the rest takes if it goes on like this, in minutes and seconds."""
    if not 0.02 < fraction < 1.0:
        return ""
    left = round(spent * (1 - fraction) / fraction)
    return f"{left // 60}:{left % 60:02d} left"
