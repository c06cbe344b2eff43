"""The GeoPackage a GIS takes as it is: topics, transitions, documents and their styles."""

from __future__ import annotations

import sqlite3
from xml.etree import ElementTree

import numpy as np
import pyogrio
import pytest
from rasterio.crs import CRS

from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.readers import open_image
from pmlda_gui.imagery.scenes.recorded_seabed import SONARS, recorded_seabed
from pmlda_gui.imagery.scenes.recordings import xtf_bytes
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.export.geopackage import geopackage
from pmlda_gui.workspace.export.ground_lengths import Ground
from pmlda_gui.workspace.export.seabed_layers import (
    SeabedLook,
    topic_layer,
    track_layer,
    transition_layer,
)
from pmlda_gui.workspace.export.seabed_package import recording_track, seabed_package
from pmlda_gui.workspace.vocabulary import TopicCodes
from tests.workspace.synthetic_results import UTM, synthetic_image, synthetic_result

LOOK = SeabedLook(
    ("sand", "mud & <silt>"),
    np.array([[230, 160, 0], [0, 90, 180]], np.uint8),
    (TopicCodes("S1.2.2.2", "4"), TopicCodes()),
)
HALF_METRE = Georeference(CRS.from_epsg(32633).to_wkt(), (0.5, 0, 400000.0, 0, -0.5, 6000000.0))


def ramp(ramp_width=30, shape=(100, 200), place=HALF_METRE) -> tuple[Image, Segmentation]:
    """Sand on the left, mud on the right, and a ramp of so many pixels between them."""
    across = np.clip((np.arange(shape[1]) + 0.5 - (shape[1] - ramp_width) / 2) / ramp_width, 0, 1)
    mud = np.broadcast_to(across, shape).astype(np.float32)
    maps = np.stack([1 - mud, mud])
    found = Segmentation(maps, np.full_like(maps, 0.05), np.zeros((2, 1)), 1.0)
    image = Image(mud, np.ones(shape, bool), 0.5 if place else None, place)
    return image, found


def columns(layer):
    return {column.name: list(column.values) for column in layer.columns}


def test_topics_know_their_area_membership_uncertainty_and_codes():
    layer = topic_layer(*ramp(), LOOK)
    found = columns(layer)
    assert found["topic"] == ["sand", "mud & <silt>"]
    assert found["area_m2"] == pytest.approx([100 * 100 * 0.25] * 2)
    assert found["membership"] == pytest.approx([0.9625] * 2, abs=1e-4)
    assert found["uncertainty"] == pytest.approx([0.05] * 2)
    assert found["cmecs"] == ["S1.2.2.2", None]
    assert found["natsur_name"] == ["sand", None]
    assert found["colour"] == ["#e6a000", "#005ab4"]


def test_a_transition_is_as_wide_as_the_zone_where_no_topic_reaches_the_share():
    # Between 0.4 and 0.6 lies a fifth of the ramp of 30 pixels, half a metre each.
    found = columns(transition_layer(*ramp(30), LOOK, mixed_below=0.6))
    assert found["mean_width_m"] == pytest.approx([3.0], abs=0.5)
    assert found["mean_width_pixels"] == pytest.approx([6.0], abs=1.0)
    assert sorted([found["topic_1"][0], found["topic_2"][0]]) == ["mud & <silt>", "sand"]
    wider = columns(transition_layer(*ramp(90), LOOK, mixed_below=0.6))
    assert wider["mean_width_m"] == pytest.approx([9.0], abs=0.5)
    assert columns(transition_layer(*ramp(30), LOOK, mixed_below=0.4))["pixels"] == []


def test_without_a_pixel_size_areas_and_widths_are_unknown_but_pixels_are_told():
    image, found = ramp(place=None)
    topics, zones = topic_layer(image, found, LOOK), transition_layer(image, found, LOOK)
    assert columns(topics)["area_m2"] == [None, None]
    assert columns(topics)["pixels"] == [10000, 10000]
    assert columns(zones)["mean_width_m"] == [None]
    assert columns(zones)["mean_width_pixels"] == pytest.approx([6.0], abs=1.0)


def test_areas_in_degrees_are_those_on_the_ground():
    # A hundredth of a degree at 60 degrees north: 1114.1 m by 557.8 m on the ellipsoid.
    place = Georeference(CRS.from_epsg(4326).to_wkt(), (1e-4, 0, 10.0, 0, -1e-4, 60.005))
    image = Image(np.ones((100, 100), np.float32), np.ones((100, 100), bool), None, place)
    square = np.array([[10, 60.005], [10.01, 60.005], [10.01, 59.995], [10, 59.995], [10, 60.005]])
    ground = Ground.of(image)
    assert ground.area([square]) == pytest.approx(1114.1 * 558.0, rel=2e-3)
    assert ground.sides == pytest.approx((11.141, 5.580), rel=2e-3)


