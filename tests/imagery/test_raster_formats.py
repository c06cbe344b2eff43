"""Survey rasters in many formats: the pixels and the place of the GeoTIFF they were made from."""

from __future__ import annotations

import sqlite3
import warnings
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from rasterio.crs import CRS

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import ReadOptions, open_image, open_images, probe
from pmlda_gui.imagery.readers.formats import file_endings, format_titles
from pmlda_gui.imagery.readers.raster_formats import RASTER_FORMATS
from tests.imagery import synthetic_rasters as made
from tests.imagery.synthetic_files import write_mat73, write_raster


def require_place(image: Image) -> None:
    assert image.georeference is not None
    assert image.georeference.transform == pytest.approx(made.PLACE)
    reference = CRS.from_wkt(image.georeference.crs)
    # BAG says besides in which unit its depths are.
    plain = {name: value for name, value in reference.to_dict().items() if name != "vunits"}
    assert reference.to_epsg() == made.EPSG or plain == CRS.from_epsg(made.EPSG).to_dict()
    assert image.pixel_size == pytest.approx(made.SIDE)


@pytest.mark.parametrize("title", made.DEPTH_FORMATS)
def test_depths_and_place_are_those_of_the_geotiff(tmp_path: Path, title: str):
    geotiff = open_image(made.by_gdal("tif", "GTiff")(tmp_path))
    path = made.DEPTH_FORMATS[title](tmp_path)
    image = open_image(path)
    assert image.shape == geotiff.shape
    np.testing.assert_allclose(
        image.pixels[image.valid], geotiff.pixels[image.valid], rtol=0, atol=1e-4
    )
    missing = [list(made.MISSING)] if title.startswith("NetCDF") else []
    assert np.argwhere(~image.valid).tolist() == missing
    require_place(image)
    assert probe(path).format == title.removesuffix(" 3").removesuffix(" 4")


@pytest.mark.parametrize("title", made.LEVEL_FORMATS)
def test_levels_are_those_of_the_geotiff(tmp_path: Path, title: str):
    path = made.LEVEL_FORMATS[title](tmp_path)
    image = open_image(path)
    np.testing.assert_array_equal(image.pixels, made.levels())
    assert image.valid.all()
    assert probe(path).format == title
    if title != "Erdas LAN":
        require_place(image)


def test_a_lossy_jpeg_2000_is_near_what_it_was_made_from(tmp_path: Path):
    ramp = np.add.outer(np.arange(64), 2 * np.arange(64)).astype(np.uint8)
    path = write_raster(tmp_path / "a.jp2", ramp[None], "JP2OpenJPEG", QUALITY="30")
    assert np.abs(open_image(path).pixels - ramp).mean() < 2


def test_tiles_of_the_web_come_back_with_their_colours(tmp_path: Path):
    path = made.mbtiles(tmp_path)
    image = open_image(path)
    expected = np.random.default_rng(5).integers(1, 255, (3, 256, 256))
    assert image.georeference is not None
    assert CRS.from_wkt(image.georeference.crs).to_epsg() == 3857
    a, _, west, _, _, north = image.georeference.transform
    assert a == pytest.approx(made.TILE_SIDE)
    column = round((made.TILE_PLACE[2] - west) / a)
    row = round((north - made.TILE_PLACE[5]) / a)
    tile = (slice(row, row + 256), slice(column, column + 256))
    np.testing.assert_array_equal(np.moveaxis(image.pixels[tile], 2, 0), expected)
    assert image.valid[tile].all()


@pytest.mark.parametrize("write", [made.netcdf3, made.netcdf4])
@pytest.mark.parametrize("northwards", [False, True])
@pytest.mark.parametrize("order", ["yx", "xy"])
def test_a_netcdf_raster_is_upright_however_it_is_stored(
    tmp_path: Path, write, northwards: bool, order: str
):
    image = open_image(write(tmp_path / "a.nc", northwards=northwards, order=order))
    expected = made.depths()
    expected[made.MISSING] = 0.0
    np.testing.assert_array_equal(image.pixels, expected)
    require_place(image)


