"""The menu entry that install.sh writes starts the program, whatever its folder is called."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bash") is None, reason="the menu is that of Linux"
)

SHARE = Path(__file__).parents[2] / "packaging" / "linux"


def unpacked(folder: bytes, tmp_path: Path) -> Path:
    """A program in a folder of that name, and what is needed to put it into the menu."""
    top = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), folder)))
    try:
        (top / "share").mkdir(parents=True)
    except OSError:
        pytest.skip("this file system does not hold such names")
    for path in SHARE.iterdir():
        shutil.copy(path, top / "share")
    (top / "share" / "pmlda-gui.png").write_bytes(b"")
    program = top / "pmlda-gui"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


def install(program: Path, home: Path) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "CDPATH": "/"}
    script = program.parent / "share" / "install.sh"
    return subprocess.run(["bash", str(script)], env=environment, capture_output=True)


def command_in(entry: Path) -> list[str]:
    """The arguments of the Exec line, as the Desktop Entry Specification reads them."""
    (line,) = (each for each in entry.read_text("utf-8").splitlines() if each.startswith("Exec="))
    value = line.removeprefix("Exec=")
    # First the escapes of a string value, then the quoting of an argument.
    text, position = "", 0
    while position < len(value):
        if value[position] == "\\":
            position += 1
            assert value[position] == "\\", "no other escape belongs here"
        text += value[position]
        position += 1
    assert text[0] == '"'
    argument, position = "", 1
    while text[position] != '"':
        assert text[position] not in "`$", "unquoted"
        if text[position] == "\\":
            position += 1
            assert text[position] in '"`$\\'
        argument += text[position]
        position += 1
    rest = text[position + 1 :].split()
    assert "%" not in argument.replace("%%", "")
    return [argument.replace("%%", "%"), *rest]


@pytest.mark.parametrize(
    "folder",
    [
        b"plain",
        b"two words",
        b"R&D | sed & awk",
        b'it\'s "quoted"',
        b"$HOME `date` $(id)",
        b"back\\slash \\n \\\\",
        b"100 % %f %%",
        "Überfläche ≈ 海".encode(),
        b"-e",
    ],
    ids=repr,
)
def test_the_menu_entry_names_the_program(folder: bytes, tmp_path: Path) -> None:
    program, home = unpacked(folder, tmp_path), tmp_path / "home"
    done = install(program, home)
    assert done.returncode == 0, done.stderr
    entry = home / ".local/share/applications/io.github.pmlda_gui.desktop"
    assert command_in(entry) == [str(program), "%F"]
    before = (SHARE / "io.github.pmlda_gui.desktop").read_text().splitlines()
    after = entry.read_text("utf-8").splitlines()
    assert [line for line in after if line not in before] == [
        line for line in after if line.startswith("Exec=")
    ]


@pytest.mark.parametrize("folder", [b"line\nbreak", b"ends so\n", b"caf\xe9"], ids=repr)
def test_a_folder_that_cannot_stand_in_the_menu_is_refused(folder: bytes, tmp_path: Path) -> None:
    if folder == b"caf\xe9" and shutil.which("iconv") is None:
        pytest.skip("what is UTF-8 is found out with iconv")
    home = tmp_path / "home"
    done = install(unpacked(folder, tmp_path), home)
    assert done.returncode != 0
    assert b"move the program and try again." in done.stderr
    assert not list(home.rglob("*.desktop"))
