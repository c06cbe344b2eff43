"""How a long computation tells how far it is and hears that it should stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pmlda_gui.core.errors import Cancelled

__all__ = ["Watch"]


@dataclass(frozen=True)
class Watch:
    """Somebody who may look on: `progress` takes a fraction, `cancel` says whether to stop."""

    progress: Callable[[float], None] | None = None
    cancel: Callable[[], bool] | None = None

    def report(self, fraction: float) -> None:
        """Tell that `fraction` of the work is done, unless it should stop here."""
        if self.cancel is not None and self.cancel():
            raise Cancelled("Making the documents was stopped; the old ones are still in use.")
        if self.progress is not None:
            self.progress(fraction)

    def part(self, start: float, stop: float) -> Watch:
        """A watch for a piece of the work, from the fraction `start` to `stop` of the whole."""

        def report_part(fraction: float) -> None:
            if self.progress is not None:
                self.progress(start + fraction * (stop - start))

        return Watch(report_part, self.cancel)