def test_packed_numbers_of_a_netcdf_file_are_unpacked_and_said_to_be(tmp_path: Path):
    image = open_image(made.netcdf3(tmp_path / "a.nc", packed=True))
    expected = made.depths()
    np.testing.assert_allclose(image.pixels[image.valid], expected[image.valid], atol=6e-4)
    assert np.argwhere(~image.valid).tolist() == [list(made.MISSING)]
    assert any("multiplied by -0.001 and -10 is added" in note for note in image.notes)


def test_times_of_a_netcdf_variable_are_bands(tmp_path: Path):
    from scipy.io import netcdf_file

    path = tmp_path / "times.nc"
    with netcdf_file(path, "w") as file:
        for name, values in {"time": [0, 1], "lat": [50.0, 50.1, 50.2], "lon": [4.0, 4.1]}.items():
            file.createDimension(name, None if name == "time" else len(values))
            variable = file.createVariable(name, "d", (name,))
            variable[:] = values
            variable.units = {"lat": "degrees_north", "lon": "degrees_east"}.get(name, "days")
        level = file.createVariable("level", "f", ("time", "lat", "lon"))
        level[:] = np.arange(12.0).reshape(2, 3, 2)
    assert [band.description for band in probe(path).bands] == ["level 1", "level 2"]
    image = open_image(path, ReadOptions(band="level 2"))
    assert image.pixels.tolist() == [[10.0, 11.0], [8.0, 9.0], [6.0, 7.0]], "north is up"
    assert image.georeference is not None
    assert CRS.from_wkt(image.georeference.crs).is_geographic
    assert image.georeference.transform == pytest.approx((0.1, 0, 3.95, 0, -0.1, 50.25))


@pytest.mark.parametrize(
    ("true", "claimed"),
    [
        (b"\0\0\0\x01x\0\0\0\0\0\0\x20", b"\0\0\0\x01x\0\0\0\x7f\xff\xff\xff"),
        (b"\0\0\0\x0a\0\0\0\x02", b"\0\0\0\x0a\x7f\xff\xff\xff"),
        (b"\0\0\0\x05depth", b"\x7f\xff\xff\xffdepth"),
    ],
    ids=["axis", "number of axes", "name"],
)
def test_a_netcdf_header_that_lies_is_refused_before_memory_is_taken(
    tmp_path: Path, true: bytes, claimed: bytes
):
    path = made.netcdf3(tmp_path / "a.nc")
    content = path.read_bytes()
    assert content.count(true) >= 1
    path.write_bytes(content.replace(true, claimed))
    with pytest.raises(
        PmldaError, match=r"\((a variable|a list|the header).*(longer than the file|cut short)\)"
    ):
        open_image(path)


@pytest.mark.parametrize("write", [made.netcdf3, made.netcdf4])
def test_a_variable_of_a_netcdf_file_is_chosen_by_name(tmp_path: Path, write):
    path = write(tmp_path / "a.nc")
    assert sorted(band.description for band in probe(path).bands) == ["depth", "quality"]
    assert (open_image(path, ReadOptions(band="quality")).pixels == 7.0).all()
    with pytest.raises(PmldaError, match="no band 'slope'"):
        open_image(path, ReadOptions(band="slope"))


def test_an_hdf5_file_that_is_not_matlabs_is_not_read_as_if_it_were(tmp_path: Path):
    import h5py

    path = tmp_path / "other.mat"
    with h5py.File(path, "w") as file:
        file["I"] = np.ones((4, 5))
    with pytest.raises(PmldaError, match="HDF5 file, but neither BAG, NetCDF nor MATLAB's"):
        open_image(path)
    with h5py.File(path, "w", userblock_size=512) as file:
        file["I"] = np.ones((4, 5))
    with pytest.raises(PmldaError, match="not in a format"):
        open_image(path)
    assert open_image(write_mat73(path, I=np.ones((4, 5)))).shape == (4, 5)


