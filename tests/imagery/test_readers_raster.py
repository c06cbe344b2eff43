"""PNG, JPEG, BMP, TIFF, GeoTIFF and NITF: values, masks, bands, places, and refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers import ReadOptions, open_image, probe
from tests.imagery.synthetic_files import REAL_DATA, write_raster

CARIS = REAL_DATA / "geotiff" / "backscatter_caris.tiff"


@pytest.mark.parametrize(
    ("driver", "name", "dtype"),
    [
        ("PNG", "a.png", np.uint8),
        ("PNG", "a.png", np.uint16),
        ("BMP", "a.bmp", np.uint8),
        ("NITF", "a.ntf", np.uint8),
        ("NITF", "a.ntf", np.float32),
        ("GTiff", "a.tif", np.uint8),
        ("GTiff", "a.tif", np.uint16),
        ("GTiff", "a.tif", np.int32),
        ("GTiff", "a.tif", np.float32),
        ("GTiff", "a.tif", np.float64),
    ],
)
def test_values_come_back_as_they_were_written(tmp_path, driver, name, dtype):
    rng = np.random.default_rng(1)
    values = rng.integers(0, 200, (1, 17, 23)).astype(dtype)
    image = open_image(write_raster(tmp_path / name, values, driver))
    assert image.pixels.dtype == np.float32
    np.testing.assert_array_equal(image.pixels, values[0])
    assert image.valid.all()
    assert image.source == tmp_path / name


def test_a_jpeg_comes_back_nearly_as_it_was_written(tmp_path):
    ramp = np.repeat(np.arange(0, 256, 4, dtype=np.uint8)[np.newaxis], 64, axis=0)
    values = np.stack([ramp, ramp.T, 255 - ramp])
    path = write_raster(tmp_path / "a.jpg", values, "JPEG", quality=95)
    image = open_image(path)
    assert image.is_colour
    assert np.abs(image.pixels - np.moveaxis(values, 0, 2)).mean() < 3


def test_a_stated_nodata_value_is_masked_and_zeroed(tmp_path):
    values = np.arange(12, dtype=np.float32).reshape(1, 3, 4) + 1
    values[0, 1, 2] = -77.0
    image = open_image(write_raster(tmp_path / "a.tif", values, "GTiff", nodata=-77.0))
    expected = np.ones((3, 4), dtype=bool)
    expected[1, 2] = False
    np.testing.assert_array_equal(image.valid, expected)
    assert image.pixels[1, 2] == 0


@pytest.mark.parametrize("missing", [np.nan, np.inf, -np.inf, 3.4028235e38, -3.4e38, -9999.0])
def test_missing_values_are_masked_even_if_the_file_does_not_state_them(tmp_path, missing):
    values = np.ones((1, 4, 5), dtype=np.float32)
    values[0, 2, 3] = missing
    image = open_image(write_raster(tmp_path / "a.tif", values, "GTiff"))
    assert not image.valid[2, 3]
    assert image.valid.sum() == 19
    assert np.isfinite(image.pixels).all()


def test_a_nodata_value_rounded_in_the_header_still_masks(tmp_path):
    values = np.ones((1, 4, 5), dtype=np.float32)
    values[0, 0, 0] = np.finfo(np.float32).max
    image = open_image(write_raster(tmp_path / "a.tif", values, "GTiff", nodata=3.402823e38))
    assert not image.valid[0, 0]
    assert image.valid.sum() == 19


def test_a_customary_filler_is_said_to_have_been_taken_for_missing(tmp_path):
    values = np.ones((1, 4, 5), dtype=np.int16)
    values[0, 0] = -32768
    image = open_image(write_raster(tmp_path / "a.tif", values, "GTiff"))
    assert not image.valid[0].any()
    assert any("-32768" in note for note in image.notes)


def test_transparent_pixels_are_masked(tmp_path):
    from rasterio.enums import ColorInterp

    values = np.full((2, 6, 6), 255, dtype=np.uint8)
    values[0] = 9
    values[1, :2] = 0
    interpretation = (ColorInterp.gray, ColorInterp.alpha)
    path = write_raster(tmp_path / "a.tif", values, "GTiff", colorinterp=interpretation)
    image = open_image(path)
    assert not image.is_colour
    assert not image.valid[:2].any()
    assert image.valid[2:].all()


def test_black_is_a_colour_where_only_one_band_equals_nodata(tmp_path):
    values = np.full((3, 2, 2), 80, dtype=np.uint8)
    values[2] = 90
    values[0, 0, 0] = 0
    values[:, 1, 1] = 0
    path = write_raster(tmp_path / "a.tif", values, "GTiff", photometric="rgb", nodata=0)
    assert open_image(path).valid.tolist() == [[True, True], [True, False]]


def test_a_palette_becomes_its_colours(tmp_path):
    indices = np.array([[[0, 1], [1, 2]]], dtype=np.uint8)
    palette = {0: (10, 20, 30, 255), 1: (40, 50, 60, 255), 2: (0, 0, 0, 255)}
    image = open_image(write_raster(tmp_path / "a.tif", indices, "GTiff", colormap=palette))
    assert image.is_colour
    assert image.pixels[0, 1].tolist() == [40, 50, 60]


def test_three_equal_bands_become_one(tmp_path):
    grey = np.arange(20, dtype=np.uint8).reshape(1, 4, 5)
    image = open_image(write_raster(tmp_path / "a.png", np.repeat(grey, 3, axis=0), "PNG"))
    assert not image.is_colour
    np.testing.assert_array_equal(image.pixels, grey[0])


def test_bands_are_chosen_by_number_or_description(tmp_path):
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    path = write_raster(tmp_path / "a.tif", values, "GTiff", descriptions=("level", "depth"))
    assert [band.description for band in probe(path).bands] == ["level", "depth"]
    np.testing.assert_array_equal(open_image(path).pixels, values[0])
    np.testing.assert_array_equal(open_image(path, ReadOptions(band=2)).pixels, values[1])
    np.testing.assert_array_equal(open_image(path, ReadOptions(band="depth")).pixels, values[1])
    with pytest.raises(PmldaError, match=r"no band 'slope'.*1 \(level\), 2 \(depth\)"):
        open_image(path, ReadOptions(band="slope"))


def test_colour_bands_can_be_chosen_by_colour(tmp_path):
    values = np.stack([np.full((4, 4), value, dtype=np.uint8) for value in (10, 20, 30)])
    path = write_raster(tmp_path / "a.png", values, "PNG")
    assert [band.description for band in probe(path).bands] == ["red", "green", "blue"]
    assert (open_image(path, ReadOptions(band="green")).pixels == 20).all()


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_data_become_magnitude(tmp_path, dtype):
    values = np.full((1, 3, 4), 3 - 4j, dtype=dtype)
    image = open_image(write_raster(tmp_path / "a.tif", values, "GTiff"))
    np.testing.assert_allclose(image.pixels, 5.0)
    assert any("magnitude" in note for note in image.notes)


def test_complex_integers_become_magnitude(tmp_path):
    values = np.full((1, 3, 4), 3 - 4j, dtype=np.complex64)
    path = tmp_path / "a.tif"
    import rasterio

    profile = {"driver": "GTiff", "count": 1, "height": 3, "width": 4, "dtype": "complex_int16"}
    with rasterio.open(path, "w", crs="EPSG:32618", transform=(2, 0, 9, 0, -2, 9), **profile) as f:
        f.write(values)
    np.testing.assert_allclose(open_image(path).pixels, 5.0)


def test_the_georeference_is_kept_and_scaled_by_a_reduction(tmp_path):
    values = np.ones((1, 8, 10), dtype=np.uint8)
    path = write_raster(
        tmp_path / "a.tif",
        values,
        "GTiff",
        crs="EPSG:32618",
        transform=(0.5, 0, 600000, 0, -0.5, 4700000),
    )
    image = open_image(path)
    assert probe(path).format == "GeoTIFF"
    assert image.georeference is not None
    assert image.georeference.transform == (0.5, 0, 600000, 0, -0.5, 4700000)
    assert "UTM zone 18N" in image.georeference.crs
    assert image.pixel_size == pytest.approx(0.5)
    reduced = open_image(path, ReadOptions(reduce=2))
    assert reduced.georeference is not None
    assert reduced.georeference.transform == (1.0, 0, 600000, 0, -1.0, 4700000)
    assert reduced.pixel_size == pytest.approx(1.0)


def test_pixel_sizes_in_feet_and_degrees_become_metres(tmp_path):
    values = np.ones((1, 10, 10), dtype=np.uint8)
    feet = write_raster(
        tmp_path / "f.tif", values, "GTiff", crs="EPSG:2263", transform=(10, 0, 9e5, 0, -10, 2e5)
    )
    assert open_image(feet).pixel_size == pytest.approx(3.048, rel=1e-3)
    degrees = write_raster(
        tmp_path / "d.tif", values, "GTiff", crs="EPSG:4326", transform=(2e-5, 0, 5, 0, -1e-5, 60)
    )
    image = open_image(degrees)
    assert image.pixel_size == pytest.approx(1.113, rel=1e-3)
    assert any("latitude 60" in note for note in image.notes)


def test_a_world_file_beside_a_picture_places_it(tmp_path):
    path = write_raster(tmp_path / "a.png", np.ones((1, 4, 4), dtype=np.uint8), "PNG")
    (tmp_path / "a.pgw").write_text("0.2\n0\n0\n-0.2\n100.1\n199.9\n")
    image = open_image(path)
    assert image.georeference is not None
    assert image.georeference.transform == pytest.approx((0.2, 0, 100.0, 0, -0.2, 200.0))
    assert image.pixel_size is None


def test_reading_reduced_averages_the_valid_pixels_of_each_block(tmp_path):
    values = np.arange(1, 36, dtype=np.float32).reshape(1, 5, 7)
    values[0, 0, 0] = -1.0
    values[0, 2:4, 2:4] = -1.0
    values[0, 2, 2] = 99.0
    path = write_raster(tmp_path / "a.tif", values, "GTiff", nodata=-1.0)
    image = open_image(path, ReadOptions(reduce=2))
    assert image.shape == (3, 4)
    assert image.pixels[0, 0] == pytest.approx((2 + 8 + 9) / 3)
    assert not image.valid[1, 1], "one valid pixel of four does not make a block valid"
    assert image.pixels[2, 3] == pytest.approx(35)


def test_reading_in_strips_gives_what_reading_at_once_gives(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(1, 61, 40)).astype(np.float32)
    path = write_raster(
        tmp_path / "a.tif", values, "GTiff", tiled=True, blockxsize=16, blockysize=16
    )
    at_once = open_image(path, ReadOptions(reduce=3))
    monkeypatch.setattr("pmlda_gui.imagery.readers.pixel_reader.STRIP_VALUES", 100)
    np.testing.assert_array_equal(open_image(path, ReadOptions(reduce=3)).pixels, at_once.pixels)


def test_a_virtual_raster_is_not_opened_whatever_it_is_called(tmp_path):
    inner = write_raster(tmp_path / "inner.tif", np.ones((1, 4, 4), dtype=np.uint8), "GTiff")
    virtual = (
        '<VRTDataset rasterXSize="4" rasterYSize="4"><VRTRasterBand dataType="Byte" band="1">'
        f"<SimpleSource><SourceFilename>{inner}</SourceFilename></SimpleSource>"
        "</VRTRasterBand></VRTDataset>"
    )
    for name in ("a.vrt", "a.tif"):
        (tmp_path / name).write_text(virtual)
        with pytest.raises(PmldaError, match="not in a format"):
            open_image(tmp_path / name)


def test_a_web_map_description_is_not_opened(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text('<GDAL_WMS><Service name="WMS"><ServerUrl>http://127.0.0.1/</ServerUrl>')
    with pytest.raises(PmldaError, match="not in a format"):
        open_image(path)


def test_files_beside_an_image_do_not_change_it(tmp_path):
    import rasterio

    path = tmp_path / "a.tif"
    profile = {"driver": "GTiff", "count": 1, "height": 8, "width": 8, "dtype": "uint8"}
    place = {"crs": "EPSG:32618", "transform": (2, 0, 9, 0, -2, 9)}
    with (
        rasterio.Env(GDAL_TIFF_INTERNAL_MASK=False),
        rasterio.open(path, "w", **profile, **place) as target,
    ):
        target.write(np.full((1, 8, 8), 5, dtype=np.uint8))
        target.write_mask(np.zeros((8, 8), dtype=bool))
    (tmp_path / "a.tif.aux.xml").write_text(
        '<PAMDataset><PAMRasterBand band="1"><NoDataValue>5</NoDataValue></PAMRasterBand>'
        "</PAMDataset>"
    )
    with rasterio.open(path) as trusting:
        assert not trusting.read_masks(1).any(), "the trap works when it is sprung"
    image = open_image(path)
    assert image.valid.all()
    assert (image.pixels == 5).all()


def test_damage_is_one_sentence_and_nothing_is_printed(tmp_path, capfd):
    values = np.random.default_rng(0).integers(0, 256, (1, 64, 64)).astype(np.uint8)
    path = write_raster(tmp_path / "torn.png", values, "PNG")
    path.write_bytes(path.read_bytes()[:1500])
    with pytest.raises(PmldaError, match=r"^torn\.png cannot be read.*\.$"):
        open_image(path)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == ""


def test_a_message_that_quotes_bytes_of_the_file_is_not_printed(tmp_path, capfd):
    values = np.ones((1, 4, 4), dtype=np.uint8)
    path = write_raster(tmp_path / "a.tif", values, "GTiff", descriptions=("level",))
    content = path.read_bytes()
    assert b"<Item name=" in content
    path.write_bytes(content.replace(b"<Item name=", b"<Item \xd4ame "))
    open_image(path)
    assert capfd.readouterr().err == ""


def test_a_small_file_that_claims_a_huge_picture_is_refused_before_reading(tmp_path):
    import struct
    import zlib

    def chunk(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    path = tmp_path / "bomb.png"
    head = struct.pack(">IIBBBBB", 10000, 10000, 8, 0, 0, 0, 0)
    packed = zlib.compress(bytes(1000))
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    )
    with pytest.raises(PmldaError, match=r"claims 10000 x 10000 pixels but is only \d+ bytes"):
        open_image(path)


@pytest.mark.skipif(not CARIS.exists(), reason="the real imagery is not here")
def test_the_real_backscatter_mosaic_is_mostly_nodata_in_three_described_bands():
    description = probe(CARIS)
    assert [band.description for band in description.bands] == [
        "Intensity",
        "Intensity Interpolated",
        "Intensity and Holidays",
    ]
    image = open_image(CARIS, ReadOptions(band="Intensity"))
    assert image.valid.mean() == pytest.approx(0.11, abs=0.01)
    assert image.pixel_size == pytest.approx(10.0)
    assert np.abs(image.pixels).max() < 100, "decibels"
    assert Path(image.name).suffix == ".tiff"
