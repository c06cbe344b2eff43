"""The same small raster in every survey format, made on the spot for the tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.imagery.synthetic_files import write_raster

EPSG = 32618
HEIGHT, WIDTH = 24, 32
SIDE = 2.0
WEST, NORTH = 600_000.0, 4_700_000.0
PLACE = (SIDE, 0.0, WEST, 0.0, -SIDE, NORTH)
MISSING = (3, 5)
FILLER = -999.0
# Where a tile of the web's own grid lies.
TILE_SIDE = 2 * 20037508.342789244 / 256 / 2**15
TILE_PLACE = (TILE_SIDE, 0.0, -9_783.93962050256, 0.0, -TILE_SIDE, 9_783.93962050256)


def depths() -> NDArray[np.float32]:
    """The raster that every lossless format holds: no two rows or columns are alike."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    noise = np.random.default_rng(3).normal(size=(HEIGHT, WIDTH))
    return np.round(-20.0 - rows - 0.25 * columns + noise, 3).astype(np.float32)


def levels() -> NDArray[np.uint8]:
    """The raster of formats with 8 bits."""
    return np.random.default_rng(4).integers(1, 255, (HEIGHT, WIDTH)).astype(np.uint8)


def wkt() -> str:
    from rasterio.crs import CRS

    return str(CRS.from_epsg(EPSG).to_wkt())


def by_gdal(ending: str, driver: str, **options: Any) -> Callable[[Path], Path]:
    """What writes `depths` with a driver."""

    def write(folder: Path) -> Path:
        bands = depths()[None].astype(options.get("kind", np.float32))
        given = {name: value for name, value in options.items() if name != "kind"}
        path = folder / f"made.{ending}"
        return write_raster(path, bands, driver, crs=f"EPSG:{EPSG}", transform=PLACE, **given)

    return write


def bytes_by_gdal(ending: str, driver: str, **options: Any) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / f"made.{ending}"
        given = {"crs": f"EPSG:{EPSG}", "transform": PLACE} | options
        return write_raster(path, levels()[None], driver, **given)

    return write


def with_reference_beside(write: Callable[[Path], Path]) -> Callable[[Path], Path]:
    """For formats that hold no reference system: a .prj file, and no notes of GDAL's own."""

    def write_both(folder: Path) -> Path:
        path = write(folder)
        path.with_suffix(".prj").write_text(wkt())
        path.with_name(f"{path.name}.aux.xml").unlink(missing_ok=True)
        return path

    return write_both


def gif(folder: Path) -> Path:
    path = with_reference_beside(bytes_by_gdal("gif", "GIF"))(folder)
    numbers = (SIDE, 0.0, 0.0, -SIDE, WEST + SIDE / 2, NORTH - SIDE / 2)
    path.with_suffix(".gfw").write_text("\n".join(map(str, numbers)))
    return path


def axes(northwards: bool) -> dict[str, NDArray[np.float64]]:
    x = WEST + SIDE * (np.arange(WIDTH) + 0.5)
    y = NORTH - SIDE * (np.arange(HEIGHT) + 0.5)
    return {"y": y[::-1] if northwards else y, "x": x}


def stored(northwards: bool, order: str) -> NDArray[np.float32]:
    values = depths()
    values[MISSING] = FILLER
    values = values[::-1] if northwards else values
    return values.T if order == "xy" else values


def netcdf3(
    path: Path, northwards: bool = False, order: str = "yx", packed: bool = False, more: bool = True
) -> Path:
    """A NetCDF 3 file as SciPy writes it; packed depths are whole millimetres below -10 m."""
    from scipy.io import netcdf_file

    with netcdf_file(path, "w") as file:
        for name, places in axes(northwards).items():
            file.createDimension(name, len(places))
            variable = file.createVariable(name, "d", (name,))
            variable[:] = places
            variable.standard_name = f"projection_{name}_coordinate"
            variable.units = "m"
        mapping = file.createVariable("crs", "i", ())
        mapping.grid_mapping_name = "transverse_mercator"
        mapping.crs_wkt = mapping.spatial_ref = wkt()
        values = stored(northwards, order)
        depth = file.createVariable("depth", "i" if packed else "f", tuple(order))
        if packed:
            filled = np.where(values == FILLER, -1, np.rint(-1000 * (values + 10)))
            depth[:] = filled.astype(np.int32)
            depth.scale_factor, depth.add_offset = -0.001, -10.0
            depth._FillValue = np.int32(-1)
        else:
            depth[:] = values
            depth._FillValue = np.float32(FILLER)
        depth.grid_mapping = "crs"
        if more:
            quality = file.createVariable("quality", "f", tuple(order))
            quality[:] = np.full(values.shape, 7.0, np.float32)
            quality.grid_mapping = "crs"
    return path


