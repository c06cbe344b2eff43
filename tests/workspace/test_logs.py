"""The log can be sent from a ship: it is there, it is small, and it names nobody."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pmlda_gui.workspace import logs
from pmlda_gui.workspace.folders import config_folder, log_folder
from pmlda_gui.workspace.logs import Log, log_tail, present_log

log = logging.getLogger("pmlda_gui.tests")


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA", "HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "annika"))


@pytest.fixture
def opened() -> Iterator[Log]:
    made = Log(to_file=True)
    yield made
    made.close()


def test_what_modules_say_is_in_the_file_with_its_level(opened: Log) -> None:
    log.debug("a detail")
    log.info("it went well")
    log.warning("it went badly")
    assert opened.path is not None
    assert opened.path == present_log()
    assert opened.path.parent == log_folder()
    text = opened.path.read_text(encoding="utf-8")
    assert "a detail" not in text
    assert "INFO    pmlda_gui.tests: it went well" in text
    assert "WARNING pmlda_gui.tests: it went badly" in text
    assert "pmlda-gui" in text.splitlines()[0]


def test_names_and_folders_are_left_out(opened: Log, tmp_path: Path) -> None:
    path = tmp_path / "annika" / "secret survey" / "line.xtf"
    try:
        path.read_bytes()
    except OSError as error:
        log.error("of annika: %s", error, exc_info=error)
    assert opened.path is not None
    text = opened.path.read_text(encoding="utf-8")
    assert "line.xtf" in text
    assert "annika" not in text
    assert "secret survey" not in text
    assert str(tmp_path) not in text


@pytest.mark.skipif(sys.platform == "win32", reason="the folders of a profile are its user's")
def test_only_its_user_may_read_it(opened: Log) -> None:
    assert opened.path is not None
    assert stat.S_IMODE(opened.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(opened.path.parent.stat().st_mode) == 0o700


def test_it_is_cut_off_at_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_BYTES", 2000)
    opened = Log(to_file=True)
    for number in range(500):
        log.info("line %d", number)
    assert opened.path is not None
    files = [path for path in opened.path.parent.iterdir() if ".log" in path.name]
    assert len(files) == 1 + logs.KEPT_FILES
    assert all(path.stat().st_size <= 2000 for path in files)
    assert "line 499" in log_tail()
    opened.close()


def test_the_tail_is_the_last_lines(opened: Log) -> None:
    for number in range(300):
        log.info("line %d", number)
    tail = log_tail(5).splitlines()
    assert len(tail) == 5
    assert tail[-1].endswith("line 299")


def test_without_a_log_there_is_no_tail() -> None:
    assert present_log() is None
    assert log_tail() == ""


def test_two_programs_write_two_files(opened: Log) -> None:
    second = Log(to_file=True)
    log.info("hello")
    assert opened.path is not None
    assert second.path is not None
    assert second.path != opened.path
    second.close()
    third = Log(to_file=True)
    assert third.path == second.path
    third.close()


def test_closing_leaves_everything_as_it_was(opened: Log) -> None:
    logger = logging.getLogger("pmlda_gui")
    before = (list(logger.handlers), logger.level)
    other = Log(to_file=True, to_terminal=True)
    other.close()
    assert (list(logger.handlers), logger.level) == before


def test_a_folder_that_cannot_be_made_means_no_log_and_no_fuss(tmp_path: Path) -> None:
    (tmp_path / "annika").write_text("in the way")
    opened = Log(to_file=True)
    log.warning("unheard")
    assert opened.path is None
    assert log_tail() == ""
    opened.close()


def test_a_disk_that_is_full_means_no_fuss_either(
    opened: Log, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (handler,) = (each for each in logging.getLogger("pmlda_gui").handlers if hasattr(each, "mode"))

    class Full:
        def write(self, _text: str) -> None:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(handler, "maxBytes", 0)
        broken.setattr(handler, "stream", Full())
        log.warning("lost")
    assert capsys.readouterr().err == ""


def test_the_terminal_hears_details_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    quiet = Log()
    log.debug("first detail")
    quiet.close()
    telling = Log(to_terminal=True)
    log.debug("second detail")
    telling.close()
    err = capsys.readouterr().err
    assert "first detail" not in err
    assert "second detail" in err


_CRASH = """
import faulthandler, sys
from pmlda_gui.workspace.logs import Log
log = Log(to_file=True, crashes=True)
print(log.path, flush=True)
if sys.argv[1:]:
    faulthandler._sigsegv()
log.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the system shows a dialog of its own")
def test_a_crash_is_in_the_log_of_the_next_start(tmp_path: Path) -> None:
    def started(*arguments: str) -> tuple[int, Path]:
        finished = subprocess.run(
            [sys.executable, "-c", _CRASH, *arguments],
            capture_output=True, text=True, check=False, timeout=60, env=dict(os.environ),
        )  # fmt: skip
        return finished.returncode, Path(finished.stdout.strip())

    code, path = started("crash")
    assert code < 0
    assert "Segmentation fault" in path.with_suffix(".crash").read_text()
    assert started() == (0, path)
    text = path.read_text(encoding="utf-8")
    assert "the program before this one crashed" in text
    assert "Segmentation fault" in text
    assert started() == (0, path)
    assert path.read_text(encoding="utf-8").count("crashed") == 1
    assert [each.name for each in path.parent.iterdir()] == ["pmlda-gui.log"]


@pytest.mark.parametrize(
    ("platform", "logs_in", "settings_in"),
    [
        ("linux", "home/.local/state/pmlda-gui/logs", "home/.config/pmlda-gui"),
        ("win32", "home/AppData/Local/pmlda-gui/logs", "home/AppData/Local/pmlda-gui"),
        (
            "darwin",
            "home/Library/Logs/pmlda-gui",
            "home/Library/Application Support/pmlda-gui",
        ),
    ],
)
def test_logs_and_settings_are_where_the_system_wants_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, logs_in: str, settings_in: str
) -> None:
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", classmethod(lambda cls: tmp_path / "home"))
    monkeypatch.setattr(sys, "platform", platform)
    assert log_folder() == tmp_path / logs_in
    assert config_folder() == tmp_path / settings_in
