"""An image that is opened shows what was chosen for its texture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QComboBox

from tests.e2e.driver import Script, Stage, drive

pytestmark = pytest.mark.usefixtures("qapp")


def test_an_image_of_fine_texture_is_opened_with_fine_features(tmp_path: Path) -> None:
    # Rough and smooth ground that differ in waves of every length alike.
    rough = np.repeat([1.0, 0.2] * 7, 96)
    pixels = 5.0 + rough * np.random.default_rng(0).standard_normal((96, 1344))
    path = tmp_path / "fine.npy"
    np.save(path, pixels.astype(np.float32))

    def script(stage: Stage) -> Script:
        yield stage.ready
        session = stage.controller.session
        assert (session.features.names, session.features.window) == ("seabed-fine", 9)
        assert session.documents.count == 300
        shown = stage.find(QComboBox, "feature_preset")
        assert shown.currentData() == "seabed-fine"

    assert drive([str(path)], script) == 0
