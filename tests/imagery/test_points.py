"""Ground truth at points: columns by name, places in any reference system, and refusals."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from rasterio.crs import CRS
from rasterio.warp import transform

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.earth_positions import latitude_longitude
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.readers.points import holds_points, read_points

FEET = CRS.from_epsg(2263).to_wkt()
METRES = CRS.from_epsg(32618).to_wkt()
ROWS, COLUMNS = [2, 9, 19], [3, 0, 29]
CLASSES = ["sand", "rock", "sand"]


def image_in(crs: str) -> Image:
    """20 x 30 pixels of 5 units of the reference system, around New York."""
    place = (5.0, 0.0, 980_000.0, 0.0, -5.0, 200_000.0)
    if crs == METRES:
        place = (5.0, 0.0, 583_000.0, 0.0, -5.0, 4_507_000.0)
    pixels = np.ones((20, 30), np.float32)
    return Image(pixels, np.ones(pixels.shape, np.bool_), georeference=Georeference(crs, place))


def middles(image: Image) -> tuple[np.ndarray, np.ndarray]:
    assert image.georeference is not None
    a, _, c, _, e, f = image.georeference.transform
    return c + a * (np.array(COLUMNS) + 0.5), f + e * (np.array(ROWS) + 0.5)


def write_csv(path: Path, head: str, *columns: object) -> Path:
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]  # type: ignore[call-overload]
    path.write_text("\n".join([head, *lines]) + "\n")
    return path


def require_found(path: Path, image: Image, **options: str) -> None:
    points = read_points(path, image, **options)
    assert points.rows.tolist() == ROWS
    assert points.columns.tolist() == COLUMNS
    assert list(points.classes) == CLASSES


@pytest.mark.parametrize("head", ["x,y,class", "Easting,Northing,Label", "POINT_X,POINT_Y,habitat"])
def test_coordinates_of_the_image_are_found_by_name(tmp_path: Path, head: str):
    image = image_in(METRES)
    require_found(write_csv(tmp_path / "p.csv", head, *middles(image), CLASSES), image)


@pytest.mark.parametrize("crs", [METRES, FEET], ids=["metres", "feet"])
def test_longitudes_and_latitudes_are_brought_into_the_images_system(tmp_path: Path, crs: str):
    image = image_in(crs)
    x, y = middles(image)
    longitude, latitude = transform(crs, "EPSG:4326", x, y)
    head = "Latitude,Longitude,Class"
    require_found(write_csv(tmp_path / "p.csv", head, latitude, longitude, CLASSES), image)
    assert image.georeference is not None
    found = latitude_longitude(image.georeference, ROWS, COLUMNS)
    assert found is not None
    np.testing.assert_allclose(found, (latitude, longitude), atol=1e-9)
    assert 40 < found[0][0] < 41
    assert -75 < found[1][0] < -73


def test_rows_and_columns_need_no_georeference(tmp_path: Path):
    image = Image(np.ones((20, 30), np.float32), np.ones((20, 30), np.bool_))
    require_found(write_csv(tmp_path / "p.csv", "row,col,class", ROWS, COLUMNS, CLASSES), image)
    path = write_csv(tmp_path / "q.csv", "x,y,class", COLUMNS, ROWS, CLASSES)
    with pytest.raises(PmldaError, match="has no georeference"):
        read_points(path, image)


def test_semicolons_a_named_column_and_a_byte_order_mark_are_understood(tmp_path: Path):
    image = image_in(METRES)
    text = write_csv(tmp_path / "p.csv", "x,y,bottom", *middles(image), CLASSES).read_text()
    path = tmp_path / "p.csv"
    path.write_text("\ufeff" + text.replace(",", ";"), encoding="utf-8")
    require_found(path, image, class_column="Bottom")
    with pytest.raises(PmldaError, match="no column 'class'; say which of x, y, bottom"):
        read_points(path, image)


def test_points_outside_and_lines_without_numbers_are_left_out(tmp_path: Path):
    image = image_in(METRES)
    x, y = middles(image)
    rows = [f"{a},{b},{c}" for a, b, c in zip(x, y, CLASSES, strict=True)]
    path = tmp_path / "p.csv"
    path.write_text(
        "\n".join(["x,y,class", "0,0,sand", *rows, "nowhere,1,rock", f"{x[0]},{y[0]},"])
    )
    require_found(path, image)
    assert read_points(path, image).left_out == 3
    path.write_text("x,y,class\n0,0,sand\n")
    with pytest.raises(PmldaError, match="None of the 1 points"):
        read_points(path, image)


@pytest.mark.parametrize("text", ["", "x,y,class\n", "a,b,class\n1,2,sand\n", "\0\0\0"])
def test_what_is_no_table_of_points_is_refused_in_a_sentence(tmp_path: Path, text: str):
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(PmldaError, match=r"p\.csv .*\.$"):
        read_points(path, image_in(METRES))


def write_package(path: Path, x: np.ndarray, y: np.ndarray, crs: str) -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE gpkg_contents (table_name, data_type);"
            "CREATE TABLE gpkg_geometry_columns "
            "(table_name, column_name, geometry_type_name, srs_id);"
            "CREATE TABLE gpkg_spatial_ref_sys (srs_id, definition);"
            'CREATE TABLE "ground truth" (fid INTEGER PRIMARY KEY, geom BLOB, class TEXT);'
            "INSERT INTO gpkg_contents VALUES ('ground truth', 'features');"
            "INSERT INTO gpkg_geometry_columns VALUES ('ground truth', 'geom', 'POINT', 7);"
        )
        database.execute("INSERT INTO gpkg_spatial_ref_sys VALUES (7, ?)", (crs,))
        for east, north, name in zip(x, y, CLASSES, strict=True):
            blob = b"GP\0\1" + struct.pack("<i", 7) + struct.pack("<BI2d", 1, 1, east, north)
            database.execute('INSERT INTO "ground truth" VALUES (NULL, ?, ?)', (blob, name))
        database.commit()
    return path


def test_points_of_a_geopackage_come_with_their_reference_system(tmp_path: Path):
    image = image_in(METRES)
    x, y = transform(METRES, FEET, *middles(image))
    path = write_package(tmp_path / "truth.gpkg", x, y, FEET)
    assert holds_points(path)
    require_found(path, image)


def test_a_damaged_or_empty_geopackage_is_refused_in_a_sentence(tmp_path: Path):
    image = image_in(METRES)
    path = write_package(tmp_path / "truth.gpkg", *middles(image), METRES)
    content = path.read_bytes()
    path.write_bytes(content[:200])
    with pytest.raises(PmldaError, match="damaged or locked GeoPackage"):
        read_points(path, image)
    path.write_bytes(content)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE gpkg_geometry_columns SET geometry_type_name = 'POLYGON'")
        database.commit()
    with pytest.raises(PmldaError, match="holds no layer of points"):
        read_points(path, image)


def test_only_tables_are_taken_for_points(tmp_path: Path):
    (tmp_path / "a.tif").write_bytes(b"II*\0")
    assert not holds_points(tmp_path / "a.tif")
    assert not holds_points(tmp_path / "missing.tif")
    assert holds_points(tmp_path / "a.csv")
