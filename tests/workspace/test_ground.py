"""Lengths, areas and bearings on the ground, whatever pixels look like."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rasterio.crs import CRS

from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.workspace.analysis.ground import ground_at, measure

UTM = str(CRS.from_epsg(32632).to_wkt())
DEGREES = str(CRS.from_epsg(4326).to_wkt())
CORNERS = ((10.0, 10.0), (30.0, 10.0), (30.0, 20.0), (10.0, 20.0))


def _image(size: float | None = None, place: Georeference | None = None) -> Image:
    return Image(np.zeros((40, 50), np.float32), np.ones((40, 50), np.bool_), size, place)


def test_without_a_pixel_size_everything_is_in_pixels_and_up_is_up() -> None:
    found = measure(ground_at(_image(), CORNERS), CORNERS)
    assert (found.unit, found.is_true) == ("px", False)
    assert found.length == pytest.approx(50.0)
    assert found.area == pytest.approx(200.0)
    ground = ground_at(_image(), CORNERS)
    assert ground.bearing((0.0, 10.0), (0.0, 0.0)) == pytest.approx(0.0)
    assert ground.bearing((0.0, 0.0), (5.0, 0.0)) == pytest.approx(90.0)
    assert ground.bearing((0.0, 0.0), (-5.0, 5.0)) == pytest.approx(225.0)


def test_a_pixel_size_makes_metres() -> None:
    found = measure(ground_at(_image(0.5), CORNERS), CORNERS)
    assert found.unit == "m"
    assert found.length == pytest.approx(25.0)
    assert found.area == pytest.approx(50.0)


def test_a_path_of_two_points_has_no_area_and_a_closed_one_no_bearing() -> None:
    ground = ground_at(_image(), CORNERS)
    assert measure(ground, CORNERS[:2]).area is None
    assert measure(ground, (*CORNERS, CORNERS[0])).bearing is None


def test_pixels_in_utm_may_be_oblong_and_bearings_are_true() -> None:
    # Two degrees east of the zone's meridian at 50 degrees, grid north is 1.53 degrees off.
    place = Georeference(UTM, (0.5, 0.0, 643_000.0, 0.0, -2.0, 5_540_500.0))
    ground = ground_at(_image(1.0, place), CORNERS)
    assert ground.is_true
    assert ground.length(((10.0, 10.0), (30.0, 10.0))) == pytest.approx(10.0, rel=1e-3)
    assert ground.length(((10.0, 10.0), (10.0, 20.0))) == pytest.approx(20.0, rel=1e-3)
    assert ground.area(CORNERS) == pytest.approx(200.0, rel=2e-3)
    convergence = math.degrees(math.atan(math.tan(math.radians(2.0)) * math.sin(math.radians(50))))
    assert ground.bearing((0.0, 10.0), (0.0, 0.0)) == pytest.approx(convergence, abs=0.02)


def test_pixels_in_degrees_shrink_with_latitude() -> None:
    place = Georeference(DEGREES, (1e-5, 0.0, 8.0, 0.0, -1e-5, 60.0))
    ground = ground_at(_image(0.8, place), CORNERS)
    assert ground.length(((0.0, 0.0), (100.0, 0.0))) == pytest.approx(55.8, rel=1e-3)
    assert ground.length(((0.0, 0.0), (0.0, 100.0))) == pytest.approx(111.41, rel=1e-3)
    assert ground.bearing((0.0, 0.0), (0.0, -5.0)) == pytest.approx(0.0, abs=1e-6)


def test_the_date_line_is_no_way_around_the_earth() -> None:
    place = Georeference(DEGREES, (1e-5, 0.0, 180.0 - 20e-5, 0.0, -1e-5, 0.0))
    ground = ground_at(_image(1.1, place), ((20.0, 5.0), (20.0, 6.0)))
    assert ground.length(((15.0, 5.0), (25.0, 5.0))) == pytest.approx(11.13, rel=1e-3)


def test_a_turned_image_measures_the_same() -> None:
    turned = Georeference(UTM, (0.0, 1.0, 500_000.0, 1.0, 0.0, 5_540_500.0))
    ground = ground_at(_image(1.0, turned), CORNERS)
    assert ground.area(CORNERS) == pytest.approx(200.0, rel=2e-3)
    assert ground.bearing((0.0, 0.0), (10.0, 0.0)) == pytest.approx(0.0, abs=0.01)
