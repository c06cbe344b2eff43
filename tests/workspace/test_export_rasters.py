"""GeoTIFFs: where the source lies, with names, nodata and palette, read back by rasterio."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest
import rasterio
from rasterio.errors import NotGeoreferencedWarning

from pmlda_gui.imagery.image import Georeference
from pmlda_gui.workspace.export.geotiff import NO_LABEL, write_rasters
from tests.workspace.synthetic_results import UTM, synthetic_result


def written(tmp_path, result):
    shares = []
    paths = write_rasters(
        tmp_path, "line", result.images[0], result.topic_names, result.colours, shares.append
    )
    assert shares[-1] == 1.0
    return paths


def test_memberships_are_read_back_as_they_were_with_names_and_nodata(tmp_path):
    result = synthetic_result()
    memberships, uncertainty, labels = written(tmp_path, result)
    with rasterio.open(memberships) as raster:
        assert raster.descriptions == ("topic 1", "topic 2", "topic 3")
        assert raster.dtypes == ("float32",) * 3
        assert np.isnan(raster.nodatavals).all()
        assert raster.profile["tiled"]
        assert raster.profile["compress"] == "deflate"
        found = raster.read()
    expected = result.images[0].segmentation.memberships
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.isnan(found).any()
    with rasterio.open(uncertainty) as raster:
        assert raster.descriptions == ("topic 1", "topic 2", "topic 3")
        spread = result.images[0].segmentation.uncertainty
        assert np.array_equal(raster.read(), spread, equal_nan=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in (memberships, uncertainty, labels)
    )


def test_rasters_lie_exactly_where_the_source_does(tmp_path):
    for path in written(tmp_path, synthetic_result(UTM)):
        with rasterio.open(path) as raster:
            assert raster.crs == rasterio.crs.CRS.from_epsg(32633)
            assert tuple(raster.transform)[:6] == UTM.transform


def test_a_rotated_place_without_a_reference_system_is_kept(tmp_path):
    place = Georeference("", (0.3, 0.1, 10.0, -0.1, -0.3, 20.0))
    for path in written(tmp_path, synthetic_result(place)):
        with rasterio.open(path) as raster:
            assert raster.crs is None
            assert tuple(raster.transform)[:6] == pytest.approx(place.transform, abs=1e-15)


def test_an_image_without_a_place_gives_rasters_without_one(tmp_path):
    path = written(tmp_path, synthetic_result(None))[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(path) as raster:
            assert raster.crs is None
            assert raster.transform.is_identity


def test_a_label_is_the_number_of_the_band_with_the_largest_membership(tmp_path):
    result = synthetic_result()
    labels = written(tmp_path, result)[2]
    with rasterio.open(labels) as raster:
        found, palette = raster.read(1), raster.colormap(1)
        assert raster.nodatavals == (NO_LABEL,)
    maps = result.images[0].segmentation.memberships
    missing = np.isnan(maps[0])
    assert (found[missing] == NO_LABEL).all()
    assert np.array_equal(found[~missing], maps[:, ~missing].argmax(axis=0) + 1)
    assert palette[2][:3] == tuple(int(part) for part in result.colours[1])


def test_a_single_point_has_no_uncertainty_and_an_old_one_does_not_stay(tmp_path):
    (tmp_path / "line_uncertainty.tif").write_bytes(b"of another run")
    names = {path.name for path in written(tmp_path, synthetic_result(UTM, "map"))}
    assert names == {"line_memberships.tif", "line_labels.tif"}
    assert {path.name for path in tmp_path.iterdir()} == names


@pytest.mark.skipif(sys.platform == "win32", reason="limits on files are POSIX")
def test_a_disk_that_fills_up_leaves_no_half_raster_and_gives_a_sentence(tmp_path):
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "import numpy as np\n"
        "from pmlda_gui.core.errors import PmldaError\n"
        "from pmlda_gui.imagery.image import Image\n"
        "from pmlda_gui.imagery.segmentation import Segmentation\n"
        "from pmlda_gui.workspace.export.geotiff import write_rasters\n"
        "from pmlda_gui.workspace.export.result import ImageResult\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "rng = np.random.default_rng(0)\n"
        "maps = rng.random((2, 300, 300)).astype(np.float32)\n"
        "image = Image(maps[0], np.ones((300, 300), bool))\n"
        "found = Segmentation(maps, maps, np.zeros((2, 1)), 1.0)\n"
        "colours = np.zeros((2, 3), np.uint8)\n"
        "try:\n"
        "    write_rasters(Path(sys.argv[1]), 'a', ImageResult(image, found, image),\n"
        "                  ('x', 'y'), colours, print)\n"
        "except PmldaError as error:\n"
        "    print(error)\n"
    )
    outcome = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert "cannot be written" in outcome.stdout, outcome.stderr
    # The labels are small enough to have been complete.
    assert {path.name for path in tmp_path.iterdir()} <= {"a_labels.tif"}
