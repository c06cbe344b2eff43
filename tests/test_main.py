"""One command line: commands run without Qt, everything else opens the window."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pmlda_gui.__main__ import main


def test_a_command_does_not_load_qt() -> None:
    code = (
        "import sys\n"
        "from pmlda_gui.__main__ import main\n"
        "try:\n"
        "    main(['info', '--help'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "assert not [name for name in sys.modules if name.startswith('PySide6')]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert "pmlda-gui" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [[], ["--demo"], ["image.tif", "other.tif"], ["--verbose"], ["--verbose", "image.tif"]],
)
def test_files_the_demo_or_nothing_open_the_window(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[list[str]] = []

    class Window:
        @staticmethod
        def run(arguments: list[str], alone: bool) -> int:
            assert not alone
            given.append(arguments)
            return 0

    monkeypatch.setattr("importlib.import_module", lambda name: Window)
    assert main(arguments) == 0
    assert given == [arguments]


def test_without_a_display_a_sentence_says_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert main(["image.tif"]) == 2
    assert "no display" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "advice"), [("segmnt", "did you mean segment?"), ("qwxz", "the commands are info,")]
)
def test_a_word_that_is_neither_command_nor_file_ends_with_a_sentence(
    word: str, advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word, "x"]) == 2
    told = capsys.readouterr().err
    assert f"'{word}' is neither a command nor a file" in told
    assert advice in told


def test_every_missing_file_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    first, second = str(tmp_path / "first.tif"), str(tmp_path / "second.xtf")
    assert main([first, second]) == 2
    told = capsys.readouterr().err
    assert f"{first}, {second} were not found" in told
