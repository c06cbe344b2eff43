"""Areas of interest: polygons from files, and which pixels they keep."""

from __future__ import annotations

import json

import numpy as np
import pyogrio
import pytest
from rasterio.crs import CRS

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.areas import masked_to, read_areas
from pmlda_gui.imagery.geometry import to_degrees
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.readers import open_image
from pmlda_gui.imagery.scenes.recorded_seabed import METRES_PER_DEGREE, SONARS, recorded_seabed
from pmlda_gui.imagery.scenes.recordings import xtf_bytes

UTM = CRS.from_epsg(32619).to_wkt()
LEFT, TOP = 500_000.0, 5_316_000.0
# x and y in metres from the corner of the image: a square with a hole.
OUTER = [(10.0, -10.0), (50.0, -10.0), (50.0, -40.0), (10.0, -40.0)]
HOLE = [(20.0, -20.0), (30.0, -20.0), (30.0, -30.0), (20.0, -30.0)]


def raster():
    pixels = np.ones((60, 80), dtype=np.float32)
    georeference = Georeference(UTM, (1.0, 0.0, LEFT, 0.0, -1.0, TOP))
    return Image(pixels, np.ones(pixels.shape, dtype=bool), 1.0, georeference)


def expected():
    rows, columns = np.mgrid[:60, :80]
    square = (rows >= 10) & (rows < 40) & (columns >= 10) & (columns < 50)
    return square & ~((rows >= 20) & (rows < 30) & (columns >= 20) & (columns < 30))


def in_degrees(ring):
    x, y = np.array(ring).T
    latitude, longitude = to_degrees(LEFT + x, TOP + y, UTM)
    return np.column_stack([longitude, latitude]).tolist()


def test_polygons_of_geojson_keep_what_lies_in_them_but_not_their_holes(tmp_path):
    path = tmp_path / "area.geojson"
    shape = {"type": "Polygon", "coordinates": [in_degrees(OUTER), in_degrees(HOLE)]}
    feature = {"type": "Feature", "properties": {}, "geometry": shape}
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    image = masked_to(raster(), read_areas(path))
    assert (image.valid != expected()).mean() < 0.002
    assert not image.pixels[~image.valid].any()


@pytest.mark.parametrize("kind", ["Polygon", "MultiPolygon"])
def test_polygons_of_a_geopackage_are_in_its_own_system(tmp_path, kind):
    path = tmp_path / "area.gpkg"

    def text(ring):
        closed = [*ring, ring[0]]
        return "(" + ", ".join(f"{LEFT + x} {TOP + y}" for x, y in closed) + ")"

    source = tmp_path / "area.csv"
    rings = f"({text(OUTER)}, {text(HOLE)})"
    shape = f"POLYGON {rings}" if kind == "Polygon" else f"MULTIPOLYGON ({rings})"
    source.write_text(f'WKT\n"{shape}"\n')
    _, _, geometry, _ = pyogrio.raw.read(source, layer="area")
    pyogrio.raw.write(path, geometry, [], [], geometry_type=kind, crs="EPSG:32619", driver="GPKG")
    image = masked_to(raster(), read_areas(path))
    np.testing.assert_array_equal(image.valid, expected())


def test_a_recording_is_masked_where_its_pings_lie(tmp_path):
    path = tmp_path / "line.xtf"
    path.write_bytes(xtf_bytes(recorded_seabed(SONARS["even"], pings=200)))
    image = open_image(path)
    # East of the track, between 10 and 20 m along.
    south, north = (48.0 + metres / METRES_PER_DEGREE for metres in (10.0, 20.0))
    ring = [(-68.0, south), (-67.9, south), (-67.9, north), (-68.0, north)]
    area = tmp_path / "area.json"
    area.write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}))
    kept = masked_to(image, read_areas(area))
    rows, columns = np.nonzero(kept.valid)
    assert columns.min() >= image.swath.port - 2
    assert rows.min() * 0.15 == pytest.approx(10.0, abs=0.5)
    assert rows.max() * 0.15 == pytest.approx(20.0, abs=0.5)


def test_areas_that_miss_an_image_and_files_without_polygons_are_told(tmp_path):
    path = tmp_path / "area.geojson"
    path.write_text('{"type": "Polygon", "coordinates": [[[1, 1], [2, 1], [2, 2]]]}')
    with pytest.raises(PmldaError, match="leave nothing of"):
        masked_to(raster(), read_areas(path))
    for content in ("", "[]", "{}", '{"type": "Polygon", "coordinates": [[[1, 1]]]}'):
        path.write_text(content)
        with pytest.raises(PmldaError, match=r"area\.geojson cannot be read as polygons"):
            read_areas(path)
    path.write_text('{"type": "Point", "coordinates": [1, 1]}')
    with pytest.raises(PmldaError, match="holds no polygon"):
        read_areas(path)