@pytest.mark.parametrize("kind", ["link", "bytes", "virtual"])
def test_a_netcdf_file_that_shows_another_file_is_refused(tmp_path: Path, kind: str):
    import h5py

    (tmp_path / "secret.bin").write_bytes(bytes(4 * made.HEIGHT * made.WIDTH))
    other = made.netcdf4(tmp_path / "other.nc")
    path = made.netcdf4(tmp_path / "a.nc")
    shape = (made.HEIGHT, made.WIDTH)
    with h5py.File(path, "a") as file:
        if kind == "link":
            file["taken"] = h5py.ExternalLink(str(other), "depth")
        elif kind == "bytes":
            place = [(str(tmp_path / "secret.bin"), 0, 4 * shape[0] * shape[1])]
            file.create_dataset("taken", shape, "<f4", external=place)
        else:
            layout = h5py.VirtualLayout(shape, "<f4")
            layout[:] = h5py.VirtualSource(str(other), "depth", shape)
            file.create_virtual_dataset("taken", layout)
    with pytest.raises(PmldaError, match="takes data from other files"):
        open_image(path)


@pytest.mark.parametrize(
    "named", ["../secret", "/etc/hostname", "..\\secret", "made.ers", "a\n\tDataFile = ../secret"]
)
def test_an_er_mapper_header_may_not_name_a_file_elsewhere(tmp_path: Path, named: str):
    folder = tmp_path / "inner"
    folder.mkdir()
    path = made.DEPTH_FORMATS["ER Mapper"](folder)
    (tmp_path / "secret").write_bytes((folder / "made").read_bytes())
    header = path.read_text()
    path.write_text(header.replace("\tDataType", f'\tDataFile = "{named}"\n\tDataType'))
    with pytest.raises(PmldaError, match="names a data file outside its own folder"):
        open_image(path)
    path.write_text(header.replace("ERStorage", "Translated"))
    with pytest.raises(PmldaError, match="header for an image of another format"):
        open_image(path)
    (folder / "other.raw").write_bytes((folder / "made").read_bytes())
    path.write_text(header.replace("\tDataType", '\tDataFile = "other.raw"\n\tDataType'))
    np.testing.assert_array_equal(open_image(path).pixels, made.depths())


def test_an_erdas_file_may_not_keep_its_pixels_in_another(tmp_path: Path):
    path = made.by_gdal("img", "HFA", USE_SPILL="YES")(tmp_path)
    assert path.with_suffix(".ige").exists()
    with pytest.raises(PmldaError, match="keeps its pixels in another file"):
        open_image(path)


@pytest.mark.parametrize("title", ["Esri BIL", "ENVI", "SAGA grid", "ER Mapper"])
def test_masks_beside_a_raster_are_not_looked_at(tmp_path: Path, title: str):
    import rasterio

    path = made.DEPTH_FORMATS[title](tmp_path)
    nothing = np.zeros((1, made.HEIGHT, made.WIDTH), np.uint8)
    trap = write_raster(tmp_path / "trap.tif", nothing, "GTiff")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        with rasterio.open(trap, "r+") as mask:
            mask.update_tags(INTERNAL_MASK_FLAGS_1="2")
    trap.rename(tmp_path / f"{path.name}.msk")
    with rasterio.open(path) as trusting:
        assert not trusting.read_masks(1).any(), "the trap works when it is sprung"
    image = open_image(path)
    assert image.valid.all()
    np.testing.assert_array_equal(image.pixels, made.depths())


