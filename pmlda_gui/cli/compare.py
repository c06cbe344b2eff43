"""`pmlda-gui compare FILES... --methods pmlda,fcm,lda --out DIR`: methods side by side.

Writes a figure plate (PNG and SVG) for each image and one table, with scores where
the truth is given: soft maps, one band a topic, or a label map.  Where it is given at
points, tables of scores, topics, confusion and calibration are written besides.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pmlda_gui.cli.reading import add_reading_options, reading_options
from pmlda_gui.core.errors import PmldaError

if TYPE_CHECKING:
    from pmlda_gui.imagery.image import Image
    from pmlda_gui.imagery.readers.points import Points
    from pmlda_gui.peers.scoring import Truth

__all__ = ["add_parser", "read_truth"]

_METHODS = "pmlda,fcm,lda,slda,kmeans,gmm"


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `compare` and its options."""
    parser = commands.add_parser(
        "compare",
        help="run several methods on the same features and show them side by side",
        description="Segment images with several methods.  All images given share their topics.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="images or folders")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    parser.add_argument(
        "--methods",
        default=_METHODS,
        metavar="NAME,NAME",
        help=f"({_METHODS}) or bpm, bfc, unified, flicm, sfcm; fcm+smooth and so on blur the maps",
    )
    parser.add_argument(
        "--truth",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="soft maps, one band a topic, a label map, or points with classes (CSV or "
        "GeoPackage); once for each image",
    )
    parser.add_argument("--class-column", metavar="NAME", help="of points (class)")
    parser.add_argument("--topics", type=int, metavar="K", help="(those of the truth, else 3)")
    parser.add_argument("--rate", type=float, metavar="LAMBDA", help="PM-LDA's rate of the scaling")
    parser.add_argument("--features", default="auto", metavar="auto|PRESET|name,name")
    parser.add_argument("--feature-window", type=int, metavar="W", help="of features, pixels")
    parser.add_argument("--window", type=int, metavar="W", help="side of sliding windows, pixels")
    parser.add_argument("--stride", type=int, metavar="S", help="from one window to the next")
    parser.add_argument("--documents", default="slic", metavar="slic|ncut|texture|window|grid")
    parser.add_argument("--document-count", type=int, metavar="N")
    parser.add_argument("--sweeps", type=int, metavar="N", help="of PM-LDA (150)")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--threads", type=int, metavar="T")
    parser.add_argument("--quiet", action="store_true", help="no progress and no list of files")
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compare and write; 3 if files were left out."""
    from dataclasses import replace

    from pmlda_gui.cli import tell_refused
    from pmlda_gui.cli.progress_bar import progress_bars
    from pmlda_gui.experiments.comparing import write_comparison
    from pmlda_gui.experiments.point_scores import write_point_scores
    from pmlda_gui.imagery.readers import open_images, require_opened
    from pmlda_gui.workspace.batch.options import settings_from
    from pmlda_gui.workspace.comparison import (
        Update,
        check_methods,
        compare_methods,
        default_parameters,
    )
    from pmlda_gui.workspace.export.write import check_targets
    from pmlda_gui.workspace.preparation import prepare

    methods = [name.strip() for name in arguments.methods.split(",") if name.strip()]
    check_methods(methods)
    # With one truth for each image none may be left out, or they would be mixed up.
    refused: list[PmldaError] = []
    options = reading_options(arguments)
    images = open_images(arguments.files, options, refused=None if arguments.truth else refused)
    require_opened(images, refused)
    check_targets(arguments.out, images)
    truths, points = _truths(arguments.truth, images, arguments.class_column)
    known = [len(truth.memberships) for truth in truths if truth is not None]
    known.append(len({name for each in points if each is not None for name in each.classes}))
    topics = arguments.topics or max(known) or 3
    parameters = default_parameters(topics)
    if arguments.rate is not None:
        parameters = replace(parameters, rate=arguments.rate)
    settings = settings_from(
        features=arguments.features,
        documents=arguments.documents,
        document_count=arguments.document_count,
        window=arguments.window,
        stride=arguments.stride,
        feature_window=arguments.feature_window,
    )
    recipe = settings.chosen_for(images).recipe
    with progress_bars(arguments.quiet) as bars:
        prepared = prepare(
            images,
            recipe.features,
            recipe.documents,
            seed=arguments.seed,
            progress=bars.named("preparing"),
        )

        def tell(update: Update) -> None:
            bars.show(update.title, update.fraction, "")

        results = compare_methods(
            prepared, methods, parameters, arguments.sweeps, arguments.seed, arguments.threads, tell
        )
    written = write_comparison(arguments.out, images, truths, results)
    if any(each is not None for each in points):
        written += write_point_scores(arguments.out, results, points)
    if not arguments.quiet:
        for path in written:
            print(path)
    return tell_refused(refused)


def _truths(
    paths: list[Path], images: Sequence[Image], class_column: str | None
) -> tuple[list[Truth | None], list[Points | None]]:
    """The maps and the points that are true of each image, None where none are given."""
    from pmlda_gui.imagery.readers.points import holds_points, read_points

    truths: list[Truth | None] = [None] * len(images)
    points: list[Points | None] = [None] * len(images)
    if not paths:
        return truths, points
    if len(paths) != len(images):
        raise PmldaError(
            f"There are {len(images)} images but {len(paths)} files of truth: give one for each."
        )
    for number, (path, image) in enumerate(zip(paths, images, strict=True)):
        if holds_points(path):
            points[number] = read_points(path, image, class_column)
        else:
            truths[number] = read_truth(path, image)
    return truths, points


def read_truth(path: Path, image: Image) -> Truth:
    """Soft maps from a file with several bands, or classes from one with whole numbers."""
    import numpy as np

    from pmlda_gui.imagery.readers import ReadOptions, open_image, probe, read_label_map
    from pmlda_gui.peers.scoring import Truth

    bands = len(probe(path).bands)
    if bands == 1:
        truth = Truth.from_labels(read_label_map(path))
    else:
        read = [open_image(path, ReadOptions(band=number)) for number in range(1, bands + 1)]
        maps = [np.where(band.valid, band.pixels, np.float32(np.nan)) for band in read]
        truth = Truth(np.stack(maps))
    if truth.memberships.shape[1:] != image.shape:
        height, width = truth.memberships.shape[1:]
        raise PmldaError(
            f"The truth in {path.name} has {width} x {height} pixels, but {image.name} has "
            f"{image.shape[1]} x {image.shape[0]}: give one of its size."
        )
    return truth
