"""Several bands of one raster: one mask, features in each band, and names that say which."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features import compute_features, intensity_ranges
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import ReadOptions, band_list, open_image
from tests.imagery.synthetic_files import write_raster


@pytest.fixture
def raster(tmp_path: Path) -> Path:
    values = np.random.default_rng(2).normal(size=(3, 30, 40)).astype(np.float32)
    values[0, 4, 5] = values[2, 7, 8] = -77.0
    return write_raster(
        tmp_path / "three.tif",
        values,
        "GTiff",
        nodata=-77.0,
        descriptions=("level", "depth", "slope"),
    )


def test_bands_share_one_mask_and_the_first_is_shown(raster: Path):
    image = open_image(raster, ReadOptions(bands=(1, "slope")))
    assert image.band_count == 2
    assert not image.is_colour
    assert image.band_names == ("level", "slope")
    assert np.argwhere(~image.valid).tolist() == [[4, 5], [7, 8]]
    third = open_image(raster, ReadOptions(band=3))
    np.testing.assert_array_equal(image.further[0][image.valid], third.pixels[image.valid])
    assert image.further[0][4, 5] == image.pixels[7, 8] == 0.0
    assert any("1 pixels are left out" in note for note in image.notes)


def test_bands_are_reduced_alike(raster: Path):
    image = open_image(raster, ReadOptions(bands=(2, 3), reduce=2))
    assert image.pixels.shape == image.further[0].shape == (15, 20)


def test_features_of_a_band_are_those_of_the_band_alone(raster: Path):
    image = open_image(raster, ReadOptions(bands=(1, 3)))
    found = compute_features(image, ("mean", "entropy"), window=5)
    assert found.names == ("mean[1]", "entropy[1]", "mean[2]", "entropy[2]")
    assert len(found.units) == 4
    alone = Image(image.further[0], image.valid)
    np.testing.assert_array_equal(
        found.values[..., 2:], compute_features(alone, ("mean", "entropy"), window=5).values
    )


def test_a_feature_can_be_asked_for_in_one_band(raster: Path):
    image = open_image(raster, ReadOptions(bands=(1, 2)))
    assert compute_features(image, ("std", "mean[2]"), window=5).names == (
        "std[1]", "std[2]", "mean[2]",
    )  # fmt: skip
    with pytest.raises(PmldaError, match=r"open with 2 bands, so there is no mean\[3\]"):
        compute_features(image, "mean[3]", window=5)
    with pytest.raises(PmldaError, match="chosen twice in one band"):
        compute_features(image, ("mean", "mean[2]"), window=5)
    with pytest.raises(PmldaError, match="no feature or preset called 'depth\\[1\\]'"):
        compute_features(image, "depth[1]", window=5)


def test_a_single_band_keeps_the_plain_names(raster: Path):
    assert compute_features(open_image(raster), "mean", window=5).names == ("mean",)
    assert compute_features(open_image(raster), "mean[1]", window=5).names == ("mean",)


def test_images_with_different_bands_do_not_belong_together(raster: Path):
    images = [open_image(raster), open_image(raster, ReadOptions(bands=(1, 2)))]
    with pytest.raises(PmldaError, match="Some images have 1 bands and others 2"):
        intensity_ranges(images)


def test_what_cannot_be_joined_is_refused(tmp_path: Path, raster: Path):
    arrays = tmp_path / "sizes.npz"
    np.savez(arrays, a=np.ones((4, 5), np.float32), b=np.ones((4, 6), np.float32))
    with pytest.raises(PmldaError, match="choose single bands of one size"):
        open_image(arrays, ReadOptions(bands=(1, 2)))
    with pytest.raises(PmldaError, match="One band and several"):
        ReadOptions(band=1, bands=(1, 2))
    with pytest.raises(PmldaError, match="repeat one another"):
        ReadOptions(bands=(1, 1))
    with pytest.raises(PmldaError, match="no list of bands"):
        band_list("1,,2")
    assert band_list("1, depth") == (1, "depth")
