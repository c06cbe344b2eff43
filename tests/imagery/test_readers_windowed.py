"""A part of a raster has the pixels, mask and place that a whole reading has there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.readers import ReadOptions, open_image
from pmlda_gui.imagery.readers.windowed import open_window, read_header, without_colour
from tests.imagery import synthetic_rasters as made
from tests.imagery.synthetic_files import write_raster

WINDOWS = (Window(0, 0, 5, 7), Window(3, 4, 9, 11), Window(17, 20, 7, 12))


def require_part(path: Path, options: ReadOptions, whole: Image) -> None:
    for window in WINDOWS:
        part = open_window(path, options, window)
        if part.is_colour and not whole.is_colour:
            part = without_colour(part)
        assert np.array_equal(part.pixels, whole.pixels[window.slices])
        assert np.array_equal(part.valid, whole.valid[window.slices])
        for mine, theirs in zip(part.further, whole.further, strict=True):
            assert np.array_equal(mine, theirs[window.slices])
        assert part.pixel_size == whole.pixel_size
        if whole.georeference is not None:
            a, b, c, d, e, f = whole.georeference.transform
            place = (a * window.column + b * window.row + c, d * window.column + e * window.row + f)
            found = part.georeference.transform
            assert (found[2], found[5]) == pytest.approx(place)


@pytest.mark.parametrize("title", [*made.DEPTH_FORMATS, *made.LEVEL_FORMATS])
def test_a_part_of_every_format_is_that_of_the_whole(tmp_path: Path, title: str) -> None:
    path = ({**made.DEPTH_FORMATS, **made.LEVEL_FORMATS})[title](tmp_path)
    require_part(path, ReadOptions(), open_image(path))


@pytest.mark.parametrize("northwards", [False, True])
@pytest.mark.parametrize("order", ["yx", "xy"])
def test_rasters_stored_on_their_side_are_read_in_parts_too(
    tmp_path: Path, northwards: bool, order: str
) -> None:
    path = made.netcdf3(tmp_path / "made.nc", northwards, order)
    require_part(path, ReadOptions(), open_image(path))


@pytest.mark.parametrize(
    ("kind", "profile"),
    [
        (np.int16, {"nodata": 7}),
        (np.float32, {}),
        (np.float32, {"nodata": float("nan")}),
        (np.complex64, {}),
    ],
)
def test_missing_data_are_missing_in_parts_too(tmp_path: Path, kind, profile) -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(0, 9, (1, 24, 32)).astype(kind)
    if kind == np.float32:
        # One value no sonar measures, one that stands for missing data, one that is none.
        values[0, 4, 6:9] = (1e38, -9999.0, np.nan)
    path = write_raster(tmp_path / "made.tif", values, "GTiff", **profile)
    whole = open_image(path)
    assert kind == np.complex64 or not whole.valid.all()
    require_part(path, ReadOptions(), whole)


def test_several_bands_share_the_mask_of_all(tmp_path: Path) -> None:
    values = np.random.default_rng(6).integers(0, 5, (3, 24, 32)).astype(np.uint16)
    path = write_raster(tmp_path / "made.tif", values, "GTiff", nodata=0)
    options = ReadOptions(bands=(3, 1))
    whole = open_image(path, options)
    require_part(path, options, whole)
    header = read_header(path, options)
    assert (header.shape, header.band_names, header.whole) == ((24, 32), whole.band_names, False)


def test_a_picture_that_is_grey_throughout_becomes_one_band(tmp_path: Path) -> None:
    grey = np.random.default_rng(7).integers(0, 255, (24, 32)).astype(np.uint8)
    path = write_raster(tmp_path / "made.png", np.stack([grey] * 3), "PNG")
    whole = open_image(path)
    part = open_window(path, ReadOptions(), WINDOWS[1])
    assert part.is_colour
    assert not whole.is_colour
    one = without_colour(part)
    assert np.array_equal(one.pixels, whole.pixels[WINDOWS[1].slices])
    assert one.band_names == whole.band_names


def test_what_cannot_be_read_in_parts_is_told_by_its_header(tmp_path: Path) -> None:
    np.save(tmp_path / "made.npy", made.depths())
    header = read_header(tmp_path / "made.npy", ReadOptions())
    assert header.whole
    assert header.shape == (made.HEIGHT, made.WIDTH)
    assert header.bytes_held == 5 * made.HEIGHT * made.WIDTH
    raster = read_header(made.by_gdal("tif", "GTiff")(tmp_path), ReadOptions())
    assert (raster.whole, raster.bytes_held) == (False, 0)
    assert raster.georeference.transform == made.PLACE
