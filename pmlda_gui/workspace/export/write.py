"""Everything a run leaves behind, written into one folder."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.export.atomic import make_folder, write_whole
from pmlda_gui.workspace.export.page import report_page
from pmlda_gui.workspace.export.plates import draw_plate
from pmlda_gui.workspace.export.polygons import document_polygons
from pmlda_gui.workspace.export.rasters import write_rasters
from pmlda_gui.workspace.export.report import images_described, report_values, summary
from pmlda_gui.workspace.export.result import ImageResult, Result
from pmlda_gui.workspace.export.style import label_style
from pmlda_gui.workspace.export.tables import topics_table

__all__ = ["check_targets", "stems", "write_results"]

_ENDINGS = ("_memberships.tif", "_uncertainty.tif", "_labels.tif", "_documents.gpkg", ".png")
_PER_RUN = (
    "topics.csv", "report.json", "journal.json", "style.qml", "report.html",
)  # fmt: skip


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
    targets = {(folder / name).resolve() for name in _PER_RUN}
    targets |= {
        (folder / f"{stem}{ending}").resolve() for stem in stems(images) for ending in _ENDINGS
    }
    for image in images:
        if image.source is not None and image.source.resolve() in targets:
            raise PmldaError(
                f"The results would be written over {image.name} itself: choose another folder."
            )


def write_results(
    result: Result, folder: Path, progress: Callable[[float], None] | None = None
) -> list[Path]:
    """Write all files of a run into `folder`, which is made if need be; gives their paths.

    `progress` receives the share that is done.
    """
    began = time.perf_counter()
    check_targets(folder, [each.image for each in result.images])
    names = stems([each.image for each in result.images])
    written: list[Path] = []
    pictures: list[bytes] = []
    for number, (stem, each) in enumerate(zip(names, result.images, strict=True), 1):
        written += _write_image(result, each, folder, stem, pictures)
        if progress is not None:
            progress(number / (len(names) + 1))
    seconds = {**result.seconds, "writing": time.perf_counter() - began}
    result = replace(result, seconds=seconds)
    report = report_values(result, [path.name for path in written] + list(_PER_RUN))
    journal = {
        "version": 1,
        "images": images_described(result),
        "journal": result.journal.to_values(),
    }
    contents = {
        "topics.csv": topics_table(result),
        "report.json": _json(report),
        "journal.json": _json(journal),
        "style.qml": label_style(result.topic_names, result.colours),
        "report.html": report_page(result, report, names, pictures),
    }
    written += [write_whole(folder / name, content) for name, content in contents.items()]
    if progress is not None:
        progress(1.0)
    return written


def _write_image(
    result: Result, each: ImageResult, folder: Path, stem: str, pictures: list[bytes]
) -> list[Path]:
    written = write_rasters(folder, stem, each, result.topic_names, result.colours)
    if each.segmentation.documents is not None:
        polygons = document_polygons(each.shown, each.segmentation, result.topic_names)
        written.append(write_whole(folder / f"{stem}_documents.gpkg", polygons))
    picture = draw_plate(
        each.shown, each.segmentation, result.topic_names, result.colours, stem, summary(result)
    )
    pictures.append(picture)
    written.append(write_whole(folder / f"{stem}.png", picture))
    return written


def _json(values: Any) -> bytes:
    return (json.dumps(values, indent=2, allow_nan=False, ensure_ascii=False) + "\n").encode()