@pytest.mark.parametrize("title", [*made.DEPTH_FORMATS, *made.LEVEL_FORMATS])
def test_a_raster_cut_short_is_read_in_part_or_refused_in_a_sentence(tmp_path: Path, title: str):
    path = {**made.DEPTH_FORMATS, **made.LEVEL_FORMATS}[title](tmp_path)
    content = path.read_bytes()
    refused = []
    for share in (0.02, 0.3, 0.6):
        path.write_bytes(content[: int(share * len(content))])
        try:
            assert np.isfinite(open_image(path).pixels).all()
        except PmldaError as error:
            refused.append(str(error))
    assert all(sentence.endswith(".") for sentence in refused)
    assert refused, "a file of which next to nothing is left is refused"


@pytest.mark.parametrize("title", ["Esri BIL", "SAGA grid", "Esri ASCII grid", "Surfer 6 grid"])
def test_a_header_that_claims_more_than_there_is_is_refused(tmp_path: Path, title: str):
    path = made.DEPTH_FORMATS[title](tmp_path)
    if title == "Surfer 6 grid":
        content = path.read_bytes()
        path.write_bytes(content[:4] + (30000).to_bytes(2, "little") * 2 + content[8:])
    else:
        header = path.with_suffix(made.HEADERS.get(title, path.suffix))
        header.write_text(header.read_text().replace("32", "30000").replace("24", "30000"))
    with pytest.raises(PmldaError, match=r"claims 30000 x 30000 pixels|damaged"):
        open_image(path)


def test_a_geopackage_without_tiles_is_no_raster(tmp_path: Path):
    path = tmp_path / "polygons.gpkg"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE gpkg_contents (table_name, data_type)")
        database.execute("INSERT INTO gpkg_contents VALUES ('documents', 'features')")
        database.commit()
    with pytest.raises(PmldaError, match="not in a format"):
        open_image(path)


def test_tiles_that_a_query_computes_without_end_are_refused(tmp_path: Path):
    path = tmp_path / "endless.mbtiles"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE metadata (name, value)")
        database.execute(
            "CREATE VIEW tiles AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT i AS zoom_level, 0 AS tile_column, 0 AS tile_row, x'00' AS tile_data FROM n"
        )
        database.commit()
    with pytest.raises(PmldaError, match="computes 'tiles' instead of storing it"):
        open_image(path)


def test_in_a_folder_headers_and_raw_data_count_once(tmp_path: Path):
    for title in ("Esri BIL", "ER Mapper", "SAGA grid"):
        folder = tmp_path / title
        folder.mkdir()
        made.DEPTH_FORMATS[title](folder)
        assert len(open_images([folder])) == 1, title


def test_a_driver_that_is_missing_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import rasterio

    path = made.DEPTH_FORMATS["BAG"](tmp_path)
    monkeypatch.setattr(rasterio.Env, "drivers", lambda self: {"GTiff": "GeoTIFF"})
    monkeypatch.setattr("pmlda_gui.imagery.readers.reader_process._command", list)
    with pytest.raises(PmldaError, match=r"is a BAG file, which the GDAL library .* cannot read"):
        open_image(path)


def test_no_driver_that_follows_names_is_allowed():
    allowed = {each.driver for each in RASTER_FORMATS}
    assert not allowed & {"VRT", "WMS", "WCS", "GTI", "STACIT", "DERIVED", "HTTP", "Zarr", "HDF5"}


@pytest.mark.parametrize("place", ["README.md", "resources/help/files.md"])
def test_every_format_is_in_the_lists(place: str):
    text = (Path(__file__).parents[2] / place).read_text()
    assert [title for title in format_titles() if title not in text] == []


def test_file_dialogs_offer_the_ending_of_every_format(tmp_path: Path):
    synthetic_endings = {
        path.suffix for path in made.synthetic_raster_of_every_format(tmp_path).values()
    }
    assert synthetic_endings <= set(file_endings())
    assert {".tif", ".png", ".mat", ".npy", ".npz", ".xtf"} <= set(file_endings())
    assert len(set(file_endings())) == len(file_endings())
