"""The files the self-test opens: a georeferenced image, a MATLAB file, a recording."""

from __future__ import annotations

from pathlib import Path

__all__ = ["PIXEL_SIZE", "REFERENCE_SYSTEM", "write_geotiff", "write_matlab", "write_recording"]

PIXEL_SIZE = 0.25
# By number, so that writing and reading it takes PROJ's own data.
REFERENCE_SYSTEM = 32619
_CORNER = (400_000.0, 5_300_000.0)
_MATLAB_HEAD_BYTES = 512
_PINGS, _SAMPLES, _HEIGHT = 160, 150, 25.0


def write_geotiff(path: Path) -> Path:
    """The demo scene, lying somewhere in UTM zone 19 north."""
    import rasterio

    from pmlda_gui.imagery.scenes import make_scene

    pixels = make_scene("demo").image.pixels
    height, width = pixels.shape
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        count=1,
        height=height,
        width=width,
        dtype="float32",
        crs=f"EPSG:{REFERENCE_SYSTEM}",
        transform=rasterio.Affine(PIXEL_SIZE, 0, _CORNER[0], 0, -PIXEL_SIZE, _CORNER[1]),
    ) as dataset:
        dataset.write(pixels, 1)
    return path


def write_matlab(path: Path) -> Path:
    """The demo scene as MATLAB 7.3 stores it, which is HDF5 after a head of its own."""
    import h5py

    from pmlda_gui.imagery.scenes import make_scene

    with h5py.File(path, "w", userblock_size=_MATLAB_HEAD_BYTES) as file:
        file["seabed"] = make_scene("demo").image.pixels.T
    with path.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file".ljust(_MATLAB_HEAD_BYTES))
    return path


def write_recording(path: Path) -> Path:
    """Speckle on both sides of a track, with a water column."""
    from pmlda_gui.imagery.scenes.recordings import MadeRecording, seabed_pings, xtf_bytes

    pings = seabed_pings(_PINGS, _SAMPLES, height=lambda ping: _HEIGHT)
    path.write_bytes(xtf_bytes(MadeRecording(pings)))
    return path
