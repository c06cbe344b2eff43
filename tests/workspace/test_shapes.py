"""Profiles, regions and measurements are values that are checked, kept and follow their image."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.history import History
from pmlda_gui.workspace.session import ImageEntry, Session
from pmlda_gui.workspace.shapes import MOST_SHAPES, Shape, next_id, next_name

LINE = Shape(0, "profile", "Across the edge", 0, ((1.5, 2.0), (30.0, 40.5)))
SQUARE = Shape(1, "region", "Patch", 1, ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)))
IMAGES = (ImageEntry(scene="demo"), ImageEntry(scene="crisp-bands"))


def test_a_session_comes_back_from_json_with_its_shapes() -> None:
    session = Session(images=IMAGES, shapes=(LINE, SQUARE))
    assert Session.from_values(json.loads(json.dumps(session.to_values()))) == session


def test_a_workspace_file_keeps_shapes(tmp_path: Path) -> None:
    session = Session(images=IMAGES, shapes=(LINE, SQUARE))
    archive.save(tmp_path / "kept.pmlda", session)
    assert archive.load(tmp_path / "kept.pmlda").session.shapes == (LINE, SQUARE)


def test_drawing_a_shape_is_a_step_that_can_be_undone() -> None:
    history = History(Session(images=IMAGES))
    history.do("Draw Patch", history.session.replace(shapes=(SQUARE,)))
    history.undo()
    assert history.session.shapes == ()
    history.redo()
    assert history.session.shapes == (SQUARE,)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"id": -1}, "negative"),
        ({"image": -1}, "negative"),
        ({"name": "  "}, "name"),
        ({"points": ((1.0, 2.0),)}, "points"),
        ({"points": ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))}, "straight line"),
        ({"points": ((1.0, 2.0), (float("nan"), 4.0))}, "any image"),
        ({"points": ((1.0, 2.0), (1e9, 4.0))}, "any image"),
        ({"points": ((1.0, 2.0), (1.0, 2.0))}, "the same"),
        ({"kind": "region"}, "points"),
    ],
)
def test_a_shape_that_cannot_be_is_refused(changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(PmldaError, match=complaint):
        replace(LINE, **changes)  # type: ignore[arg-type]


def test_a_damaged_shape_in_a_file_is_refused_with_its_place() -> None:
    values = Session(images=IMAGES, shapes=(LINE,)).to_values()
    values["shapes"][0]["points"][1] = [3.0, "x"]
    with pytest.raises(PmldaError, match="shapes 1, points 2 2"):
        Session.from_values(values)
    values = Session(images=IMAGES, shapes=(LINE,)).to_values()
    values["shapes"][0]["kind"] = "circle"
    with pytest.raises(PmldaError, match="kind"):
        Session.from_values(values)


def test_a_session_refuses_shapes_of_one_number_and_too_many() -> None:
    with pytest.raises(PmldaError, match="same number"):
        Session(shapes=(LINE, replace(SQUARE, id=0)))
    with pytest.raises(PmldaError, match="delete some"):
        Session(shapes=tuple(replace(LINE, id=number) for number in range(MOST_SHAPES + 1)))


def test_shapes_follow_their_image_and_go_with_it() -> None:
    session = Session(images=IMAGES, shapes=(LINE, SQUARE))
    swapped = session.with_images((IMAGES[1], IMAGES[0]))
    assert [shape.image for shape in swapped.shapes] == [1, 0]
    left = session.with_images((IMAGES[1],))
    assert left.shapes == (replace(SQUARE, image=0),)


def test_new_shapes_get_free_numbers_and_names() -> None:
    assert (next_id(()), next_name((), "profile")) == (0, "Profile 1")
    taken = (LINE, replace(SQUARE, id=7, name="Profile 1"))
    assert (next_id(taken), next_name(taken, "profile")) == (8, "Profile 2")
