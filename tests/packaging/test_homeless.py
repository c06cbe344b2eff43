"""A user whom the system does not know has no home directory, and works all the same."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from pmlda_gui.__main__ import main


def test_a_stranger_gets_a_home_to_stand_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setenv("HOME", "unchanged")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(SystemExit):
        main(["--version"])
    assert os.environ["HOME"] == "unchanged"
    monkeypatch.setattr(Path, "home", home)
    with pytest.raises(SystemExit):
        main(["--version"])
    stand_in = Path(os.environ["HOME"])
    assert stand_in.parent == tmp_path
    assert stand_in.stat().st_mode & 0o077 == 0
