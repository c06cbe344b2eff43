"""Drawing on the pictures, as a state that the mouse and the keyboard move."""

from __future__ import annotations

from typing import Any

import pytest

from pmlda_gui.gui.views.drawing import Drawing


@pytest.fixture
def drawn(qapp: object) -> tuple[Drawing, list[Any]]:
    drawing, found = Drawing(), []
    drawing.finished.connect(lambda kind, points: found.append((kind, points)))
    return drawing, found


def _drag(drawing: Drawing, *points: tuple[float, float]) -> None:
    drawing.press(points[0])
    for point in points[1:]:
        drawing.move(point, 1.0)
    drawing.release(points[-1])


def test_a_line_is_dragged(drawn: tuple[Drawing, list[Any]]) -> None:
    drawing, found = drawn
    drawing.take_up("profile")
    _drag(drawing, (1.0, 2.0), (30.0, 2.0), (50.0, 9.0))
    assert found == [("profile", ((1.0, 2.0), (50.0, 9.0)))]
    assert drawing.tool is not None
    assert not drawing.begun


def test_a_line_is_given_by_two_clicks(drawn: tuple[Drawing, list[Any]]) -> None:
    drawing, found = drawn
    drawing.take_up("profile")
    _drag(drawing, (1.0, 2.0))
    assert found == []
    drawing.move((20.0, 20.0), 1.0)
    assert drawing.outline == ((1.0, 2.0), (20.0, 20.0))
    _drag(drawing, (40.0, 20.0))
    assert found == [("profile", ((1.0, 2.0), (40.0, 20.0)))]


def test_a_rectangle_has_four_corners(drawn: tuple[Drawing, list[Any]]) -> None:
    drawing, found = drawn
    drawing.take_up("rectangle")
    _drag(drawing, (10.0, 10.0), (30.0, 20.0))
    assert found == [("region", ((10.0, 10.0), (30.0, 10.0), (30.0, 20.0), (10.0, 20.0)))]


def test_a_polygon_is_clicked_and_ended(drawn: tuple[Drawing, list[Any]]) -> None:
    drawing, found = drawn
    drawing.take_up("polygon")
    for point in ((0.0, 0.0), (40.0, 0.0), (99.0, 99.0), (40.0, 40.0)):
        _drag(drawing, point)
        if point == (99.0, 99.0):
            drawing.take_back()
    drawing.end()
    assert found == [("region", ((0.0, 0.0), (40.0, 0.0), (40.0, 40.0)))]


def test_a_lasso_follows_the_hand(drawn: tuple[Drawing, list[Any]]) -> None:
    drawing, found = drawn
    drawing.take_up("lasso")
    way = [(0.0, 0.0), (0.5, 0.5), (20.0, 0.0), (20.0, 20.0), (0.0, 20.0)]
    _drag(drawing, *way)
    assert found == [("region", ((0.0, 0.0), (20.0, 0.0), (20.0, 20.0), (0.0, 20.0)))]


def test_a_path_is_put_by_the_keyboard(drawn: tuple[Drawing, list[Any]]) -> None:
    drawing, found = drawn
    drawing.take_up("measure")
    drawing.put((1.0, 1.0))
    drawing.put((5.0, 1.0))
    drawing.put((5.0, 1.0))
    drawing.end()
    assert found == [("measurement", ((1.0, 1.0), (5.0, 1.0)))]


def test_giving_up_drops_the_shape_first_and_then_the_tool(
    drawn: tuple[Drawing, list[Any]],
) -> None:
    drawing, found = drawn
    drawing.take_up("measure")
    drawing.put((1.0, 1.0))
    drawing.give_up()
    assert (drawing.begun, drawing.tool is None) == (False, False)
    drawing.give_up()
    assert drawing.tool is None
    drawing.put((1.0, 1.0))
    assert found == []


def test_too_few_points_make_no_shape(drawn: tuple[Drawing, list[Any]]) -> None:
    drawing, found = drawn
    for tool in ("polygon", "measure"):
        drawing.take_up(tool)
        drawing.put((1.0, 1.0))
        drawing.end()
    drawing.take_up("lasso")
    _drag(drawing, (3.0, 3.0))
    assert found == []
