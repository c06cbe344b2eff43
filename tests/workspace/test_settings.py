"""Settings are checked, never executed, and never lost to a program that was killed."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from pathlib import Path

import pytest

from pmlda_gui.workspace.settings import SCHEMA, SettingsStore, settings, settings_in
from pmlda_gui.workspace.settings.migration import parse_ini, read_old_settings
from pmlda_gui.workspace.settings.schema import StoredLayout


def stored(path: Path, **values: object) -> None:
    """Write a file of settings, whether they may be so or not."""
    document = {"format": "pmlda-gui settings", "version": 1}
    named = {name.replace("__", "/"): value for name, value in values.items()}
    path.write_text(json.dumps({**document, "settings": named}))


def test_without_a_file_every_setting_has_its_default(tmp_path: Path) -> None:
    store = SettingsStore(tmp_path / "none" / "settings.json")
    assert {name: store.get(name) for name in SCHEMA} == {
        name: setting.default for name, setting in SCHEMA.items()
    }
    assert store.trouble is None
    assert not (tmp_path / "none").exists()


def test_what_is_stored_is_there_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.json"
    values = {
        "window/theme": "dark",
        "window/geometry": bytes(range(256)),
        "files/folder": "/surveys/Nord & Süd\n日本",
        "files/recent": ("/a.tif", "/b, c.tif", os.fsdecode(b"/not-utf8-\xff.tif")),
    }
    store = SettingsStore(path)
    for name, value in values.items():
        store.set(name, value)
    again = SettingsStore(path)
    assert {name: again.get(name) for name in values} == values
    assert again.trouble is None
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert os.listdir(path.parent) == ["settings.json"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not JSON",
        b"\x80\x04\x95\xff",
        b"[1, 2]",
        b"{}",
        b"[" * 100_000,
        b'{"format": "pmlda-gui settings", "version": 1, "settings": [' + b"[" * 50_000,
        b'{"format": "pmlda-gui settings", "version": 1, "settings": []}',
        b'{"format": "pmlda-gui settings", "version": 99, "settings": {}}',
        b'{"format": "pmlda-gui settings", "version": NaN, "settings": {}}',
        b'{"format": "pmlda-gui settings", "version": ' + b"9" * 9000 + b', "settings": {}}',
        b" " * 300_000 + b"{}",
    ],
)
def test_a_damaged_file_gives_the_defaults_and_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    store = SettingsStore(path)
    assert store.get("window/theme") == "system"
    assert store.trouble is not None
    assert store.trouble.startswith("The settings could not be read because ")
    # It is kept, should anybody want to look at it, and does not stand in the way.
    assert (tmp_path / "settings.json.damaged").read_bytes() == content
    store.set("window/theme", "dark")
    again = SettingsStore(path)
    assert again.get("window/theme") == "dark"
    assert again.trouble is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("window/theme", "pink"),
        ("window/theme", ["dark"]),
        ("window/theme", None),
        ("window/geometry", "not base64!"),
        ("window/geometry", "QUJD" * 20_000),
        ("window/geometry", 5),
        ("files/folder", "x" * 5000),
        ("files/folder", "nul\0"),
        ("files/recent", "/a.tif"),
        ("files/recent", ["/a.tif", 4]),
        ("files/recent", ["/a.tif"] * 11),
        ("compare/methods", {"pmlda": 1}),
    ],
)
def test_a_value_out_of_its_range_falls_back_and_the_others_stay(
    tmp_path: Path, name: str, value: object
) -> None:
    path = tmp_path / "settings.json"
    others = {"files__export": "/kept", "unknown__entry": 3}
    stored(path, **{name.replace("/", "__"): value}, **others)
    store = SettingsStore(path)
    assert store.get(name) == SCHEMA[name].default
    assert store.get("files/export") == "/kept"
    assert store.trouble is not None
    assert name in store.trouble


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices as files are of POSIX")
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_regular_file_is_not_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "settings.json"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    store = SettingsStore(path)
    assert store.get("window/theme") == "system"
    assert store.trouble is not None
    assert kind == "folder" or "not in a regular file" in store.trouble
    store.set("window/theme", "dark")
    assert SettingsStore(path).get("window/theme") == "dark"


def test_a_value_that_may_not_be_is_not_stored(tmp_path: Path) -> None:
    store = SettingsStore(tmp_path / "settings.json")
    store.set("window/theme", "dark")
    store.set("window/theme", "pink")
    store.set("window/geometry", b"x" * 10**6)
    assert store.get("window/theme") == "dark"
    assert store.get("window/geometry") == b""


def test_a_write_that_fails_is_told_and_leaves_the_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.json"
    store = SettingsStore(path)
    store.set("files/folder", "/first")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        store.set("files/folder", "/second")
    assert store.trouble is not None
    assert os.strerror(errno.ENOSPC) in store.trouble
    assert store.get("files/folder") == "/second"
    assert SettingsStore(path).get("files/folder") == "/first"
    assert os.listdir(tmp_path) == ["settings.json"]


def test_two_programs_keep_each_others_settings(tmp_path: Path) -> None:
    first, second = (SettingsStore(tmp_path / "settings.json") for _ in range(2))
    first.get("window/theme")
    second.set("window/theme", "dark")
    first.set("files/folder", "/here")
    third = SettingsStore(tmp_path / "settings.json")
    assert (third.get("window/theme"), third.get("files/folder")) == ("dark", "/here")


def test_other_settings_stand_in_for_a_while(tmp_path: Path) -> None:
    with settings_in(tmp_path / "outer") as outer:
        with settings_in(tmp_path / "inner") as inner:
            assert settings() is inner
        assert settings() is outer


# -- settings of earlier versions ---------------------------------------------------------------

OLD = r"""[General]
plain=x

