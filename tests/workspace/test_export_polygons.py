"""GeoPackages: valid polygons with what the model found, read back by another library."""

from __future__ import annotations

import struct

import numpy as np
import pyogrio
import pytest

from pmlda_gui.imagery.documents import make_documents
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.export.document_layer import LAYER, document_layer
from pmlda_gui.workspace.export.geopackage import geopackage
from tests.workspace.synthetic_results import UTM, synthetic_image, synthetic_result


def read_back(tmp_path, content):
    """What pyogrio finds: its description of the layer, polygons as rings, columns by name."""
    path = tmp_path / "documents.gpkg"
    path.write_bytes(content)
    described, _, geometries, columns = pyogrio.raw.read(path, layer=LAYER)
    names = described["fields"].tolist()
    return described, [rings_of(wkb) for wkb in geometries], dict(zip(names, columns, strict=True))


def package_of(image, found, names):
    return geopackage([document_layer(image, found, names)])


def rings_of(wkb):
    """The rings of a polygon in well-known binary."""
    order, kind, count = struct.unpack_from("<BII", wkb)
    assert (order, kind) == (1, 3)
    rings, place = [], 9
    for _ in range(count):
        (points,) = struct.unpack_from("<I", wkb, place)
        ring = np.frombuffer(wkb, "<f8", points * 2, place + 4).reshape(points, 2)
        rings.append(ring)
        place += 4 + points * 16
    return rings


def area(ring):
    x, y = ring.T
    return 0.5 * (x[:-1] @ y[1:] - x[1:] @ y[:-1])


def written(result):
    image = result.images[0]
    return package_of(image.shown, image.segmentation, result.topic_names)


def test_every_document_is_a_polygon_with_its_pixels_area(tmp_path):
    result = synthetic_result()
    documents = result.images[0].segmentation.documents
    described, polygons, columns = read_back(tmp_path, written(result))
    assert described["geometry_type"] == "Polygon"
    assert len(polygons) == documents.count == len(columns["pixels"])
    for rings, pixels in zip(polygons, columns["pixels"], strict=True):
        covered = abs(area(rings[0])) - sum(abs(area(hole)) for hole in rings[1:])
        assert covered == pytest.approx(pixels * 0.5**2)
    assert np.array_equal(columns["pixels"], documents.sizes)


def test_polygons_lie_in_the_images_reference_system(tmp_path):
    described, polygons, _ = read_back(tmp_path, written(synthetic_result(UTM)))
    assert described["crs"] == "EPSG:32633"
    corners = np.concatenate([ring for rings in polygons for ring in rings])
    assert corners.min(axis=0) == pytest.approx((400000.25, 6000000.75 - 24))
    assert corners.max(axis=0) == pytest.approx((400000.25 + 20, 6000000.75))


def test_without_a_place_polygons_are_in_pixels(tmp_path):
    described, polygons, _ = read_back(tmp_path, written(synthetic_result(None)))
    assert described["crs"] is None or "ndefined" in described["crs"]
    corners = np.concatenate([ring for rings in polygons for ring in rings])
    assert corners.min(axis=0).tolist() == [0, 0]
    assert corners.max(axis=0).tolist() == [40, 48]


def test_a_reference_system_without_a_code_is_kept(tmp_path):
    plain = Georeference("+proj=aeqd +lat_0=0 +lon_0=0 +datum=WGS84 +units=m", UTM.transform)
    described, _, _ = read_back(tmp_path, written(synthetic_result(plain)))
    assert "Azimuthal" in described["crs"]


def test_columns_tell_what_the_model_found(tmp_path):
    result = synthetic_result()
    found = result.images[0].segmentation
    _, _, columns = read_back(tmp_path, written(result))
    assert columns["scaling"] == pytest.approx(found.scaling)
    for topic in range(3):
        assert columns[f"proportion_{topic + 1}"] == pytest.approx(found.proportions[:, topic])
        inside = found.documents.labels == 4
        mean = found.memberships[topic][inside].mean()
        assert columns[f"membership_{topic + 1}"][4] == pytest.approx(mean, rel=1e-5)
    likeliest = np.argmax([columns[f"membership_{topic}"] for topic in (1, 2, 3)], axis=0)
    assert columns["topic"].tolist() == [f"topic {number + 1}" for number in likeliest]


def test_rings_never_touch_themselves_and_holes_are_holes(tmp_path):
    # Regions that meet themselves or one another in a corner are where tracing goes wrong.
    labels = np.zeros((6, 6), dtype=np.int32)
    labels[1:3, 1:3] = 1
    labels[3:5, 3:5] = 2
    labels[0, 4:] = labels[1:3, 5] = labels[2, 4] = 3
    labels[1, 4] = 4
    documents = make_documents(
        Image(np.ones((6, 6), np.float32), np.ones((6, 6), bool)), "labels", labels=labels
    )
    memberships = np.full((2, 6, 6), 0.5, dtype=np.float32)
    found = Segmentation(memberships, None, np.zeros((2, 1)), 1.0, documents)
    image = synthetic_image((6, 6))
    _, polygons, columns = read_back(tmp_path, package_of(image, found, ("a", "b")))
    for rings in polygons:
        for ring in rings:
            assert np.array_equal(ring[0], ring[-1])
            assert len(np.unique(ring[:-1], axis=0)) == len(ring) - 1
    covered = sum(
        abs(area(rings[0])) - sum(abs(area(hole)) for hole in rings[1:]) for rings in polygons
    )
    assert covered == 36
    assert "scaling" not in columns


def test_sliding_windows_are_their_rectangles(tmp_path):
    image = synthetic_image((20, 30))
    documents = make_documents(image, "window", window=10, stride=5)
    memberships = np.full((2, 20, 30), 0.5, dtype=np.float32)
    found = Segmentation(memberships, None, np.zeros((2, 1)), 1.0, documents)
    _, polygons, _ = read_back(tmp_path, package_of(image, found, ("a", "b")))
    assert len(polygons) == documents.count
    last = polygons[-1][0]
    assert last.min(axis=0).tolist() == [20, 10]
    assert last.max(axis=0).tolist() == [30, 20]
