"""Small files of every kind the readers know, made on the spot for the tests."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True)
class MadePing:
    """One ping of a made recording; samples are given nearest first on both sides."""

    port: NDArray[np.generic]
    starboard: NDArray[np.generic]
    slant_range: float = 50.0
    position: tuple[float, float] = (48.0, -68.0)
    ship_position: tuple[float, float] = (0.0, 0.0)
    altitude: float = 0.0
    duration: float = 0.0
    sound_velocity: float = 0.0
    weight: int = 0
    second: int = 0


@dataclass(frozen=True)
class MadeRecording:
    """What the file header of a made recording says."""

    pings: Sequence[MadePing]
    navigation_units: int = 3
    kinds: tuple[int, int] = (1, 2)
    sample_format: int = 0
    names: tuple[str, str] = ("PORT", "STARBOARD")
    tail: bytes = field(default=b"")


def xtf_bytes(recording: MadeRecording) -> bytes:
    """An XTF file as the format's description lays it out, port stored far to near."""
    width = recording.pings[0].port.dtype.itemsize
    head = bytearray(1024)
    head[0] = 123
    struct.pack_into("<HH", head, 164, recording.navigation_units, 2)
    for number in range(2):
        start = 256 + 128 * number
        struct.pack_into(
            "<BBHHHI16s",
            head,
            start,
            recording.kinds[number],
            number,
            0,
            1,
            width,
            0,
            recording.names[number].encode(),
        )
        head[start + 74] = recording.sample_format
    return bytes(head) + b"".join(map(_ping_bytes, recording.pings)) + recording.tail


def _ping_bytes(ping: MadePing) -> bytes:
    body = b""
    for number, samples in enumerate((ping.port[::-1], ping.starboard)):
        channel = bytearray(64)
        struct.pack_into("<HHff", channel, 0, number, 0, ping.slant_range, 0.0)
        struct.pack_into("<f", channel, 16, ping.duration)
        struct.pack_into("<I", channel, 42, len(samples))
        struct.pack_into("<h", channel, 58, ping.weight)
        body += bytes(channel) + samples.tobytes()
    head = bytearray(256)
    length = len(head) + len(body)
    struct.pack_into("<HBBHHHI", head, 0, 0xFACE, 0, 0, 2, 0, 0, length)
    struct.pack_into("<HBBBBBB", head, 14, 2020, 5, 17, 12, 30, ping.second, 50)
    struct.pack_into("<f", head, 32, ping.sound_velocity)
    struct.pack_into("<dd", head, 128, *ping.ship_position)
    struct.pack_into("<dd", head, 160, *ping.position)
    struct.pack_into("<f", head, 196, ping.altitude)
    return bytes(head) + body


def seabed_pings(
    count: int = 60,
    samples: int = 200,
    height: Callable[[int], float] = lambda ping: 40.0,
    seed: int = 0,
    scale: float = 100.0,
    dtype: str = "<u2",
) -> list[MadePing]:
    """Pings over a flat bottom: dark water, then speckle from the first return on."""
    rng = np.random.default_rng(seed)
    pings = []
    for number in range(count):
        sides = []
        for _ in range(2):
            speckle = rng.rayleigh(scale, samples)
            water = np.arange(samples) + 0.5 < height(number)
            sides.append(np.where(water, 0.03 * speckle, speckle).astype(dtype))
        pings.append(
            MadePing(sides[0], sides[1], position=(48.0 + 1e-6 * number, -68.0), second=number % 60)
        )
    return pings


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


def made_file_of_every_kind(folder: Path) -> dict[str, Path]:
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
    }
    np.save(files["npy"], floats[0])
    np.savez_compressed(files["npz"], image=floats[0], other=grey[0])
    variables = {"I": floats[0], "Seg": grey[0], "text": "note", "parts": {"a": 1.0, "b": "two"}}
    savemat(files["mat"], variables, do_compression=True)
    savemat(files["plain.mat"], variables)
    files["xtf"].write_bytes(xtf_bytes(MadeRecording(seabed_pings(12, 32, lambda ping: 8.0))))
    return files
