"""Whatever takes long for large images asks whether to go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.hashing import file_digest
from pmlda_gui.workspace.preparation import suggest_choices
from tests.workspace.small_runs import image, stored_session


def test_taking_a_digest_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "image.npy"
    path.write_bytes(bytes(100))
    with pytest.raises(Cancelled, match=r"image\.npy was stopped"):
        file_digest(path, progress=Progress(is_cancelled=lambda: True))


def test_loading_a_workspace_can_be_stopped_while_its_images_are_compared(tmp_path: Path) -> None:
    path, session = tmp_path / "a.pmlda", stored_session(tmp_path)
    archive.save(path, session)
    with pytest.raises(Cancelled):
        archive.load(path, progress=Progress(is_cancelled=lambda: True))
    assert archive.load(path, progress=Progress(is_cancelled=lambda: False)).session == session


def test_looking_at_the_texture_can_be_stopped_between_images() -> None:
    asked = []

    def cancel() -> bool:
        asked.append(True)
        return len(asked) > 1

    with pytest.raises(Cancelled):
        suggest_choices([image()] * 3, Progress(is_cancelled=cancel))
    assert len(asked) == 2
    assert suggest_choices([image()], UNWATCHED) == suggest_choices([image()])
