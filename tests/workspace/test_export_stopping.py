"""Whoever looks on while results are written can stop that soon."""

from __future__ import annotations

from pathlib import Path

import pytest

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.core.progress import Progress
from pmlda_gui.workspace.export import write_results
from tests.workspace.synthetic_results import synthetic_result


def shares_of_one_image(folder: Path) -> list[float]:
    shares: list[float] = []
    progress = Progress(lambda fraction, _: shares.append(fraction))
    write_results(synthetic_result(), folder, progress)
    return shares


def test_progress_rises_within_an_image_to_the_end(tmp_path: Path) -> None:
    shares = shares_of_one_image(tmp_path)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    # At least the rasters, the polygons, and each panel of the plate report.
    assert len(shares) >= 1 + 1 + (synthetic_result().topics + 2) + 1


@pytest.mark.parametrize("calls", [1, 2, 4])
def test_what_progress_raises_stops_the_writing_and_leaves_whole_files(
    tmp_path: Path, calls: int
) -> None:
    heard: list[float] = []
    progress = Progress(lambda fraction, _: heard.append(fraction), lambda: len(heard) >= calls)
    with pytest.raises(Cancelled, match="stopped"):
        write_results(synthetic_result(), tmp_path, progress)
    assert len(heard) == calls
    names = {path.name for path in tmp_path.iterdir()}
    assert "report.html" not in names
    assert "line 7.png" not in names
    assert not [name for name in names if name.endswith(".unfinished")]