def netcdf4(path: Path, northwards: bool = False, order: str = "yx", more: bool = True) -> Path:
    """A NetCDF 4 file: HDF5 with the axes as dimension scales."""
    import h5py

    with h5py.File(path, "w") as file:
        for name, places in axes(northwards).items():
            axis = file.create_dataset(name, data=places)
            axis.make_scale(name)
            axis.attrs["standard_name"] = np.bytes_(f"projection_{name}_coordinate")
            axis.attrs["units"] = np.bytes_("m")
        mapping = file.create_dataset("crs", data=np.int32(0))
        mapping.attrs["grid_mapping_name"] = np.bytes_("transverse_mercator")
        mapping.attrs["crs_wkt"] = mapping.attrs["spatial_ref"] = np.bytes_(wkt())
        values = stored(northwards, order)
        kinds = {"depth": values, "quality": np.full(values.shape, 7.0, np.float32)}
        for name in kinds if more else ("depth",):
            variable = file.create_dataset(name, data=kinds[name], compression="gzip")
            for place, axis_name in enumerate(order):
                variable.dims[place].attach_scale(file[axis_name])
            variable.attrs["grid_mapping"] = np.bytes_("crs")
            variable.attrs["_FillValue"] = np.array([FILLER], np.float32)
    return path


def geopackage(folder: Path) -> Path:
    return by_gdal("gpkg", "GPKG", TILE_FORMAT="TIFF")(folder)


def mbtiles(folder: Path) -> Path:
    """One tile of the web's grid, 256 x 256 pixels, as lossless PNG."""
    colours = np.random.default_rng(5).integers(1, 255, (3, 256, 256)).astype(np.uint8)
    return write_raster(
        folder / "made.mbtiles",
        colours,
        "MBTiles",
        crs="EPSG:3857",
        transform=TILE_PLACE,
        TILE_FORMAT="PNG",
    )


DEPTH_FORMATS: dict[str, Callable[[Path], Path]] = {
    "BAG": by_gdal("bag", "BAG"),
    "NetCDF 3": lambda folder: netcdf3(folder / "made.nc"),
    "NetCDF 4": lambda folder: netcdf4(folder / "made4.nc"),
    "Esri ASCII grid": by_gdal("asc", "AAIGrid"),
    "Esri BIL": by_gdal("bil", "EHdr"),
    "ENVI": by_gdal("envi", "ENVI"),
    "ER Mapper": by_gdal("ers", "ERS"),
    "SAGA grid": by_gdal("sdat", "SAGA"),
    "Erdas Imagine": by_gdal("img", "HFA"),
    "GeoPackage": geopackage,
    "Surfer ASCII grid": with_reference_beside(by_gdal("asc.grd", "GSAG")),
    "Surfer 6 grid": with_reference_beside(by_gdal("six.grd", "GSBG")),
    "Surfer 7 grid": with_reference_beside(by_gdal("seven.grd", "GS7BG", kind=np.float64)),
    "COG": by_gdal("cog.tif", "COG"),
}
LEVEL_FORMATS: dict[str, Callable[[Path], Path]] = {
    "GIF": gif,
    "JPEG 2000": bytes_by_gdal("jp2", "JP2OpenJPEG", REVERSIBLE="YES", QUALITY="100"),
    "Erdas LAN": with_reference_beside(bytes_by_gdal("lan", "LAN")),
}
HEADERS = {"Esri BIL": ".hdr", "ENVI": ".hdr", "SAGA grid": ".sgrd", "ER Mapper": ".ers"}
"""The formats whose header and data are two files, and the ending of the header."""


def synthetic_raster_of_every_format(folder: Path) -> dict[str, Path]:
    """One small sound raster for each format by its name, each in a folder of its own."""
    made = {}
    for title, write in {**DEPTH_FORMATS, **LEVEL_FORMATS, "MBTiles": mbtiles}.items():
        own = folder / title.replace(" ", "_")
        own.mkdir()
        made[title] = write(own)
    return made
