"""Strokes: what they paint, what lies over what, and that sessions keep and check them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace.archive import load, save
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.session import ImageEntry, Session
from pmlda_gui.workspace.strokes import Stroke, painted, spans_of
from tests.workspace.small_runs import LATTICE, SHAPE, field_run, prepared, stored_session

SMALL = (20, 30)


def mask_of(stroke: Stroke) -> np.ndarray:
    mask = np.zeros(SMALL, np.bool_)
    mask.flat[stroke.pixels(SMALL)] = True
    return mask


def box(left: int, top: int, right: int, bottom: int, **more: object) -> Stroke:
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return Stroke(0, "polygon", points=tuple((float(x), float(y)) for x, y in corners), **more)


def test_a_brush_paints_a_band_and_a_polygon_its_inside() -> None:
    band = mask_of(Stroke(0, "brush", points=((5.0, 10.0), (25.0, 10.0)), radius=2.0))
    assert band[8:12, 5:25].all()
    assert band.sum() < 4 * 20 + 4 * 5
    np.testing.assert_array_equal(np.argwhere(mask_of(box(3, 4, 8, 9)))[[0, -1]], [[4, 3], [8, 7]])
    assert mask_of(Stroke(0, "brush", points=((3.2, 4.8),))).sum() == 1


def test_spans_paint_the_mask_they_were_made_of() -> None:
    mask = np.random.default_rng(1).random(SMALL) < 0.4
    np.testing.assert_array_equal(mask_of(Stroke(0, "spans", spans=spans_of(mask))), mask)


def test_what_is_painted_later_lies_over_what_was_there() -> None:
    first, over = box(0, 0, 10, 10, topic=1), box(5, 0, 15, 10, topic=2)
    hints = painted([first, over], [SMALL])
    assert [(hint.topic, hint.pixels.size) for hint in hints] == [(1, 50), (2, 100)]
    erased = painted([first, over, box(0, 0, 15, 5, mark="erase")], [SMALL])
    assert [hint.pixels.size for hint in erased] == [25, 50]
    against = painted([box(0, 0, 4, 4, topic=t, mark="not") for t in (0, 1)], [SMALL])
    assert [(hint.topic, hint.against, hint.pixels.size) for hint in against] == [
        (0, True, 16), (1, True, 16),
    ]  # fmt: skip


def test_a_session_keeps_strokes_and_they_follow_their_images(tmp_path: Path) -> None:
    strokes = (
        Stroke(0, "brush", points=((5.0, 10.0), (25.0, 10.0)), radius=2.0),
        box(3, 4, 8, 9, mark="not", topic=2, strength=3.0),
        Stroke(0, "spans", "erase", spans=((1, 2, 3),)),
    )
    session = stored_session(tmp_path, features=LATTICE, parameters=Parameters(3))
    session = session.replace(strokes=strokes)
    save(tmp_path / "painted.pmlda", session)
    assert load(tmp_path / "painted.pmlda").session.strokes == strokes
    other = ImageEntry(scene="demo")
    moved = session.with_images((other, *session.images))
    assert {stroke.image for stroke in moved.strokes} == {1}
    assert moved.with_images((other,)).strokes == ()


@pytest.mark.parametrize(
    "damage",
    [{"strength": -1.0}, {"kind": "paint"}, {"points": [[1.0, 1e300]]}, {"topic": -1},
     {"spans": [[0, 5, 2]]}, {"mark": "maybe"}, {"radius": 1e9}],
)  # fmt: skip
def test_strokes_that_cannot_be_are_refused_on_reading(damage: dict[str, object]) -> None:
    stroke = Stroke(0, "brush", points=((5.0, 10.0),), radius=2.0)
    values = json.loads(json.dumps(Session(strokes=(stroke,)).to_values()))
    values["strokes"][0] |= damage
    with pytest.raises(PmldaError):
        Session.from_values(values)


def test_a_run_that_begins_with_hints_gives_their_numbers_to_the_topics_that_lie_there() -> None:
    plain = field_run(0)
    maps = plain.maps()
    assert maps is not None
    labels = maps.memberships.argmax(axis=0)
    strokes = [Stroke(0, "spans", topic=6 - k, spans=spans_of(labels == k)) for k in range(3)]
    begun = Run(
        prepared(LATTICE), Parameters(3), seed=5, threads=1, hints=painted(strokes, [SHAPE])
    )
    assert begun.topic_ids == (6, 5, 4)
    assert begun.awaits_change


def test_hinted_topics_keep_their_numbers_when_topics_come_and_go() -> None:
    begun = field_run(8)
    maps = begun.maps()
    assert maps is not None
    labels = maps.memberships.argmax(axis=0)
    strokes = [
        Stroke(0, "spans", topic=begun.topic_ids[k], spans=spans_of(labels == k)) for k in range(3)
    ]
    begun.set_hints(painted(strokes, [SHAPE]))
    begun.sweep(4)
    for topics in (5, 3, 4):
        begun.set_parameters(Parameters(topics))
        begun.sweep(14)
        assert set(begun.topic_ids) >= {stroke.topic for stroke in strokes}
        shown = begun.maps()
        assert shown is not None
        for k, stroke in enumerate(strokes):
            row = begun.topic_ids.index(stroke.topic)
            assert np.nanmean(shown.memberships[row][labels == k]) > 0.5
