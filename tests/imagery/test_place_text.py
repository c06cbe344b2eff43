"""What is said about the place of a pixel."""

from __future__ import annotations

import numpy as np
import pytest
from rasterio.crs import CRS

from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.place_text import place_in_words
from pmlda_gui.imagery.readers import ReadOptions, open_image
from pmlda_gui.imagery.scenes.recorded_seabed import SONARS, recorded_seabed
from pmlda_gui.imagery.scenes.recordings import xtf_bytes

PIXELS = np.ones((40, 60), dtype=np.float32)
VALID = np.ones((40, 60), dtype=bool)


@pytest.fixture
def line(tmp_path):
    path = tmp_path / "line.xtf"
    path.write_bytes(xtf_bytes(recorded_seabed(SONARS["even"], pings=200)))
    return path


def test_a_recording_is_read_by_ping_along_across_and_on_the_earth(line):
    image = open_image(line)
    assert image.pixel_height == pytest.approx(0.15, rel=0.02)
    assert image.pixel_size == pytest.approx(image.pixel_height, rel=0.02)
    words, degrees = place_in_words(image, image.swath.port + 10 / image.pixel_size, 100.5)
    assert words == "ping 101, 15.0 m along, 10.0 m to starboard"
    # The line runs north from 48 N 68 W, and starboard lies east.
    latitude, longitude = (float(part.split()[1].rstrip("°")) for part in degrees.split(","))
    assert latitude == pytest.approx(48.0 + 15.0 / 111_320, abs=2e-6)
    assert longitude == pytest.approx(-68.0 + 10.0 / 111_320 / np.cos(np.radians(48)), abs=2e-6)


def test_slant_ranges_are_read_over_ground_and_water_as_water(line):
    image = open_image(line, ReadOptions(correct_slant_range=False, square_pixels=False))
    middle = image.swath.port
    (words, _) = place_in_words(image, middle - 5.0 / image.pixel_size, 100.5)
    assert words.endswith("3.0 m to port")
    assert place_in_words(image, middle + 1.0, 100.5)[0].endswith("in the water")


def test_projected_rasters_are_read_in_degrees_too_and_feet_are_called_feet():
    def said(code, x, y):
        georeference = Georeference(CRS.from_epsg(code).to_wkt(), (1.0, 0.0, x, 0.0, -1.0, y))
        return place_in_words(Image(PIXELS, VALID, 1.0, georeference), 10.0, 20.0)

    metres, degrees = said(32619, 500_000.0, 5_316_000.0)
    assert metres == "x 500010.0 m, y 5315980.0 m"
    assert degrees.startswith("lat 47.99")
    feet, degrees = said(2263, 984_000.0, 200_000.0)
    assert "foot" in feet
    assert degrees.startswith("lat 40.7")


def test_pixels_that_are_not_square_are_measured_both_ways():
    image = Image(PIXELS, VALID, 0.1, pixel_height=0.4)
    assert image.aspect == pytest.approx(4.0)
    assert place_in_words(image, 10.0, 10.0) == ["1.00 m across, 4.00 m down"]
