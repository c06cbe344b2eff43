"""The raster formats that GDAL may read for us: one table, an allow-list.

Drivers that follow names in a file to other files or to a network are not in it.
`beside` are the endings of files that belong to a raster and lie beside it under its
own name; no driver may look at any other file.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["RASTER_FORMATS", "RasterFormat", "raster_format_of"]


@dataclass(frozen=True)
class RasterFormat:
    """A format by the name of its `driver` in GDAL.

    `endings` are those of its files, in file dialogs and lists only.  `signatures` are
    the first bytes of its files, empty where they have none.  `expansion` is the most
    bytes of pixels that a byte of a file can stand for.  `layers` tells whether a file
    may hold several rasters by name; `options` are handed to the driver.
    """

    driver: str
    title: str
    endings: tuple[str, ...]
    expansion: int
    signatures: tuple[bytes, ...] = ()
    world_file: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    layers: bool = False
    options: dict[str, str] = field(default_factory=dict)


# Deflate makes at most 1032 bytes of one; TIFF and HDF5 may leave empty tiles out.
RASTER_FORMATS = (
    RasterFormat("PNG", "PNG", (".png",), 1_100, (b"\x89PNG\r\n\x1a\n",), (".pgw", ".pngw")),
    RasterFormat("JPEG", "JPEG", (".jpg", ".jpeg"), 1_100, (b"\xff\xd8\xff",), (".jgw", ".jpgw")),
    RasterFormat("BMP", "BMP", (".bmp",), 130, (b"BM",), (".bpw", ".bmpw")),
    RasterFormat("GIF", "GIF", (".gif",), 3_000, (b"GIF87a", b"GIF89a"), (".gfw", ".gifw")),
    RasterFormat(
        "GTiff",
        "TIFF",
        (".tif", ".tiff"),
        5_000,
        (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+"),
        (".tfw", ".tifw"),
    ),
    RasterFormat("NITF", "NITF", (".ntf", ".nitf"), 2_000, (b"NITF", b"NSIF")),
    RasterFormat(
        "JP2OpenJPEG",
        "JPEG 2000",
        (".jp2", ".j2k"),
        20_000,
        (b"\x00\x00\x00\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51"),
        (".j2w",),
    ),
    RasterFormat("HFA", "Erdas Imagine", (".img",), 5_000, (b"EHFA_HEADER_TAG",)),
    RasterFormat("LAN", "Erdas LAN", (".lan", ".gis"), 4, (b"HEAD74",)),
    RasterFormat("BAG", "BAG", (".bag",), 5_000),
    RasterFormat(
        "netCDF",
        "NetCDF",
        (".nc",),
        5_000,
        (b"CDF\x01", b"CDF\x02", b"CDF\x05"),
        layers=True,
    ),
    RasterFormat(
        "GPKG", "GeoPackage", (".gpkg",), 1_000_000, layers=True, options={"IMMUTABLE": "YES"}
    ),
    RasterFormat("MBTiles", "MBTiles", (".mbtiles",), 1_000_000),
    # Whole numbers at its head must not make whole numbers of the rest.
    RasterFormat("AAIGrid", "Esri ASCII grid", (".asc",), 5, options={"DATATYPE": "Float64"}),
    RasterFormat("GSAG", "Surfer ASCII grid", (".grd",), 5, (b"DSAA",)),
    RasterFormat("GSBG", "Surfer 6 grid", (".grd",), 2, (b"DSBB",)),
    RasterFormat("GS7BG", "Surfer 7 grid", (".grd",), 2, (b"DSRB",)),
    # Eight pixels of one bit a byte.
    RasterFormat(
        "EHdr", "Esri BIL", (".bil", ".bip", ".bsq", ".flt"), 9, beside=(".hdr", ".clr", ".stx")
    ),
    RasterFormat("ENVI", "ENVI", (".dat", ".envi", ".bsq", ".img"), 2, beside=(".hdr",)),
    RasterFormat("ERS", "ER Mapper", (".ers",), 2, beside=("",)),
    RasterFormat("SAGA", "SAGA grid", (".sdat",), 2, beside=(".sgrd",)),
)

_BY_DRIVER = {each.driver: each for each in RASTER_FORMATS}


def raster_format_of(driver: str) -> RasterFormat:
    """The format that a driver reads."""
    return _BY_DRIVER[driver]
