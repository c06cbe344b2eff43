"""Workspaces whose every checksum is right, and which are wrong all the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.topics import truncated_normal
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.archive.bounded_json import DEEPEST, JsonBudget, OverBudgetError
from pmlda_gui.workspace.bookmarks import keep
from pmlda_gui.workspace.replay import resume
from pmlda_gui.workspace.run import Run
from tests.workspace.packed_members import Members, array_of, members_of, npy, packed
from tests.workspace.small_runs import field_run, run, stored_session

Change = Callable[[Members], Members]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workspace with a run and a bookmark."""
    folder = tmp_path_factory.mktemp("saved")
    running = run(3)
    session = stored_session(folder)
    bookmark, arrays = keep("first", session, running)
    session = session.replace(bookmarks=(bookmark,))
    archive.save(folder / "good.pmlda", session, running, arrays)
    return folder / "good.pmlda"


def of_array(name: str, change: Callable[[np.ndarray[Any, Any]], object]) -> Change:
    """Change an array of the chain, or of the bookmark, in place or into another."""

    def apply(members: Members) -> Members:
        (found,) = (
            each
            for each in members
            if each.endswith(f"{name}.npy") and ("/chain." in each) == name.startswith("chain.")
        )
        array = array_of(members[found]).copy()
        changed = change(array)
        return members | {found: npy(array if changed is None else np.asarray(changed))}

    return apply


