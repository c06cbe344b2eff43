"""Damaged and hostile workspaces end in one sentence, soon and without eating memory."""

import io
import json
import struct
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.archive.format import MOST_MEMBERS, VERSION
from pmlda_gui.workspace.replay import resume
from pmlda_gui.workspace.session import Session
from tests.workspace.packed_members import Members, members_of, npy, packed
from tests.workspace.small_runs import run, stored_session

MOST_SECONDS = 5.0
MOST_MEMORY = 200 * 2**20


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workspace with everything in it."""
    folder = tmp_path_factory.mktemp("saved")
    running = run(2)
    archive.save(folder / "good.pmlda", stored_session(folder), running)
    return folder / "good.pmlda"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a workspace small enough to be damaged in every part of it."""
    path = tmp_path_factory.mktemp("small") / "good.pmlda"
    session = Session(seed=7, view={"zoom": [1, 2, 3]})
    archive.save(path, session)
    return path.read_bytes()


def assert_refused(path: Path, data: bytes, complaint: str | None = None) -> None:
    """Loading ends in one sentence, in bounded time and memory."""
    path.write_bytes(data)
    tracemalloc.start()
    started = time.perf_counter()
    try:
        with pytest.raises(PmldaError, match=complaint) as caught:
            archive.load(path)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - started < MOST_SECONDS
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert path.name in sentence or "session" in sentence or "journal" in sentence


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bits_give_a_sentence_or_change_nothing(
    seed: int, small: bytes, tmp_path: Path
) -> None:
    """100 workspaces with one flipped bit each, and as many with several."""
    path = tmp_path / "flipped.pmlda"
    path.write_bytes(small)
    expected = archive.load(path).session
    rng = np.random.default_rng(seed)
    refused = 0
    for flips in [1] * 100 + [8] * 100:
        data = bytearray(small)
        for position in rng.integers(0, len(data) * 8, flips):
            data[position // 8] ^= 1 << (position % 8)
        path.write_bytes(data)
        try:
            assert archive.load(path).session == expected
        except PmldaError:
            refused += 1
    assert refused > 100


def test_flipped_bits_in_a_chain_never_change_it_unnoticed(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "flipped.pmlda"
    good = saved.read_bytes()
    expected = archive.load(saved).checkpoint
    rng = np.random.default_rng(1)
    for position in rng.integers(0, len(good) * 8, 40):
        data = bytearray(good)
        data[position // 8] ^= 1 << (position % 8)
        path.write_bytes(data)
        try:
            found = archive.load(path).checkpoint
        except PmldaError:
            continue
        assert found.values == expected.values
        for name, array in expected.arrays.items():
            np.testing.assert_array_equal(found.arrays[name], array)


def test_a_workspace_cut_short_anywhere_is_refused(small: bytes, tmp_path: Path) -> None:
    for length in [0, 1, 21, 22, *range(30, len(small), 97), len(small) - 1]:
        assert_refused(tmp_path / "short.pmlda", small[:length], "cannot be opened because")


def test_the_version_before_is_recommended_if_there_is_one(small: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.pmlda~").write_bytes(small)
    assert_refused(tmp_path / "a.pmlda", small[:-9], r"open a\.pmlda~, the version before")


def test_what_is_no_workspace_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.pmlda"
    assert_refused(path, b"")
    assert_refused(path, b"\x89PNG" + bytes(1000), "not a workspace")
    assert_refused(path, packed({"readme.json": b"{}"}), "not a workspace of this program")
    assert_refused(path, packed({"workspace.json": b"[]"}), "not a workspace of this program")
    with pytest.raises(PmldaError, match="There is no workspace"):
        archive.load(tmp_path / "gone.pmlda")
    with pytest.raises(PmldaError):
        archive.load(tmp_path)


def test_a_newer_version_asks_for_a_newer_program(saved: Path, tmp_path: Path) -> None:
    members = members_of(saved)
    manifest = json.loads(members["workspace.json"]) | {"version": VERSION + 1}
    # What a newer version holds besides is not even looked at.
    members |= {"workspace.json": json.dumps(manifest).encode(), "session.json": b"?"}
    assert_refused(tmp_path / "new.pmlda", packed(members), "newer version .* update the program")


@pytest.mark.parametrize("version", [0, -1, "1", None, 1.0, [1]])
def test_an_impossible_version_is_refused(saved: Path, tmp_path: Path, version: object) -> None:
    members = members_of(saved)
    manifest = json.loads(members["workspace.json"]) | {"version": version}
    members["workspace.json"] = json.dumps(manifest).encode()
    assert_refused(tmp_path / "v.pmlda", packed(members), "version is not known")


@pytest.mark.parametrize(
    "name",
    [
        "../evil.npy",
        "checkpoint/../../evil.npy",
        "/etc/evil.npy",
        "C:/evil.npy",
        "checkpoint\\..\\evil.npy",
        "checkpoint/.hidden.npy",
        "checkpoint/a.pickle",
        "checkpoint/a/b/c.npy",
        "checkpoint/" + "a" * 300 + ".npy",
        "checkpoint/a\0.npy",
        "",
    ],
)
def test_unsafe_names_are_refused(saved: Path, tmp_path: Path, name: str) -> None:
    data = packed(members_of(saved) | {name: npy(np.zeros(2))})
    assert_refused(tmp_path / "evil.pmlda", data)
    assert not (tmp_path.parent / "evil.npy").exists()


def test_a_name_that_appears_twice_is_refused(saved: Path, tmp_path: Path) -> None:
    data = packed(members_of(saved) | {"checkpoint/logz.npy": npy(np.zeros(2))})
    data = data.replace(b"checkpoint/logz.npy", b"checkpoint/logs.npy")
    assert_refused(tmp_path / "twice.pmlda", data, "same name")


def test_a_zip_bomb_is_refused_before_it_is_unpacked(saved: Path, tmp_path: Path) -> None:
    bomb = npy(np.zeros(40 * 2**20))
    members = members_of(saved) | {"checkpoint/bomb.npy": bomb}
    assert_refused(tmp_path / "bomb.pmlda", packed(members), "unpack to far more")


def test_a_json_bomb_is_refused_before_it_is_unpacked(saved: Path, tmp_path: Path) -> None:
    members = members_of(saved) | {"session.json": b" " * (65 * 2**20)}
    assert_refused(tmp_path / "bomb.pmlda", packed(members), r"session\.json is too large")


def test_parts_that_overlap_are_refused(tmp_path: Path) -> None:
    """Many members that share one piece of packed data multiply it."""
    piece = packed({"a0000.npy": npy(np.zeros(2**17))})
    start = piece.index(b"PK\1\2")
    body, entry = piece[:start], piece[start : piece.index(b"PK\5\6")]
    count = 500
    entries = b"".join(entry.replace(b"a0000", b"a%04d" % number) for number in range(count))
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(entries), len(body), 0)
    assert_refused(tmp_path / "overlap.pmlda", body + entries + end, "its parts overlap")


def test_too_many_parts_are_refused_before_they_are_listed(tmp_path: Path) -> None:
    names = {f"p{number}.json": b"" for number in range(MOST_MEMBERS + 1)}
    assert_refused(tmp_path / "many.pmlda", packed(names, zipfile.ZIP_STORED), "more than")


@pytest.mark.parametrize(
    "part",
    [
        npy(np.zeros(10), claimed_shape=(2**40,)),
        npy(np.zeros(10), claimed_shape=(2**62, 2**62)),
        npy(np.zeros(10), claimed_shape=(9,)),
        npy(np.zeros(10), claimed_shape=(11,)),
        npy(np.zeros(10), claimed_shape=(-10,)),
        npy(np.zeros(10), claimed_shape=(1,) * 9 + (10,)),
        npy(np.zeros(10))[:-8],
        npy(np.zeros(10)) + b"more",
        npy(np.zeros(4, np.complex128)),
        npy(np.zeros(4, "U5")),
        npy(np.zeros(4, [("a", "f8"), ("b", "i4")])),
        npy(np.zeros(4)).replace(b"'<f8'", b"'|O' "),
        npy(np.zeros(4)).replace(b"\x01\x00v", b"\x03\x00v"),
        npy(np.zeros(4)).replace(b"'<f8'", b"{{{{{"),
        b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535,
        b"",
    ],
    ids=lambda part: f"{len(part)} bytes",
)
def test_arrays_that_are_not_what_they_claim_are_refused(
    saved: Path, tmp_path: Path, part: bytes
) -> None:
    members = members_of(saved) | {"checkpoint/logs.npy": part}
    assert_refused(tmp_path / "wrong.pmlda", packed(members), "cannot be opened because")


@pytest.mark.parametrize("name", ["session.json", "journal.json"])
@pytest.mark.parametrize(
    "text",
    ["", "?", "[]", "null", "3", '{"a": 1}', "[" * 100_000, '{"seed": ' + "9" * 10_000 + "}"],
)
def test_documents_that_are_not_what_they_should_be_are_refused(
    saved: Path, tmp_path: Path, name: str, text: str
) -> None:
    assert_refused(tmp_path / "wrong.pmlda", packed(members_of(saved) | {name: text.encode()}))


def test_a_missing_part_is_noticed(saved: Path, tmp_path: Path) -> None:
    for name in members_of(saved):
        members = members_of(saved)
        del members[name]
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as stored:
            for each, data in members.items():
                stored.writestr(each, data)
        assert_refused(tmp_path / "less.pmlda", stream.getvalue())


def _changed_values(change: Callable[[dict[str, Any]], object]) -> Callable[[Members], Members]:
    def apply(members: Members) -> Members:
        values = json.loads(members["checkpoint.json"])
        change(values)
        return members | {"checkpoint.json": json.dumps(values).encode()}

    return apply


def _without(name: str) -> Callable[[Members], Members]:
    return lambda members: {key: data for key, data in members.items() if key != name}


def _with(name: str, array: np.ndarray[Any, Any]) -> Callable[[Members], Members]:
    return lambda members: members | {name: npy(array)}


@pytest.mark.parametrize(
    "change",
    [
        _changed_values(lambda values: values.clear()),
        _changed_values(lambda values: values.pop("ladder")),
        _changed_values(lambda values: values["ladder"].update(sweeps_before="x")),
        _changed_values(lambda values: values.update(sweep=[])),
        _changed_values(lambda values: values.update(sampler="magic")),
        _changed_values(lambda values: values.update(parameters=[1])),
        _changed_values(lambda values: values["parameters"].update(topics=4)),
        _changed_values(lambda values: values.update({"current.variance": None})),
        _changed_values(lambda values: values.update(marks=[[1]])),
        _without("checkpoint/logs.npy"),
        _with("checkpoint/logs.npy", np.zeros((3, 5))),
        _with("checkpoint/logs.npy", np.full((3, 3210), np.nan)),
        _with("checkpoint/current.means.npy", np.zeros((2, 2))),
        _with("checkpoint/trace.log_joint.npy", np.zeros((2, 2))),
    ],
)
def test_a_chain_that_does_not_fit_is_refused_when_it_is_resumed(
    saved: Path, tmp_path: Path, change: Callable[[Members], Members]
) -> None:
    path = saved.with_name("wrong.pmlda")
    path.write_bytes(packed(change(members_of(saved))))
    with pytest.raises(PmldaError) as caught:
        resume(archive.load(path), threads=1)
    assert str(caught.value).endswith(".")


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_hostile_sizes_are_refused_even_where_memory_is_short(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "bomb.pmlda"
    path.write_bytes(packed(members_of(saved) | {"checkpoint/b.npy": npy(np.zeros(40 * 2**20))}))
    program = (
        "import sys\nfrom pathlib import Path\nfrom pmlda_gui.workspace import archive\n"
        "try:\n    archive.load(Path(sys.argv[1]))\nexcept ValueError as error:\n    print(error)"
    )
    import resource

    limit = 2**30
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        env={"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert "unpack to far more" in done.stdout, done.stderr
