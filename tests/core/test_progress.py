"""One object reports progress through all layers and stops the work."""

from __future__ import annotations

import pytest

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.core.progress import Progress


def test_parts_report_their_place_in_the_whole() -> None:
    told: list[tuple[float, str]] = []
    progress = Progress(lambda fraction, text: told.append((fraction, text)))
    first, second = progress.parts(2, "features")
    first.report(0.5)
    first.report(1.0)
    second.part(0.0, 0.5).report(1.0, "waves")
    assert told == [(0.25, "features"), (0.5, "features"), (0.75, "waves")]


def test_progress_never_falls_nor_exceeds_one() -> None:
    told: list[float] = []
    progress = Progress(lambda fraction, _: told.append(fraction))
    for fraction in (0.4, 0.2, 3.0, 0.9):
        progress.report(fraction)
    assert told == [0.4, 0.4, 1.0, 1.0]


def test_work_that_is_stopped_says_which_work_and_reports_nothing_more() -> None:
    told: list[float] = []
    stop = False
    progress = Progress(lambda fraction, _: told.append(fraction), lambda: stop)
    piece = progress.named("Reading a.tif").part(0.0, 0.5)
    piece.report(0.2)
    stop = True
    assert piece.cancelled
    with pytest.raises(Cancelled, match=r"Reading a\.tif was stopped"):
        piece.report(0.4)
    with pytest.raises(Cancelled):
        progress.check()
    assert told == [0.1]


def test_nobody_needs_to_watch() -> None:
    progress = Progress()
    progress.part(0.2, 0.4).report(0.5, "anything")
    progress.check()
    assert not progress.cancelled
