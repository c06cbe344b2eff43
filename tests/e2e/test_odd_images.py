"""Images an operator did not mean to open end in maps or in a sentence, never in a report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtWidgets import QAbstractButton

from pmlda_gui.core.progress import UNWATCHED
from pmlda_gui.gui.controller.file_jobs import probe_paths
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.dialogs.open_options import OpenOptionsDialog
from tests.e2e.driver import Script, Stage, drive, visible

pytestmark = pytest.mark.usefixtures("qapp")


def half_missing() -> NDArray[np.float32]:
    pixels = np.random.default_rng(0).random((60, 50), dtype=np.float32)
    pixels[:, :25] = np.nan
    return pixels


@pytest.mark.parametrize(
    "pixels",
    [
        np.random.default_rng(0).random((2, 2), dtype=np.float32),
        np.random.default_rng(0).random((1, 300), dtype=np.float32),
        np.full((60, 50), 3.0, np.float32),
        half_missing(),
    ],
    ids=["four pixels", "one row", "constant", "half missing"],
)
def test_an_odd_image_is_segmented(pixels: NDArray[np.float32], tmp_path: Path) -> None:
    path = tmp_path / "odd.npy"
    np.save(path, pixels)

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 5
        assert stage.controller.presenter.snapshot.pictures.labels.shape == pixels.shape

    assert drive([str(path)], script) == 0


def test_an_image_without_a_single_value_cannot_be_run_and_says_why(tmp_path: Path) -> None:
    path = tmp_path / "nothing.npy"
    np.save(path, np.full((40, 30), np.nan, np.float32))

    def script(stage: Stage) -> Script:
        yield lambda: bool(stage.controller.session.images)
        stage.controller.run()
        yield lambda: "no valid pixel" in stage.window.message_bar.text
        assert not stage.controller.chain.running
        stage.controller.run()
        assert not stage.controller.chain.running
        for name in ("run", "pause", "step", "restart"):
            assert not stage.find(QAbstractButton, name).isEnabled(), name

    assert drive([str(path)], script) == 0


def test_a_large_image_is_offered_reduced_before_it_is_read(tmp_path: Path) -> None:
    small, large = tmp_path / "small.npy", tmp_path / "large.npy"
    np.save(small, np.zeros((50, 50), np.uint8))
    np.save(large, np.zeros((4000, 4000), np.uint8))

    assert probe_paths([small], False, UNWATCHED).ask is None
    assert probe_paths([large], False, UNWATCHED).ask is not None

    def script(stage: Stage) -> Script:
        stage.controller.findChild(Files).open([large])
        yield lambda: visible(stage.window, OpenOptionsDialog) is not None
        dialog = visible(stage.window, OpenOptionsDialog)
        assert dialog.options.reduce == 2
        dialog.reject()
        assert not stage.controller.session.images

    assert drive([], script) == 0


def test_maps_have_their_topics_names_before_there_is_anything_in_them(tmp_path: Path) -> None:
    path = tmp_path / "seabed.npy"
    np.save(path, half_missing())

    def script(stage: Stage) -> Script:
        yield lambda: bool(stage.controller.session.images)
        names = [view.accessibleName() for view in stage.window.grid.visible_views]
        assert names[1:4] == ["topic 1", "topic 2", "topic 3"]
        yield stage.ready
        assert not stage.controller.chain.starting
        assert stage.window.activity.text() == ""

    assert drive([str(path)], script) == 0
