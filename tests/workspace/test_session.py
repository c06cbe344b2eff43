"""A session is one frozen value that survives JSON and refuses what cannot be."""

import copy
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.display import COLOUR_MAPS, Display
from pmlda_gui.imagery.readers import ReadOptions
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice
from pmlda_gui.workspace.session import Bookmark, ImageEntry, OutlineLook, Session, TopicLook

numbers = st.floats(0.01, 100.0)
names = st.text(min_size=1, max_size=20).filter(lambda text: bool(text.strip()))
colours = st.tuples(*[st.integers(0, 255)] * 3)
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)
keys = st.text(max_size=5)
plain = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    topics = draw(st.integers(2, 4))
    session = Session(
        images=(
            ImageEntry(scene="demo"),
            ImageEntry(
                Path("survey") / "line 1.tif",
                draw(st.sampled_from(["", "0f" * 32])),
                ReadOptions(band=draw(st.none() | st.integers(1, 3) | names), channels=(1, 2)),
            ),
        ),
        features=FeatureChoice(draw(st.sampled_from(["seabed", ("mean", "std")])), window=9),
        documents=DocumentChoice("window", window=draw(st.none() | st.integers(5, 50))),
        label_file=draw(st.sampled_from([None, Path("labels.png")])),
        parameters=Parameters(
            topics,
            alpha=draw(numbers | st.lists(numbers, min_size=topics, max_size=topics).map(tuple)),
            rate=draw(numbers),
            scaling=draw(st.none() | numbers),
        ),
        seed=draw(st.integers(0, 2**63 - 1)),
        topics=tuple(
            TopicLook(number, draw(names), draw(colours), draw(st.none() | st.just(99)))
            for number in draw(st.permutations(range(topics)))
        ),
        display=Display(low=draw(st.floats(0, 40)), colours=draw(st.sampled_from(COLOUR_MAPS))),
        outlines=OutlineLook(draw(st.booleans()), draw(colours), draw(st.floats(0, 1))),
        view=draw(st.dictionaries(keys, plain, max_size=3)),
    )
    bookmarks = tuple(
        Bookmark(draw(names), draw(st.integers(0, 10**6)), f"key{number}", session)
        for number in range(draw(st.integers(0, 2)))
    )
    return session.replace(bookmarks=bookmarks)


@given(sessions())
def test_a_session_survives_json(session: Session) -> None:
    assert Session.from_values(json.loads(json.dumps(session.to_values()))) == session


def _places(values: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    here = [at] if at else []
    if isinstance(values, dict):
        return here + [p for key, value in values.items() for p in _places(value, (*at, key))]
    if isinstance(values, list):
        return here + [p for n, value in enumerate(values) for p in _places(value, (*at, n))]
    return here


WRONG = (None, True, -1, 10**400, 1.5, float("nan"), "", "x" * 300, "\0", [], [[]], {}, {"a": 1})


@given(sessions(), st.data())
def test_whatever_is_wrong_in_stored_values_is_a_sentence_or_harmless(
    session: Session, data: st.DataObject
) -> None:
    values = copy.deepcopy(session.to_values())
    place = data.draw(st.sampled_from(_places(values)))
    inner = values
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = data.draw(st.sampled_from(WRONG))
    try:
        changed = Session.from_values(values)
    except PmldaError:
        return
    assert Session.from_values(json.loads(json.dumps(changed.to_values()))) == changed


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ([], "The session is .*must be a table"),
        ({"seed": "7"}, "seed is '7', but must be a whole number"),
        ({"seed": True}, "seed is True, but must be a whole number"),
        ({"seed": -1}, "between 0 and"),
        ({"colour": 1}, "unknown entry 'colour'"),
        ({"images": [{"path": "a", "scene": "b"}]}, "either a file or a synthetic scene"),
        ({"images": [{"path": "a", "digest": "short"}]}, "not a SHA-256"),
        ({"display": {"scale": "cubic"}}, "must be one of linear, log"),
        ({"outlines": {"opacity": float("nan")}}, "must be a finite number"),
        ({"topics": [{"id": 1, "name": "a"}]}, "lacks 'colour'"),
        ({"topics": [{"id": 1, "name": "a", "colour": [0, 0]}]}, "must be a list of 3"),
        ({"topics": [{"id": 1, "name": "a", "colour": [0, 0, 256]}]}, "three numbers 0 to 255"),
        ({"parameters": {"topics": 1}}, "from 2 to"),
    ],
)
def test_a_complaint_names_what_is_wrong(values: Any, complaint: str) -> None:
    with pytest.raises(PmldaError, match=complaint):
        Session.from_values(values)


def test_values_nested_without_end_are_refused() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    with pytest.raises(PmldaError, match="deep"):
        Session.from_values({"view": {"a": deep}})


def test_nothing_in_a_session_can_be_changed_in_place() -> None:
    inner = {"zoom": [1, 2]}
    session = Session(view={"map": inner})
    inner["zoom"].append(3)
    assert session.view["map"]["zoom"] == (1, 2)
    with pytest.raises(TypeError):
        session.view["map"]["zoom"] = 3  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        session.seed = 4  # type: ignore[misc]


def test_replacing_checks_again() -> None:
    look = TopicLook(0, "sand", (1, 2, 3))
    with pytest.raises(PmldaError, match="same number"):
        Session().replace(topics=(look, look))
    with pytest.raises(PmldaError, match="merged into itself"):
        dataclasses.replace(look, merged_into=0)


def test_a_bookmark_holds_no_bookmarks() -> None:
    inner = Session(bookmarks=(Bookmark("a", 1, "k", Session()),))
    with pytest.raises(PmldaError, match="hold bookmarks themselves"):
        Bookmark("b", 2, "m", inner)


def test_paths_of_bookmarked_settings_change_with_the_others() -> None:
    plain_session = Session(images=(ImageEntry(Path("a.png")),), label_file=Path("b.png"))
    session = plain_session.replace(bookmarks=(Bookmark("x", 1, "k", plain_session),))
    moved = session.with_paths(lambda path: Path("new") / path)
    for each in (moved, moved.bookmarks[0].session):
        assert each.images[0].path == Path("new/a.png")
        assert each.label_file == Path("new/b.png")


def test_the_entry_of_a_file_knows_its_contents(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"abc")
    assert ImageEntry.of_file(path).digest.startswith("ba7816bf8f01cfea414140de5dae2223")
    with pytest.raises(PmldaError, match=r"gone\.bin cannot be read"):
        ImageEntry.of_file(tmp_path / "gone.bin")
