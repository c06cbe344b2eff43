"""Rasters are cloud optimised GeoTIFFs with statistics and tags that say where they come from."""

from __future__ import annotations

import numpy as np
import pytest
import rasterio

import pmlda_gui
from pmlda_gui.core.progress import UNWATCHED
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.batch.options import FurtherOptions, settings_from
from pmlda_gui.workspace.batch.segment import compute
from pmlda_gui.workspace.export.geotiff import created_raster, write_rasters
from pmlda_gui.workspace.export.provenance import provenance_tags, recipe_hash
from pmlda_gui.workspace.export.result import ImageResult
from tests.workspace.synthetic_results import UTM, synthetic_image, synthetic_result
from tests.workspace.tiff_structure import directories, faults_of_cog

SHAPE = (700, 1100)
COLOURS = np.array([[200, 0, 0], [0, 200, 0]], np.uint8)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Rasters large enough for overviews, with a hole, written tile by tile."""
    image = synthetic_image(SHAPE, georeference=UTM)
    rng = np.random.default_rng(0)
    first = rng.random(SHAPE).astype(np.float32)
    maps = np.where(image.valid, np.stack([first, 1 - first]), np.float32(np.nan))
    found = Segmentation(maps, 0.1 * maps, np.zeros((2, 1)), 1.0)
    folder = tmp_path_factory.mktemp("rasters")
    tags = {"SEED": "7", "RECIPE": "abc"}
    result = ImageResult(image, found, image)
    paths = write_rasters(folder, "line", result, ("sand", "mud"), COLOURS, UNWATCHED, tags)
    return maps, dict(zip(("memberships", "uncertainty", "labels"), paths, strict=True))


@pytest.mark.parametrize("which", ["memberships", "uncertainty", "labels"])
def test_every_raster_is_a_valid_cog(written, which):
    path = written[1][which]
    assert faults_of_cog(path) == []
    assert len(directories(path)) == 4
    with rasterio.open(path) as raster:
        assert raster.overviews(1) == [2, 4, 8]
        assert raster.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"


def test_the_check_finds_a_tiff_that_is_no_cog(tmp_path):
    plain, late = tmp_path / "plain.tif", tmp_path / "late.tif"
    values = np.zeros((1, 600, 600), np.float32)
    profile = {"driver": "GTiff", "height": 600, "width": 600, "count": 1, "dtype": "float32"}
    with rasterio.open(plain, "w", transform=rasterio.Affine(*UTM.transform), **profile) as raster:
        raster.write(values)
    assert faults_of_cog(plain) == ["not tiled"]
    with rasterio.open(
        late, "w", transform=rasterio.Affine(*UTM.transform), tiled=True, **profile
    ) as raster:
        raster.write(values)
        raster.build_overviews([2])
    assert faults_of_cog(late) != []


def test_statistics_and_provenance_are_in_the_file(written):
    maps, paths = written
    with rasterio.open(paths["memberships"]) as raster:
        tags, statistics = raster.tags(), raster.tags(2)
        assert float(statistics["STATISTICS_MEAN"]) == pytest.approx(np.nanmean(maps[1]), rel=1e-4)
        assert np.array_equal(raster.read(), maps, equal_nan=True)
    assert (tags["PROGRAM"], tags["VERSION"]) == ("pmlda-gui", pmlda_gui.__version__)
    assert (tags["SEED"], tags["RECIPE"]) == ("7", "abc")


def test_overviews_of_labels_hold_labels_only_and_keep_the_palette(written):
    with rasterio.open(written[1]["labels"], overview_level=1) as raster:
        assert set(np.unique(raster.read(1))) <= {1, 2, 255}
    with rasterio.open(written[1]["labels"]) as raster:
        assert raster.colormap(1)[1][:3] == (200, 0, 0)


def test_runs_that_differ_in_their_seed_alone_share_a_recipe():
    settings: FurtherOptions = {"document_count": 8, "sweeps": 6, "features": "mean,std"}
    image = synthetic_image(georeference=UTM)
    other = compute([image], settings_from(seed=3, **settings))
    assert recipe_hash(other) == recipe_hash(synthetic_result())
    assert provenance_tags(other)["SEED"] == "3"
    changed = compute([image], settings_from(rate=2.0, **settings))
    assert recipe_hash(changed) != recipe_hash(other)


def test_a_map_without_a_single_valid_pixel_is_written_all_the_same(tmp_path):
    path = tmp_path / "empty.tif"
    image = synthetic_image((40, 50), georeference=UTM)
    with created_raster(path, image, count=1, dtype="float32", nodata=float("nan")) as raster:
        raster.write(np.full((1, 40, 50), np.nan, np.float32))
    assert faults_of_cog(path) == []