[compare]
methods="pmlda,fcm"

[files]
export="@@home,x"
folder=/home/\xe4/%41
recent="/a b/ä, ö.tif", "/x;y=z.tif", @@odd, q\"uote, /back\\slash, 日本.tif, tab\there

[window]
geometry=@ByteArray(\x1\xd9\xd0\xcb)
state=@Variant(\0\0\0\x7f\0\0\0\x18PySide::PyObjectWrapper\0\0\0\0\x15\x80\x4)
theme=dark
nothing=@Invalid()
"""


def test_plain_settings_of_an_earlier_version_are_taken_over_once(tmp_path: Path) -> None:
    old, path = tmp_path / "old.conf", tmp_path / "settings.json"
    old.write_text(OLD, encoding="utf-8")
    store = SettingsStore(path, old)
    assert store.get("window/theme") == "dark"
    assert store.get("files/folder") == "/home/ä/%41"
    assert store.get("files/export") == "@home,x"
    assert store.get("compare/methods") == ("pmlda", "fcm")
    assert store.get("files/recent") == (
        "/a b/ä, ö.tif", "/x;y=z.tif", "@odd", 'q"uote', "/back\\slash", "日本.tif", "tab\there",
    )  # fmt: skip
    assert store.get("window/geometry") == b""
    old.write_text("[window]\ntheme=light\n")
    assert SettingsStore(path, old).get("window/theme") == "dark"


def test_entries_that_are_objects_are_left_out() -> None:
    entries = parse_ini(OLD)
    assert {"window/geometry", "window/state", "window/nothing"}.isdisjoint(entries)
    assert parse_ini('[a]\nb=x, @Variant(y), z\nc="@Variant(\\0)"\nd=\\x40Variant(x)\n') == {}


@pytest.mark.parametrize(
    "text",
    ["[", "]", "=", "[a]\n=\n", "a\\", 'a="', "a=\\", "a=\\x", "a=\\xffffff", "\0\n=\0", "%U"],
)
def test_odd_text_is_parsed_without_complaint(tmp_path: Path, text: str) -> None:
    old = tmp_path / "old.conf"
    old.write_text(text)
    assert read_old_settings(old) == {}


def test_one_refused_entry_does_not_keep_the_others_out(tmp_path: Path) -> None:
    old = tmp_path / "old.conf"
    old.write_text("[window]\ntheme=pink\n[files]\nfolder=/here\n")
    store = SettingsStore(tmp_path / "settings.json", old)
    assert store.get("window/theme") == "system"
    assert store.get("files/folder") == "/here"
    assert store.trouble is None


def test_nothing_in_the_program_reads_settings_through_qt() -> None:
    package = Path(__file__).parents[2] / "pmlda_gui"
    for path in package.rglob("*.py"):
        assert "QSettings" not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize(
    "stored",
    [
        "Night",
        [{"name": "Night", "docks": "AAAA"}],
        [{"name": "", "docks": "AAAA", "pictures": "grid"}],
        [{"name": "a\nb", "docks": "AAAA", "pictures": "grid"}],
        [{"name": "N" * 41, "docks": "AAAA", "pictures": "grid"}],
        [{"name": "Night", "docks": "!", "pictures": "grid"}],
        [{"name": "Night", "docks": "AAAA" * 4000, "pictures": "grid"}],
        [{"name": "Night", "docks": "AAAA", "pictures": "mosaic"}],
        [{"name": "Night", "docks": "AAAA", "pictures": "grid"}] * 2,
        [{"name": f"{n}", "docks": "AAAA", "pictures": "grid"} for n in range(13)],
    ],
)
def test_a_layout_that_is_none_counts_as_not_stored(stored: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        SCHEMA["window/layouts"].read(stored)


def test_layouts_and_numbers_are_read_as_they_were_written() -> None:
    layouts = (StoredLayout("Night watch", b"\0\1\2", "focus"), StoredLayout("Day", b"", "grid"))
    kind = SCHEMA["window/layouts"]
    assert kind.read(kind.written(layouts)) == layouts
    minutes = SCHEMA["files/autosave_minutes"]
    assert minutes.read(5) == 5.0
    for wrong in (True, "5", 0, 1e9, float("nan")):
        with pytest.raises(ValueError, match=r"."):
            minutes.read(wrong)
