"""The progress of long work: reports how far it is, and stops it when cancelled.

One object goes down through all layers.  Whoever works calls `report` between pieces, hands
`part` to what it calls, and calls `check` in loops that have nothing to report.
"""

from __future__ import annotations

from collections.abc import Callable

from pmlda_gui.core.errors import Cancelled

__all__ = ["Progress"]


class Progress:
    """Reports the progress of long work, and stops it when it is cancelled.

    `on_report` receives the fraction done, from 0 to 1 and never falling, and what is being
    done.  `is_cancelled` says whether to stop; `work` names the work in the sentence that
    says it was stopped.  Without arguments it reports nothing and never stops.
    """

    def __init__(
        self,
        on_report: Callable[[float, str], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
        work: str = "The work",
    ) -> None:
        self._on_report = on_report
        self._is_cancelled = is_cancelled
        self._work = work
        self._furthest = 0.0

    @property
    def cancelled(self) -> bool:
        """Whether the work is to stop; for loops that end by themselves."""
        return self._is_cancelled is not None and self._is_cancelled()

    def check(self) -> None:
        """Raise `Cancelled` once the work is to stop."""
        if self.cancelled:
            raise Cancelled(f"{self._work} was stopped; nothing has changed.")

    def report(self, fraction: float, text: str = "") -> None:
        """Say that this fraction is done, or raise `Cancelled`."""
        self.check()
        self._tell(fraction, text)

    def part(self, start: float, stop: float, text: str = "") -> Progress:
        """The progress of a piece that is `start` to `stop` of the whole.

        `text` stands for the piece wherever it does not say itself what it does.
        """

        def tell(fraction: float, said: str) -> None:
            self._tell(start + (stop - start) * fraction, said or text)

        return Progress(tell, self._is_cancelled, self._work)

    def parts(self, count: int, text: str = "") -> list[Progress]:
        """The progress of each of so many equal pieces."""
        return [self.part(i / count, (i + 1) / count, text) for i in range(count)]

    def named(self, work: str) -> Progress:
        """The same progress of work with another name."""
        return Progress(self._tell, self._is_cancelled, work)

    def _tell(self, fraction: float, text: str) -> None:
        self._furthest = min(1.0, max(self._furthest, fraction))
        if self._on_report is not None:
            self._on_report(self._furthest, text)
