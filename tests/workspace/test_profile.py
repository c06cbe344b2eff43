"""Profiles: memberships along a line, and transitions whose width is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.analysis.profile import Profile, profile_of
from pmlda_gui.workspace.analysis.tables import profile_table, transition_table
from pmlda_gui.workspace.analysis.transitions import find_transitions
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.shapes import Point, Shape
from tests.workspace.straight_edges import HEIGHT, WIDTH, bright_topic, edge_run, scene

ROWS = (40.5, 75.5, 110.5)


def _line(start: Point, end: Point) -> Shape:
    return Shape(0, "profile", "Across", 0, (start, end))


def _across(width: float, row: float = 75.5) -> Profile:
    return profile_of(edge_run(width), _line((10.0, row), (WIDTH - 10.0, row)))


def _true_width(width: float) -> float:
    """The width between 10 and 90 % of the scene's own memberships, in pixels."""
    (found,) = find_transitions(np.arange(WIDTH, dtype=float), scene(width).memberships[:, 75])
    return found.width


def test_a_profile_is_the_map_along_its_line_in_metres() -> None:
    run, found = edge_run(80), _across(80)
    assert found.unit == "m"
    size = scene(80).pixel_size
    assert size is not None
    assert found.length == pytest.approx((WIDTH - 20) * size)
    maps = run.maps()
    assert maps is not None
    columns = np.arange(20, WIDTH - 20, 20)
    along = np.array([np.interp((columns - 9.5) * size, found.distances, m) for m in found.means])
    assert np.abs(along - maps.memberships[:, 75, columns]).max() < 0.03
    assert found.means.sum(axis=0) == pytest.approx(1.0, abs=1e-3)
    assert found.bearing == pytest.approx(90.0)


def test_bands_are_wide_in_the_transition_and_narrow_where_the_seabed_is_pure() -> None:
    found = _across(80)
    middle = np.abs(found.distances - found.length / 2) < found.length / 10
    ends = np.abs(found.distances - found.length / 2) > 0.4 * found.length
    assert found.deviation[0, middle].mean() > 1.4 * found.deviation[0, ends].mean()


@pytest.mark.parametrize("width", [50, 80, 120])
def test_the_true_width_lies_in_the_stated_interval(width: float) -> None:
    size = scene(width).pixel_size
    assert size is not None
    inside = 0
    for row in ROWS:
        (found,) = _across(width, row).transitions
        assert found.transition.before == bright_topic(edge_run(width))
        assert found.transition.centre == pytest.approx(120.0 * size, abs=12.0 * size)
        inside += found.low <= _true_width(width) * size <= found.high
        assert found.high - found.low < 2.0 * found.transition.width
    assert inside >= 2


def test_of_a_crisp_border_no_more_is_said_than_that_it_is_narrow() -> None:
    for row in ROWS:
        profile = _across(0, row)
        (found,) = profile.transitions
        assert found.low < 0.6 * profile.smallest
        assert found.transition.width < 1.6 * profile.smallest


def test_a_line_that_goes_back_sees_the_same_transition_the_other_way() -> None:
    forth, back = _across(80), profile_of(edge_run(80), _line((WIDTH - 10.0, 75.5), (10.0, 75.5)))
    (there,), (here,) = forth.transitions, back.transitions
    assert (there.transition.before, there.transition.after) == (
        here.transition.after,
        here.transition.before,
    )
    assert there.transition.width == pytest.approx(here.transition.width, rel=0.05)


def test_a_slanted_line_is_as_much_longer_across_the_same_transition() -> None:
    straight, slanted = _across(80), profile_of(edge_run(80), _line((70.0, 15.0), (190.0, 135.0)))
    (first,), (second,) = straight.transitions, slanted.transitions
    ratio = second.transition.width / first.transition.width
    assert ratio == pytest.approx(np.sqrt(2.0), rel=0.25)


def test_merged_topics_are_one_and_have_no_transition() -> None:
    found = profile_of(edge_run(80), _line((10.0, 75.5), (250.0, 75.5)), groups=[(0, 1)])
    assert found.means.shape[0] == 1
    assert found.means == pytest.approx(1.0, abs=1e-3)
    assert found.deviation == pytest.approx(0.0, abs=0.01)
    assert found.transitions == ()


def test_a_line_may_begin_outside_the_image_but_must_cross_it() -> None:
    found = profile_of(edge_run(80), _line((-50.0, 75.5), (WIDTH / 2, 75.5)))
    outside = found.distances < 0.24 * found.length
    assert np.isnan(found.means[:, outside]).all()
    assert not np.isnan(found.means[:, found.distances > 0.3 * found.length]).any()
    with pytest.raises(PmldaError, match="crosses no part"):
        profile_of(edge_run(80), _line((-50.0, -50.0), (-10.0, -20.0)))
    with pytest.raises(PmldaError, match="no longer open"):
        profile_of(edge_run(80), replace(_line((0.0, 0.0), (9.0, 9.0)), image=3))


def test_a_profile_can_be_stopped() -> None:
    with pytest.raises(Cancelled):
        profile_of(edge_run(80), _line((10.0, 75.5), (250.0, 75.5)), cancel=lambda: True)


def test_where_pixels_have_no_size_lengths_are_in_pixels() -> None:
    run = edge_run(80)
    untuned = run.prepared.untuned
    assert untuned is not None
    image = untuned.images[0]
    bare = replace(untuned, images=(Image(image.pixels, image.valid),))
    other = Run(bare, run.parameters, seed=3, threads=1)
    other.sweep(20)
    found = profile_of(other, _line((10.0, 75.5), (WIDTH - 10.0, 75.5)))
    assert (found.unit, found.length) == ("px", pytest.approx(WIDTH - 20.0))
    assert HEIGHT > found.smallest > 15.0
    other.close()


def test_a_profile_is_written_as_tables() -> None:
    profile = _across(80)
    lines = profile_table(profile, ["bright", "=dark"]).decode().splitlines()
    assert lines[0] == "distance [m],bright,deviation of bright,'=dark,deviation of =dark"
    assert len(lines) == len(profile.distances) + 1
    rows = transition_table([profile], ["bright", "dark"]).decode().splitlines()
    assert len(rows) == 2
    assert rows[1].startswith("Across,")
