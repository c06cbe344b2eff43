"""Recordings, and what `segment` found in them, as GeoTIFFs on one map.

Memberships are placed like the image they were found in, so both lie on the same seabed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.geometry import (
    Line,
    MapGrid,
    PingGeometry,
    ProjectedMap,
    bad_pings,
    coverage,
    grid_over,
    project,
    recording_geometry,
    to_degrees,
    track_line,
)
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.gdal import opened
from pmlda_gui.workspace.export.atomic import make_folder, write_whole
from pmlda_gui.workspace.export.geotiff import NO_DATA, NO_LABEL, created_raster
from pmlda_gui.workspace.export.write import stems

__all__ = ["MapSettings", "map_recordings", "map_results"]

FINEST_PIXEL = 0.01


@dataclass(frozen=True)
class MapSettings:
    """How recordings are laid on a map.

    `pixel` in metres, None for the distance between pings; `crs` such as EPSG:32618,
    None for the UTM zone of the first line.  `results` is the folder that `segment`
    wrote, `names` how its files of each recording begin (else as the recordings are
    called).  `placing` are choices of `geometry.ping_geometry`.
    """

    pixel: float | None = None
    crs: str | None = None
    results: Path | None = None
    keep_bad_pings: bool = False
    placing: tuple[tuple[str, Any], ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Placed:
    path: Path
    name: str
    image: Image
    geometry: PingGeometry
    good: NDArray[np.bool_]


def map_recordings(
    images: Sequence[Image],
    folder: Path,
    settings: MapSettings,
    progress: Progress,
    refused: list[PmldaError],
) -> list[Path]:
    """Write the map of all recordings that can be placed; errors of the others are `refused`."""
    crs = None if settings.crs is None else _wkt(settings.crs)
    names = settings.names or tuple(Path(image.name).stem for image in images)
    placed: list[_Placed] = []
    for number, (image, name) in enumerate(zip(images, names, strict=True)):
        progress.report(0.4 * number / len(images))
        try:
            line = _place(image, name, crs, settings)
        except PmldaError as error:
            refused.append(error)
            continue
        placed.append(line)
        crs = line.geometry.crs
    if not placed:
        raise refused[0] if refused else PmldaError("No recording was named; name at least one.")
    spacing = float(np.median([line.geometry.row_spacing for line in placed]))
    grid = grid_over(
        [line.geometry for line in placed], settings.pixel or max(round(spacing, 2), FINEST_PIXEL)
    )
    make_folder(folder)
    lines = [
        Line(each.geometry, each.image.pixels[np.newaxis], each.image.valid, each.good)
        for each in placed
    ]
    shown = project(lines, grid, progress.part(0.4, 0.6))
    written = [_write_planes(folder / "map_image.tif", shown, ("amplitude",))]
    del lines, shown
    if settings.results is not None:
        written += _write_memberships(placed, folder, grid, settings, progress.part(0.6, 1.0))
    written.append(write_whole(folder / "map_lines.geojson", _outlines(placed)))
    progress.report(1.0)
    return written


def map_results(
    images: Sequence[Image],
    folder: Path,
    settings: MapSettings,
    progress: Progress,
    refused: list[PmldaError],
) -> list[Path]:
    """Write the maps of recordings that were segmented into `folder`; none without recordings.

    Recordings that cannot be placed are left out, and why is `refused`.
    """
    names = stems(images)
    recorded = [number for number, image in enumerate(images) if image.swath is not None]
    if not recorded:
        return []
    settings = replace(settings, results=folder, names=tuple(names[each] for each in recorded))
    lines = [images[each] for each in recorded]
    left_out: list[PmldaError] = []
    try:
        return map_recordings(lines, folder, settings, progress, left_out)
    except PmldaError as error:
        if error not in left_out:
            left_out.append(error)
        return []
    finally:
        refused += left_out


def _place(image: Image, name: str, crs: str | None, settings: MapSettings) -> _Placed:
    if image.source is None:
        raise PmldaError(f"{image.name} has no file, so there are no pings to place it by.")
    geometry = recording_geometry(image.source, image, crs=crs, **dict(settings.placing))
    bad = np.any(list(bad_pings(geometry).values()), axis=0)
    good = np.ones(len(geometry), dtype=np.bool_) if settings.keep_bad_pings else ~bad
    if not good.any():
        raise PmldaError(
            f"{image.name} has no ping with a position to rely on; map it with --keep-bad-pings "
            "to see where it would lie."
        )
    return _Placed(image.source, name, image, geometry, good)


def _write_memberships(
    placed: Sequence[_Placed],
    folder: Path,
    grid: MapGrid,
    settings: MapSettings,
    progress: Progress,
) -> list[Path]:
    """Memberships, labels, and the uncertainty if segment wrote it for every recording."""
    lines, names = _lines_of("memberships", placed, settings)
    found = project(lines, grid, progress.part(0.0, 0.5))
    labels = np.where(found.valid, np.argmax(found.planes, axis=0) + 1, NO_LABEL).astype(np.uint8)
    target = folder / "map_labels.tif"
    with created_raster(target, _on_map(found), count=1, dtype="uint8", nodata=NO_LABEL) as raster:
        raster.write(labels, 1)
        raster.descriptions = ("most likely topic",)
    written = [_write_planes(folder / "map_memberships.tif", found, names), target]
    if all(_source(each, "uncertainty", settings).is_file() for each in placed):
        lines, names = _lines_of("uncertainty", placed, settings)
        found = project(lines, grid, progress.part(0.5, 1.0))
        written.append(_write_planes(folder / "map_uncertainty.tif", found, names))
    return written


def _source(each: _Placed, what: str, settings: MapSettings) -> Path:
    return (settings.results or Path()) / f"{each.name}_{what}.tif"


def _lines_of(
    what: str, placed: Sequence[_Placed], settings: MapSettings
) -> tuple[list[Line], tuple[str, ...]]:
    """The maps that segment wrote of each recording, and their topics."""
    lines: list[Line] = []
    names: tuple[str, ...] = ()
    for each in placed:
        source = _source(each, what, settings)
        if not source.is_file():
            raise PmldaError(
                f"The folder {source.parent.name} holds no {source.name}; run segment on "
                f"{each.path.name} with --out {source.parent.name} first."
            )
        planes, topics = _read_planes(source)
        if names and topics != names:
            raise PmldaError(
                f"{source.name} has other topics than the files before it; segment all "
                "recordings together."
            )
        names = topics
        if planes.shape[1:] != each.image.shape:
            raise PmldaError(
                f"{source.name} has {planes.shape[1]} x {planes.shape[2]} pixels and "
                f"{each.path.name} has {each.image.shape[0]} x {each.image.shape[1]}; segment the "
                "recording in full and as it opens."
            )
        valid = np.asarray(np.isfinite(planes).all(axis=0), dtype=np.bool_)
        lines.append(Line(each.geometry, np.nan_to_num(planes), valid, each.good))
    return lines, names


def _read_planes(path: Path) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    with opened(path) as raster:
        names = tuple(
            text or f"topic {number}" for number, text in enumerate(raster.descriptions, 1)
        )
        return np.asarray(raster.read(), dtype=np.float32), names


def _on_map(found: ProjectedMap) -> Image:
    return Image(found.planes[0], found.valid, georeference=found.georeference)


def _write_planes(path: Path, found: ProjectedMap, names: Sequence[str]) -> Path:
    """A GeoTIFF with a band for each plane, NaN where nothing was seen."""
    with created_raster(
        path, _on_map(found), count=len(names), dtype="float32", nodata=NO_DATA
    ) as raster:
        for band, plane in enumerate(found.planes, 1):
            raster.write(np.where(found.valid, plane, np.float32(np.nan)), band)
        raster.descriptions = tuple(names)
    return path


def _outlines(placed: Sequence[_Placed]) -> bytes:
    """Track and coverage of each line as GeoJSON, in degrees as that format demands."""
    features = []
    for each in placed:
        rings = coverage(each.geometry, each.good)
        shapes = [
            ("track", "LineString", _degrees(track_line(each.geometry), each.geometry.crs)),
            ("coverage", "MultiPolygon", [[_degrees(ring, each.geometry.crs)] for ring in rings]),
        ]
        features += [
            {
                "type": "Feature",
                "properties": {
                    "recording": each.path.name,
                    "kind": kind,
                    "pings_left_out": int((~each.good).sum()) * each.geometry.layout.reduce,
                },
                "geometry": {"type": shape, "coordinates": coordinates},
            }
            for kind, shape, coordinates in shapes
        ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def _degrees(points: NDArray[np.float64], crs: str) -> list[list[float]]:
    latitude, longitude = to_degrees(points[:, 0], points[:, 1], crs)
    return [
        [float(x), float(y)] for x, y in zip(longitude.round(8), latitude.round(8), strict=True)
    ]


def _wkt(text: str) -> str:
    from rasterio.crs import CRS
    from rasterio.errors import CRSError

    try:
        reference = CRS.from_user_input(text)
    except CRSError:
        raise PmldaError(
            f"{text} is not a coordinate system; name one such as EPSG:32618."
        ) from None
    if not reference.is_projected or reference.linear_units_factor[1] != 1.0:
        raise PmldaError(f"{text} is not in metres; name a projected system such as EPSG:32618.")
    return str(reference.to_wkt())