def of_run(change: Callable[[dict[str, Any]], object]) -> Change:
    """Change what a bookmark holds of its run besides the arrays."""

    def changed(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        values = json.loads(array.tobytes())
        change(values)
        return np.frombuffer(json.dumps(values).encode(), np.uint8)

    return of_array("run", changed)


def of_values(change: Callable[[dict[str, Any]], object]) -> Change:
    def apply(members: Members) -> Members:
        values = json.loads(members["checkpoint.json"])
        change(values)
        return members | {"checkpoint.json": json.dumps(values).encode()}

    return apply


def without(name: str) -> Change:
    return lambda members: {key: data for key, data in members.items() if key != name}


IMPOSSIBLE: dict[str, Change] = {
    "means of 1e306": of_array("current.means", lambda a: a * 0 + 1e306),
    "a huge mean": of_array("mean.means", lambda a: a.__setitem__((0, 0), -1e200)),
    "no variance": of_values(lambda v: v.update({"current.variance": 1e-320})),
    "infinite variance": of_values(lambda v: v.update({"mean.variance": 1e306})),
    "scaling of 1e9": of_array("current.scaling", lambda a: a * 0 + 1e9),
    "scaling of 1e306": of_array("current.scaling", lambda a: a * 0 + 1e306),
    "proportions of 2": of_array("current.proportions", lambda a: a * 2),
    "negative proportions": of_array("current.proportions", lambda a: a - 2),
    "averages of 1.9": of_array("checkpoint/average", lambda a: a * 0 + 1.9),
    "averages that miss 1": of_array("checkpoint/average", lambda a: a * 0.9),
    "memberships beyond all": of_array(
        "checkpoint/logs", lambda a: np.vstack([a[:1] * 0, a[1:] * 0 - 1e300])
    ),
    "memberships above 1": of_array("checkpoint/logs", lambda a: a + 600.0),
    "a spread below 0": of_array("checkpoint/spread", lambda a: a - 1),
    "sums that are no numbers": of_array("segment_sums", lambda a: a * np.nan),
    "a ragged trace": of_array("trace.words", lambda a: a[:-1]),
    "a trace of other topics": of_array("trace.means", lambda a: a[:, :-1]),
    "a trace without topics": of_array("trace.proportions", lambda a: a[:, 0]),
    "a trace with a hole": without("checkpoint/trace.scaling.npy"),
    "a log joint cut short": of_array("trace.log_joint", lambda a: a[:-1]),
    "a log joint of no numbers": of_array("trace.logit_log_joint", lambda a: a * np.nan),
    "a log joint of two rows": of_array("trace.log_joint", lambda a: np.stack([a, a])),
    "a trace that is unknown": lambda members: (
        members | {"checkpoint/trace.more.npy": npy(np.zeros(3))}
    ),
    "sweeps beyond all": of_values(lambda v: v.update(sweep=2**61)),
    "an age below 0": of_values(lambda v: v.update(age=-1)),
    "a topic twice": of_values(lambda v: v.update(topic_ids=[0, 0, 1])),
    "topics that are no numbers": of_values(lambda v: v.update(topic_ids=["a", "b", "c"])),
    "topics beyond all colours": of_values(
        lambda v: v.update(topic_ids=[0, 1, 2**30], next_topic_id=2**31)
    ),
    "topics of the future": of_values(lambda v: v.update(next_topic_id=1)),
    "a mark that is no text": of_values(lambda v: v.update(marks=[[1, 2]])),
    "a quality that is no number": of_values(
        lambda v: v["ladder"].update(qualities=[float("nan")])
    ),
    "means of 1e306 in a bookmark": of_array(
        "chain.current.means", lambda a: np.full_like(a, 1e306)
    ),
    "a ragged trace in a bookmark": of_array("chain.trace.log_joint", lambda a: a[:-1]),
    "a bookmark without its chain": lambda members: {
        name: content for name, content in members.items() if "chain.current.means" not in name
    },
    "a run of a bookmark that is no text": of_array("run", lambda a: a[::-1]),
    "a run of a bookmark that is no bytes": of_array("run", lambda a: a.astype(np.float64)),
    "a run of a bookmark that is a bomb": of_array(
        "run", lambda a: np.frombuffer(b"[" + b"[]," * 1_500_000 + b"[]]", np.uint8)
    ),
    "topics twice in the journal of a bookmark": of_run(
        lambda v: v["journal"]["start"].update(topic_ids=[0, 0, 1])
    ),
    "a bookmark without a start": of_run(lambda v: v["journal"].update(start=None)),
    "a bookmark of endless sweeps": of_run(lambda v: v["journal"].update(sweeps=2**61)),
    "a bookmark's age below 0": of_run(lambda v: v["checkpoint"].update(age=-1)),
    "a bookmark of 1.9": of_array("memberships_0", lambda a: a * 0 + 1.9),
    "a bookmark that misses 1": of_array("memberships_0", lambda a: a * 0.5),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_no_chain_can_have_written_is_refused_on_reading(saved: Path, name: str) -> None:
    path = saved.with_name("wrong.pmlda")
    path.write_bytes(packed(IMPOSSIBLE[name](members_of(saved))))
    with pytest.raises(PmldaError, match=r"wrong\.pmlda cannot be opened because") as caught:
        archive.load(path)
    assert str(caught.value).isprintable()
    assert "damaged or cut short" not in str(caught.value), "the reason is told"


@pytest.mark.parametrize("sweeps", [0, 1, 70, 140])
def test_what_a_chain_has_written_is_never_refused(tmp_path: Path, sweeps: int) -> None:
    running = run(sweeps)
    path = tmp_path / "good.pmlda"
    archive.save(path, stored_session(tmp_path), running)
    resumed = resume(archive.load(path), threads=1)
    resumed.sweep(1)
    assert resumed.sweeps == sweeps + 1


EXTREME: dict[str, Change] = {
    "means of 1e15": of_array("current.means", lambda a: a * 0 + 1e15),
    "one mean of -1e15": of_array("current.means", lambda a: a.__setitem__(0, -1e15)),
    "means that are all one": of_array("current.means", lambda a: a * 0),
    "scaling of 1e8": of_array("current.scaling", lambda a: a * 0 + 1e8),
    "scaling of next to nothing": of_array("current.scaling", lambda a: a * 0 + 1e-300),
    "documents of one topic": of_array(
        "current.proportions", lambda a: np.eye(a.shape[1])[np.zeros(len(a), np.int64)]
    ),
    "words of one topic": of_array(
        "checkpoint/logs", lambda a: np.vstack([a[:1] * 0, a[1:] * 0 - 1e15])
    ),
    "the least variance": of_values(lambda v: v.update({"current.variance": 1e-300})),
    "the largest variance": of_values(lambda v: v.update({"current.variance": 1e30})),
}


@pytest.mark.parametrize("name", EXTREME)
@pytest.mark.parametrize("make", [run, field_run])
def test_a_chain_goes_on_from_the_most_extreme_values_that_are_accepted(
    tmp_path: Path, make: Callable[[int], Run], name: str
) -> None:
    path = tmp_path / "extreme.pmlda"
    archive.save(path, stored_session(tmp_path), make(3))
    path.write_bytes(packed(EXTREME[name](members_of(path))))
    loaded = archive.load(path)
    resumed = resume(loaded, threads=1)
    resumed.sweep(4)
    for found in resumed.segmentations():
        sums = found.memberships.sum(axis=0)[found.valid]
        np.testing.assert_allclose(sums, 1.0, atol=0.01)
        assert np.isfinite(found.means).all()
    resumed.diagnosis()
    archive.save(path, loaded.session, resumed)
    assert archive.load(path).checkpoint is not None, "what is saved then can be read"


@pytest.mark.parametrize(
    ("centre", "deviation", "low", "high"),
    [
        (float("nan"), 1.0, -1.0, 1.0),
        (0.0, float("inf"), -1.0, 1.0),
        (1e306, 1e-300, -1.0, 1.0),
        (0.0, 1.0, float("-inf"), 1.0),
    ],
)
def test_a_draw_from_absurd_numbers_ends_in_a_sentence(
    centre: float, deviation: float, low: float, high: float
) -> None:
    with pytest.raises(PmldaError, match="left all sensible values"):
        truncated_normal(np.random.default_rng(0), centre, deviation, low, high)


BOMBS = {
    "many empty lists": b"[" + b"[]," * 3_000_000 + b"[]]",
    "many empty tables": b"[" + b"{}," * 3_000_000 + b"{}]",
    "many numbers": b"[" + b"0," * 5_000_000 + b"0]",
    "many names": b"{" + b'"":0,' * 3_000_000 + b'"":0}',
    "deep lists": b"[" * 500 + b"]" * 500,
    "deep tables": b'{"a":' * 200 + b"0" + b"}" * 200,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_json_bomb_is_refused_before_it_is_parsed(
    saved: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = saved.with_name("bomb.pmlda")
    members = members_of(saved) | {"session.json": BOMBS[name]}
    path.write_bytes(packed(members))
    parsed: list[int] = []

    def parse(text: str | bytes, **settings: Any) -> Any:
        parsed.append(len(text))
        return decode(text, **settings)

    decode = json.loads
    monkeypatch.setattr(json, "loads", parse)
    with pytest.raises(PmldaError, match=r"session\.json (holds more|is nested)"):
        archive.load(path)
    assert parsed, "the description was"
    assert len(BOMBS[name]) not in parsed


def test_several_documents_share_one_budget() -> None:
    budget = JsonBudget(100)
    assert budget.parse(b"[" + b"1," * 50 + b"1]") == [1] * 51
    with pytest.raises(OverBudgetError):
        budget.parse(b"[" + b"1," * 50 + b"1]")


def test_brackets_and_quotes_inside_texts_do_not_count() -> None:
    text = '[{,}]"\\' * 200
    assert JsonBudget(100).parse(json.dumps({"a": text, text: [text]}).encode())["a"] == text
    nested: Any = 0
    for _ in range(DEEPEST):
        nested = [nested]
    assert JsonBudget(100).parse(json.dumps(nested).encode()) == nested


@pytest.mark.parametrize("text", [b"[NaN]", b"[Infinity]", '["\u2200"]'.encode("utf-16")])
def test_documents_that_are_not_plain_json_are_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"not a number|can't decode"):
        JsonBudget(100).parse(text)


OPENS = {
    "workspace": "from pmlda_gui.workspace.archive import load as do",
    "manifest": "from pmlda_gui.workspace.archive.reading import read_manifest as do",
    "digest": "from pmlda_gui.workspace.hashing import file_digest as do",
}


@pytest.mark.skipif(sys.platform != "linux", reason="pipes and limits are those of Linux")
@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("what", OPENS)
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, what: str, kind: str) -> None:
    import resource

    path = tmp_path / "odd.pmlda"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    program = (
        f"import sys\nfrom pathlib import Path\n{OPENS[what]}\n"
        "try:\n    do(Path(sys.argv[1]))\nexcept ValueError as error:\n    print(error)"
    )
    limits = {resource.RLIMIT_AS: 2 << 30, resource.RLIMIT_CPU: 12}
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        preexec_fn=lambda: [resource.setrlimit(each, (n, n)) for each, n in limits.items()],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert "choose a regular file." in done.stdout, done.stderr[-300:]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are of POSIX")
def test_a_pipe_in_the_place_of_a_workspace_or_beside_it_does_not_hold_up_saving(
    tmp_path: Path,
) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom pmlda_gui.workspace import archive\n"
        "from pmlda_gui.workspace.session import Session\n"
        "try:\n    archive.save(Path(sys.argv[1]), Session())\n    print('saved')\n"
        "except ValueError as error:\n    print(error)"
    )
    os.mkfifo(tmp_path / ".a.pmlda.planted.unfinished")
    os.mkfifo(tmp_path / "b.pmlda")
    for name, said in (("a.pmlda", "saved"), ("b.pmlda", "b.pmlda is a folder, a pipe or a dev")):
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / name)],
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert said in done.stdout, done.stderr
