"""An export that is stopped leaves whole files, says so, and lets the work go on."""

from __future__ import annotations

import time
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from pmlda_gui.gui.controller.exporting import Exporting
from pmlda_gui.gui.dialogs.export import ExportChoice
from pmlda_gui.gui.dialogs.progress import ProgressDialog
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.export import write
from tests.e2e.driver import Script, Stage, drive, visible

pytestmark = pytest.mark.usefixtures("qapp")


def test_a_stopped_export_ends_between_two_files(tmp_path: Path) -> None:
    image, results = tmp_path / "seabed.npy", tmp_path / "results"
    np.save(image, make_scene("demo", (80, 70)).image.pixels)
    polygons = write.seabed_package

    def script(stage: Stage) -> Script:
        yield stage.ready

        def pressed_meanwhile(*arguments: object, **named: object) -> bytes:
            # On the thread that writes: wait until the window has heard the request to stop.
            content = polygons(*arguments, **named)
            while "export" in stage.controller.jobs.names:
                time.sleep(0.005)
            return content

        with mock.patch.object(write, "seabed_package", pressed_meanwhile):
            stage.controller.findChild(Exporting).export(ExportChoice(results, "mean"))
            yield (results / "seabed_labels.tif").exists
            visible(stage.window, ProgressDialog).cancel.click()
            assert visible(stage.window, ProgressDialog) is None
            assert "stopped" in stage.window.statusBar().currentMessage()
            yield (results / "seabed_polygons.gpkg").exists
            yield lambda: stage.controller.jobs.all_ended
        assert stage.window.message_bar.text == ""

    assert drive([str(image)], script) == 0
    names = {path.name for path in results.iterdir()}
    assert "seabed_polygons.gpkg" in names
    assert "seabed.png" not in names
    assert "report.html" not in names
    assert not [name for name in names if name.endswith(".unfinished")]