def test_pyogrio_reads_every_layer_in_its_place(tmp_path):
    result = synthetic_result(UTM)
    path = tmp_path / "all.gpkg"
    look = SeabedLook(result.topic_names, result.colours)
    track = track_layer("line 7.xtf", np.array([[4e5, 6e6], [4e5 + 9, 6e6]]), HALF_METRE)
    path.write_bytes(seabed_package(result.images[0], look, 4, 0.7, [track]))
    layers = {str(name): str(kind) for name, kind in pyogrio.list_layers(path)}
    assert layers == {
        "topics": "Polygon", "transitions": "Polygon", "documents": "Polygon",
        "track": "LineString", "layer_styles": "None",
    }  # fmt: skip
    for name in ("topics", "documents"):
        info = pyogrio.read_info(path, layer=name)
        assert info["crs"] == "EPSG:32633"
        assert info["features"] > 0
        left, bottom, right, top = info["total_bounds"]
        assert (left, top) == pytest.approx((400000.25, 6000000.75), abs=6)
        assert (right, bottom) == pytest.approx((400020.25, 5999976.75), abs=6)


def test_the_spatial_index_is_used_and_right(tmp_path):
    path = tmp_path / "all.gpkg"
    path.write_bytes(geopackage([topic_layer(*ramp(), LOOK)]))
    info = pyogrio.read_info(path, layer="topics")
    assert info["capabilities"]["fast_spatial_filter"]
    _, _, shapes, _ = pyogrio.raw.read(
        path, layer="topics", bbox=(400000, 5999960, 400010, 5999970)
    )
    assert len(shapes) == 1
    with sqlite3.connect(path) as database:
        (check,) = database.execute("PRAGMA integrity_check").fetchone()
        boxes = database.execute("SELECT * FROM rtree_topics_geom ORDER BY id").fetchall()
    assert check == "ok"
    assert boxes[0] == (1, 400000.0, 400050.0, 5999950.0, 6000000.0)


def test_other_programs_can_change_a_layer_and_its_index_follows(tmp_path):
    path = tmp_path / "all.gpkg"
    path.write_bytes(geopackage([topic_layer(*ramp(), LOOK)]))
    with sqlite3.connect(path) as database:
        for name in ("ST_MinX", "ST_MaxX", "ST_MinY", "ST_MaxY"):
            database.create_function(name, 1, lambda blob: 1.0)
        database.create_function("ST_IsEmpty", 1, lambda blob: 0)
        database.execute("INSERT INTO topics (geom, topic) SELECT geom, 'new' FROM topics LIMIT 1")
        database.execute("DELETE FROM topics WHERE fid = 1")
        numbers = database.execute("SELECT id FROM rtree_topics_geom ORDER BY id").fetchall()
    assert numbers == [(2,), (3,)]


def test_qgis_finds_a_default_style_with_the_topics_colours(tmp_path):
    path = tmp_path / "all.gpkg"
    path.write_bytes(geopackage([topic_layer(*ramp(), LOOK), transition_layer(*ramp(), LOOK)]))
    with sqlite3.connect(path) as database:
        rows = database.execute(
            "SELECT f_table_name, f_geometry_column, useAsDefault, styleQML FROM layer_styles"
        ).fetchall()
    assert [row[:3] for row in rows] == [("topics", "geom", 1), ("transitions", "geom", 1)]
    style = ElementTree.fromstring(rows[0][3].partition("\n")[2])
    renderer = style.find("renderer-v2")
    assert renderer.get("attr") == "topic"
    assert [each.get("value") for each in renderer.iter("category")] == list(LOOK.names)
    colours = [each.get("value") for each in renderer.iter("Option") if each.get("name") == "color"]
    assert colours == ["230,160,0,255", "0,90,180,255"]


def test_a_map_without_transitions_has_an_empty_layer_that_opens(tmp_path):
    path = tmp_path / "all.gpkg"
    image, found = ramp(ramp_width=1)
    path.write_bytes(geopackage([transition_layer(image, found, LOOK, mixed_below=0.5)]))
    assert pyogrio.read_info(path, layer="transitions")["features"] == 0


def test_small_images_have_polygons_too():
    image = synthetic_image((6, 6))
    maps = np.stack([np.full((6, 6), 0.7), np.full((6, 6), 0.3)]).astype(np.float32)
    found = Segmentation(maps, None, np.zeros((2, 1)), 1.0)
    layer = topic_layer(image, found, LOOK)
    assert columns(layer)["pixels"] == [36]
    assert "uncertainty" not in columns(layer)


def test_a_recording_has_its_track_and_other_images_have_none(tmp_path):
    path = tmp_path / "line.xtf"
    path.write_bytes(xtf_bytes(recorded_seabed(SONARS["even"], 60)))
    (layer,) = recording_track(open_image(path))
    assert layer.name == "track"
    ((line,),) = layer.shapes
    # 59 steps of 0.15 m to the north.
    assert np.ptp(line[:, 1]) == pytest.approx(59 * 0.15, rel=0.05)
    assert "UTM" in layer.place.crs
    assert recording_track(synthetic_result(UTM).images[0].image) == []
