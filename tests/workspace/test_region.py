"""Regions: what they hold, against the rest of the image."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.workspace.analysis.ground import ground_at, measure
from pmlda_gui.workspace.analysis.region import RegionReport, inside, region_of
from pmlda_gui.workspace.analysis.tables import measurement_table, region_table
from pmlda_gui.workspace.shapes import Point, Shape
from tests.workspace.straight_edges import HEIGHT, WIDTH, bright_topic, edge_run, scene


def _rectangle(left: float, top: float, right: float, bottom: float) -> tuple[Point, ...]:
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def _region(corners: tuple[Point, ...], **more: object) -> RegionReport:
    return region_of(edge_run(0), Shape(0, "region", "Patch", 0, corners), **more)  # type: ignore[arg-type]


def test_pixels_are_inside_by_their_middle() -> None:
    rows, columns = np.arange(10), np.arange(12)
    found = inside(_rectangle(2.0, 3.0, 5.0, 7.0), rows, columns)
    assert found.sum() == 12
    assert found[3:7, 2:5].all()
    assert inside(_rectangle(2.4, 3.0, 5.0, 7.0), rows, columns).sum() == 12
    assert inside(_rectangle(2.6, 3.0, 5.0, 7.0), rows, columns).sum() == 8


def test_a_polygon_may_be_hollow_and_cross_itself() -> None:
    rows, columns = np.arange(40), np.arange(40)
    notched = ((0.0, 0.0), (40.0, 0.0), (40.0, 40.0), (20.0, 10.0), (0.0, 40.0))
    found = inside(notched, rows, columns)
    assert found[2].all()
    assert not found[35, 20]
    bow = ((0.0, 0.0), (40.0, 40.0), (40.0, 0.0), (0.0, 40.0))
    found = inside(bow, rows, columns)
    assert found[20, 2]
    assert found[20, 37]
    assert not found[2, 20]


def test_a_region_at_the_left_is_bright_and_the_rest_half_and_half() -> None:
    bright = bright_topic(edge_run(0))
    found = _region(_rectangle(5.0, 20.0, 85.0, 120.0))
    assert found.inside.means[bright] > 0.9
    assert found.inside.leads[bright] > 0.97
    assert found.inside.means.sum() == pytest.approx(1.0, abs=1e-3)
    assert 0.0 < found.inside.deviation[bright] < 0.1
    assert found.rest is not None
    assert found.rest.means[bright] < 0.5


def test_areas_are_in_square_metres_as_drawn_and_as_mapped() -> None:
    size = scene(0).pixel_size
    assert size is not None
    found = _region(_rectangle(-20.0, 10.0, 30.0, 60.0))
    assert found.unit == "m"
    assert found.area == pytest.approx(2500.0 * size**2)
    assert found.pixels == 1500
    assert found.mapped_area == pytest.approx(1500.0 * size**2)


def test_documents_are_told_by_their_share() -> None:
    found = _region(_rectangle(0.0, 0.0, WIDTH / 2, HEIGHT))
    assert sum(each.of_region for each in found.documents) == pytest.approx(1.0)
    shares = [each.of_region for each in found.documents]
    assert shares == sorted(shares, reverse=True)
    assert all(0.0 < each.of_document <= 1.0 for each in found.documents)
    assert any(each.of_document == 1.0 for each in found.documents)


def test_the_histogram_tells_bright_from_dark() -> None:
    found = _region(_rectangle(5.0, 5.0, 90.0, 140.0), feature="mean").histogram
    middles = (found.edges[1:] + found.edges[:-1]) / 2
    widths = np.diff(found.edges)
    assert (found.inside * widths).sum() == pytest.approx(1.0)
    assert (found.rest * widths).sum() == pytest.approx(1.0)
    assert (found.inside * widths) @ middles > 1.3 * ((found.rest * widths) @ middles)
    with pytest.raises(PmldaError, match="no feature"):
        _region(_rectangle(5.0, 5.0, 90.0, 140.0), feature="smell")


def test_merged_topics_are_one() -> None:
    found = _region(_rectangle(5.0, 20.0, 85.0, 120.0), groups=[(0, 1)])
    assert found.inside.means == pytest.approx([1.0], abs=1e-3)
    assert found.inside.leads == pytest.approx([1.0])


def test_a_region_of_everything_has_no_rest() -> None:
    assert _region(_rectangle(-5.0, -5.0, WIDTH + 5.0, HEIGHT + 5.0)).rest is None


def test_a_region_beside_the_image_is_refused_and_a_long_look_can_be_stopped() -> None:
    with pytest.raises(PmldaError, match="beside the image"):
        _region(_rectangle(-50.0, -50.0, -10.0, -10.0))
    with pytest.raises(Cancelled):
        _region(_rectangle(5.0, 5.0, 90.0, 140.0), cancel=lambda: True)


def test_regions_and_measurements_are_written_as_tables() -> None:
    rows = region_table([_region(_rectangle(5.0, 20.0, 85.0, 120.0))], ["a", "b"]).decode()
    assert [row.split(",")[1] for row in rows.splitlines()[1:]] == ["region", "rest of the image"]
    points = ((0.0, 0.0), (40.0, 0.0))
    shape = Shape(0, "measurement", "Length", 0, points)
    ground = ground_at(scene(0).image, points)
    table = measurement_table([(shape, measure(ground, points))]).decode()
    assert table.splitlines()[1] == "Length,m,1,90,up in the image,"
