"""Writes all results of a run into one folder."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.analysis.tables import (
    measurement_table,
    region_table,
    transition_table,
)
from pmlda_gui.workspace.export.atomic import make_folder, write_whole
from pmlda_gui.workspace.export.geopackage import Layer
from pmlda_gui.workspace.export.geotiff import write_rasters
from pmlda_gui.workspace.export.html_report import report_page
from pmlda_gui.workspace.export.plates import draw_plate
from pmlda_gui.workspace.export.provenance import provenance_tags
from pmlda_gui.workspace.export.qgis_style import label_style
from pmlda_gui.workspace.export.report import images_described, report_values, summary
from pmlda_gui.workspace.export.result import ImageResult, Result
from pmlda_gui.workspace.export.seabed_layers import SeabedLook
from pmlda_gui.workspace.export.seabed_package import (
    least_pixels,
    recording_track,
    seabed_package,
)
from pmlda_gui.workspace.export.shape_layers import shape_layers
from pmlda_gui.workspace.export.topics_csv import topics_table

__all__ = ["check_targets", "refuse_images", "stems", "write_results"]


_ENDINGS = (
    "_memberships.tif", "_uncertainty.tif", "_labels.tif", "_unknown.tif", "_polygons.gpkg", ".png",
)  # fmt: skip
_PER_RUN = (
    "topics.csv", "report.json", "journal.json", "style.qml", "report.html",
)  # fmt: skip


ExportPart = Literal["maps", "polygons", "pictures", "tables"]
EVERYTHING: frozenset[ExportPart] = frozenset(get_args(ExportPart))
"""All that can be written; tables are those of the run with its report and journal."""

log = logging.getLogger(__name__)


def stems(images: Sequence[Image]) -> list[str]:
    """A name for the files of each image: that of its file, numbered where it occurs twice."""
    names: list[str] = []
    for image in images:
        wanted = image.source.stem if image.source is not None else "image"
        name, number = wanted, 1
        while name.casefold() in (taken.casefold() for taken in names):
            number += 1
            name = f"{wanted}_{number}"
        names.append(name)
    return names


def check_targets(folder: Path, images: Sequence[Image]) -> None:
    """Make the folder, and refuse to write over an image that is being segmented."""
    make_folder(folder)
    targets = [folder / name for name in _PER_RUN]
    targets += [folder / f"{stem}{ending}" for stem in stems(images) for ending in _ENDINGS]
    refuse_images(targets, images)


def refuse_images(targets: Iterable[Path], images: Sequence[Image]) -> None:
    """Refuse files to be written that are images themselves."""
    resolved = {path.resolve() for path in targets}
    for image in images:
        if image.source is not None and image.source.resolve() in resolved:
            raise PmldaError(
                f"The results would be written over {image.name} itself: choose another folder."
            )


def write_results(
    result: Result,
    folder: Path,
    progress: Progress = UNWATCHED,
    parts: frozenset[ExportPart] = EVERYTHING,
) -> list[Path]:
    """Write the files of a run into `folder`, which is made if need be; gives their paths.

    `parts` says which.  It can be stopped many times for each image; files already there are
    whole.
    """
    began = time.perf_counter()
    check_targets(folder, [each.image for each in result.images])
    names = stems([each.image for each in result.images])
    written: list[Path] = []
    pictures: list[bytes] = []
    for number, (stem, each) in enumerate(zip(names, result.images, strict=True)):
        start, stop = number / (len(names) + 1), (number + 1) / (len(names) + 1)
        layers = _shape_layers(result, number)
        part = progress.part(start, stop)
        written += _write_image(result, each, folder, stem, pictures, layers, parts, part)
    if "tables" not in parts:
        progress.report(1.0)
        return written
    seconds = {**result.seconds, "writing": time.perf_counter() - began}
    result = replace(result, seconds=seconds)
    tables = _answer_tables(result)
    files = [*(path.name for path in written), *_PER_RUN, *tables]
    values = report_values(result, files)
    journal = {
        "version": 1,
        "images": images_described(result),
        "journal": result.journal.to_values(),
    }
    contents = {
        "topics.csv": topics_table(result),
        "report.json": _json(values),
        "journal.json": _json(journal),
        "style.qml": label_style(result.topic_names, result.colours),
        "report.html": report_page(result, values, names, pictures),
    }
    contents |= tables
    written += [write_whole(folder / name, content) for name, content in contents.items()]
    progress.report(1.0)
    log.info("wrote %d files into %s", len(written), folder)
    return written


def _write_image(
    result: Result,
    each: ImageResult,
    folder: Path,
    stem: str,
    pictures: list[bytes],
    layers: Sequence[Layer],
    parts: frozenset[ExportPart],
    progress: Progress,
) -> list[Path]:
    names, colours = result.topic_names, result.colours
    written = list(each.rasters or ())
    if each.rasters is None and "maps" in parts:
        written = write_rasters(
            folder, stem, each, names, colours, progress.part(0.0, 0.4), provenance_tags(result)
        )
    look = SeabedLook(names, colours, result.codes)
    if "polygons" in parts:
        polygons = seabed_package(
            each,
            look,
            least_pixels(result, each),
            further=[*layers, *recording_track(each.image)],
        )
        written.append(write_whole(folder / f"{stem}_polygons.gpkg", polygons))
    progress.report(0.6)
    # The report shows the pictures too.
    if not {"pictures", "tables"} & parts:
        return written
    picture = draw_plate(
        each.shown,
        each.segmentation,
        names,
        colours,
        stem,
        summary(result),
        progress.part(0.6, 1.0),
    )
    pictures.append(picture)
    if "pictures" in parts:
        written.append(write_whole(folder / f"{stem}.png", picture))
    return written


def _shape_layers(result: Result, number: int) -> list[Layer]:
    """What was drawn on one image, as layers of its GeoPackage."""
    if result.answers is None:
        return []
    image = result.images[number].image
    return shape_layers(image, result.answers.of_image(number), result.topic_names)


def _answer_tables(result: Result) -> dict[str, bytes]:
    """What was asked of the maps, as tables by file name."""
    answers, names = result.answers, result.topic_names
    if answers is None:
        return {}
    tables = {}
    if answers.profiles:
        tables["transitions.csv"] = transition_table(answers.profiles, names)
    if answers.regions:
        tables["regions.csv"] = region_table(answers.regions, names)
    if answers.measurements:
        tables["measurements.csv"] = measurement_table(answers.measurements)
    return tables


def _json(values: Any) -> bytes:
    return (json.dumps(values, indent=2, allow_nan=False, ensure_ascii=False) + "\n").encode()
