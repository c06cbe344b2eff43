"""What was drawn on a map, in a GeoPackage that other programs read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyogrio
import pytest
from rasterio.crs import CRS

from pmlda_gui.imagery.image import Georeference
from pmlda_gui.workspace.analysis.answers import answers_of
from pmlda_gui.workspace.export.shape_layers import shapes_package
from pmlda_gui.workspace.shapes import Shape
from tests.workspace.straight_edges import WIDTH, edge_run

LINE = Shape(0, "profile", "Across", 0, ((10.0, 75.5), (WIDTH - 10.0, 75.5)))
PATCH = Shape(1, "region", "Patch", 0, ((5.0, 20.0), (85.0, 20.0), (85.0, 120.0)))
PATH = Shape(2, "measurement", "Path", 0, ((0.0, 0.0), (40.0, 0.0)))
BESIDE = Shape(3, "profile", "Beside", 0, ((-90.0, -90.0), (-10.0, -20.0)))
UTM = Georeference(str(CRS.from_epsg(32632).to_wkt()), (0.5, 0, 5e5, 0, -0.5, 5.5e6))


def test_all_that_was_drawn_is_read_back_with_its_figures(tmp_path: Path) -> None:
    run = edge_run(80)
    answers = answers_of(run, (LINE, PATCH, PATH, BESIDE))
    assert len(answers.unanswered) == 1
    assert "Beside" in answers.unanswered[0]
    image = replace(run.prepared.images[0], georeference=UTM)
    file = tmp_path / "drawn.gpkg"
    file.write_bytes(shapes_package(image, answers, ["bright", "dark"]))
    layers = {name for name, _ in pyogrio.list_layers(file)}
    assert layers == {"profiles", "profile_transitions", "regions", "measurements"}
    info = pyogrio.read_info(file, layer="profiles")
    assert info["crs"] == "EPSG:32632"
    assert info["total_bounds"] == pytest.approx((500005.0, 5499962.25, 500125.0, 5499962.25))
    _, _, _, values = pyogrio.raw.read(file, layer="profile_transitions")
    fields = dict(
        zip(pyogrio.read_info(file, layer="profile_transitions")["fields"], values, strict=True)
    )
    (width,) = answers.profiles[0].transitions
    assert fields["width_10_90"][0] == pytest.approx(width.transition.width)
    assert {fields["from_topic"][0], fields["to_topic"][0]} == {"bright", "dark"}
    assert pyogrio.read_info(file, layer="regions")["geometry_type"] == "Polygon"


def test_layers_without_a_shape_are_left_out_and_pixels_serve_as_coordinates(
    tmp_path: Path,
) -> None:
    run = edge_run(80)
    file = tmp_path / "drawn.gpkg"
    answers = answers_of(run, (PATH,)).of_image(0)
    file.write_bytes(shapes_package(run.prepared.images[0], answers, ["a", "b"]))
    assert [name for name, _ in pyogrio.list_layers(file)] == ["measurements"]
    bounds = pyogrio.read_info(file, layer="measurements")["total_bounds"]
    assert np.allclose(bounds, (0.0, 0.0, 40.0, 0.0))
    assert not answers_of(run, (PATH,)).of_image(1).any
