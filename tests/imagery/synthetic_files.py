"""Small files of every kind the readers know, made on the spot for the tests."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.scenes.recordings import MadeRecording, seabed_pings, xtf_bytes
from tests.imagery.synthetic_recordings import Ping, jsf_bytes, lowrance_bytes, son_bytes

REAL_DATA = Path(__file__).parents[2].parent / "shared" / "data"


def write_raster(path: Path, bands: NDArray[np.generic], driver: str, **profile: object) -> Path:
    """Write (bands, height, width) through rasterio."""
    import rasterio
    from rasterio.errors import NotGeoreferencedWarning

    descriptions = profile.pop("descriptions", None)
    colours = profile.pop("colorinterp", None)
    colormap = profile.pop("colormap", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(
            path,
            "w",
            driver=driver,
            count=bands.shape[0],
            height=bands.shape[1],
            width=bands.shape[2],
            dtype=bands.dtype,
            **profile,
        ) as target:
            if colours is not None:
                target.colorinterp = colours
            if colormap is not None:
                target.write_colormap(1, colormap)
            target.write(bands)
            for number, text in enumerate(descriptions or (), start=1):
                target.set_band_description(number, text)
    return path


def write_mat73(path: Path, **arrays: NDArray[np.generic]) -> Path:
    """A MAT 7.3 file: HDF5 after a block of 512 bytes, arrays with columns first."""
    import h5py

    with h5py.File(path, "w", userblock_size=512) as file:
        for name, array in arrays.items():
            if np.iscomplexobj(array):
                pairs = np.empty(array.T.shape, dtype=[("real", "<f8"), ("imag", "<f8")])
                pairs["real"], pairs["imag"] = array.T.real, array.T.imag
                file[name] = pairs
            else:
                file[name] = np.ascontiguousarray(array.T)
            file[name].attrs["MATLAB_class"] = np.bytes_("double")
    with path.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    return path


def synthetic_file_of_every_kind(folder: Path) -> dict[str, Path]:
    """One small sound file for each reader, by its ending."""
    from scipy.io import savemat

    rng = np.random.default_rng(7)
    grey = rng.integers(0, 256, (1, 24, 32)).astype(np.uint8)
    colour = rng.integers(0, 256, (3, 24, 32)).astype(np.uint8)
    floats = rng.normal(size=(2, 24, 32)).astype(np.float32)
    files = {
        "png": write_raster(folder / "grey.png", grey, "PNG"),
        "jpg": write_raster(folder / "colour.jpg", colour, "JPEG"),
        "bmp": write_raster(folder / "grey.bmp", grey, "BMP"),
        "tif": write_raster(
            folder / "floats.tif",
            floats,
            "GTiff",
            nodata=-9999.0,
            compress="deflate",
            blockysize=4,
            crs="EPSG:32618",
            transform=(0.5, 0, 600000, 0, -0.5, 4700000),
            descriptions=("intensity", "depth"),
        ),
        "tiles.tif": write_raster(
            folder / "tiles.tif", grey, "GTiff", tiled=True, blockxsize=16, blockysize=16
        ),
        "ntf": write_raster(folder / "grey.ntf", grey, "NITF"),
        "npy": folder / "array.npy",
        "npz": folder / "arrays.npz",
        "mat": folder / "five.mat",
        "plain.mat": folder / "plain.mat",
        "mat73": write_mat73(folder / "seven.mat", I=floats[0], Seg=grey[0]),
        "xtf": folder / "recording.xtf",
        "jsf": folder / "recording.jsf",
        "sl2": folder / "recording.sl2",
        "sl3": folder / "recording.sl3",
        "son": folder / "B002.son",
    }
    np.save(files["npy"], floats[0])
    np.savez_compressed(files["npz"], image=floats[0], other=grey[0])
    variables = {"I": floats[0], "Seg": grey[0], "text": "note", "parts": {"a": 1.0, "b": "two"}}
    savemat(files["mat"], variables, do_compression=True)
    savemat(files["plain.mat"], variables)
    files["xtf"].write_bytes(xtf_bytes(MadeRecording(seabed_pings(12, 32, lambda ping: 8.0))))
    pings = [
        Ping(made.port // 4, made.starboard // 4, milliseconds=100 * number)
        for number, made in enumerate(seabed_pings(12, 32, lambda ping: 8.0))
    ]
    files["jsf"].write_bytes(jsf_bytes(pings, version=12))
    files["sl2"].write_bytes(lowrance_bytes(pings))
    files["sl3"].write_bytes(lowrance_bytes(pings, 3, composite=True))
    files["son"].write_bytes(son_bytes(pings, 2))
    return files
