"""`pmlda-gui segment FILES... --out DIR`: segment images and write maps and a report.

Options have the names of `workspace.batch.options.Options`, where they are checked too;
only what was given is handed on.  The first Ctrl-C ends the sampling and
writes what there is; the second ends the program.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from pmlda_gui.cli.area import within
from pmlda_gui.cli.placing import add_map_options, map_settings
from pmlda_gui.cli.reading import READING, add_reading_options, reading_options
from pmlda_gui.core.errors import PmldaError

if TYPE_CHECKING:
    from pmlda_gui.workspace.batch.settings import Settings

__all__ = [
    "INTERRUPTED",
    "NOT_SETTINGS",
    "add_parser",
    "add_settings",
    "add_topics_from",
    "interruptible",
]

INTERRUPTED = 130
_MAP = ("pixel", "crs", "heading", "keep_bad_pings", "no_map")
_WATCH = ("watch", "poll")
NOT_SETTINGS = (
    *READING, *_MAP, *_WATCH, "area", "files", "out", "quiet", "command", "run", "verbose",
)  # fmt: skip


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `segment` and its options."""
    parser = commands.add_parser(
        "segment",
        help="segment images softly and write maps, polygons and a report",
        description="Segment images softly.  All images given share their topics.",
        argument_default=argparse.SUPPRESS,
    )
    parser.add_argument(
        "files", nargs="*", type=Path, default=[], metavar="FILE", help="images or folders"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    parser.add_argument(
        "--quiet", action="store_true", default=False, help="no progress and no list of files"
    )
    before = add_topics_from(parser)
    before.add_argument(
        "--watch",
        type=Path,
        metavar="DIR",
        help="segment each image that arrives in a folder, until Ctrl-C",
    )
    before.add_argument(
        "--poll", type=float, metavar="S", help="seconds between two checks of the folder (2)"
    )
    before.add_argument(
        "--hints",
        type=Path,
        metavar="FILE",
        help="teach topics: a GeoPackage of shapes with a column 'topic', or a label raster",
    )
    add_settings(parser)
    parser.add_argument(
        "--area", type=Path, metavar="FILE", help="polygons (GeoJSON, GeoPackage) to keep to"
    )
    add_reading_options(parser)
    add_map_options(parser)
    parser.set_defaults(run=run)


def add_topics_from(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the option for topics found before, in a group of its own."""
    before = parser.add_argument_group("topics that are known")
    before.add_argument(
        "--topics-from",
        type=Path,
        metavar="FILE.topics|FILE.pmlda",
        help="find these topics, and mark seabed that fits none of them",
    )
    return before


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the names of `Options`: model, documents and features, and chain."""
    model = parser.add_argument_group("model")
    model.add_argument(
        "--topics", metavar="K|auto", help="number of topics; auto counts kinds of seabed (3)"
    )
    model.add_argument("--rate", type=float, metavar="LAMBDA", help="rate of the scaling (1)")
    model.add_argument("--alpha", metavar="A[,A...]", help="prior of the proportions (1)")
    model.add_argument("--scaling", metavar="learn|S", help="learned, or fixed at S (learn)")
    model.add_argument("--fuzzifier", type=float, metavar="M", help="exponent of memberships (1)")
    model.add_argument(
        "--proportions", metavar="learn|uniform|P,P,...", help="learned, or fixed (learn)"
    )
    model.add_argument(
        "--smoothness",
        type=float,
        metavar="H",
        help="how far documents act beyond their borders, in feature windows; 0: hard (0.7)",
    )
    model.add_argument(
        "--coupling", type=float, metavar="TAU", help="how alike neighbouring documents are (1)"
    )
    corpus = parser.add_argument_group("documents and features")
    corpus.add_argument(
        "--documents",
        metavar="slic|ncut|texture|window|grid|FILE",
        help="how images are divided; FILE holds a label map (slic)",
    )
    corpus.add_argument(
        "--document-count",
        type=int,
        metavar="N",
        help="documents of each image (50, or 300 if texture is fine)",
    )
    corpus.add_argument("--window", type=int, metavar="W", help="side of sliding windows, pixels")
    corpus.add_argument("--stride", type=int, metavar="S", help="from one window to the next")
    corpus.add_argument(
        "--features",
        metavar="auto|PRESET|name,name",
        help="what is measured (seabed, or seabed-fine if texture is fine)",
    )
    corpus.add_argument(
        "--feature-window", type=int, metavar="W", help="side of the feature window, pixels"
    )
    corpus.add_argument(
        "--lattice",
        type=int,
        metavar="N",
        help="learn from every N-th row and column; 1: every pixel (half a feature window)",
    )
    corpus.add_argument(
        "--feature-scale",
        metavar="X|auto",
        help="windows and waves X times as long; auto takes what tells seabeds apart best "
        "(auto, or 1 if features are named)",
    )
    chain = parser.add_argument_group("chain")
    chain.add_argument("--sampler", metavar="fast|paper|least-squares", help="(fast)")
    length = chain.add_mutually_exclusive_group()
    length.add_argument(
        "--sweeps",
        type=int,
        metavar="N",
        help="sweeps over all words (500, or 120 if every pixel is learned from)",
    )
    length.add_argument("--seconds", type=float, metavar="T", help="time for all chains")
    chain.add_argument("--chains", type=int, metavar="C", help="runs from different seeds (1)")
    chain.add_argument("--seed", type=int, metavar="S", help="of the first chain (0)")
    chain.add_argument(
        "--threads", type=int, metavar="T", help="worker threads (default: all cores)"
    )
    chain.add_argument("--estimate", metavar="mean|map|paper-map", help="what is shown (mean)")


def run(arguments: argparse.Namespace) -> int:
    """Segment and write; 130 if it was interrupted, 3 if files were left out."""
    from pmlda_gui.cli import tell_refused
    from pmlda_gui.cli.progress_bar import progress_bars
    from pmlda_gui.workspace.batch.options import settings_from_names
    from pmlda_gui.workspace.batch.segment import compute, open_sources
    from pmlda_gui.workspace.export import check_targets, write_results
    from pmlda_gui.workspace.survey_map import map_results

    watched = "watch" in arguments
    if bool(arguments.files) == watched:
        raise PmldaError("Name images or folders to segment, or a folder to --watch.")
    if watched and "hints" in arguments:
        raise PmldaError("Hints belong to images that are there: leave out --hints or --watch.")
    if watched and "topics_from" not in arguments:
        raise PmldaError("A folder is watched for topics found before: give --topics-from.")
    settings = settings_from_names(
        {name: value for name, value in vars(arguments).items() if name not in NOT_SETTINGS}
    )
    if watched:
        return _watch(arguments, settings)
    options, placing = reading_options(arguments), map_settings(arguments)
    began = time.perf_counter()
    refused: list[PmldaError] = []
    with interruptible() as interrupted, progress_bars(arguments.quiet) as bars:
        try:
            images = open_sources(
                arguments.files,
                bars.named("reading", interrupted),
                refused,
                options,
            )
            if "area" in arguments:
                images = within(images, arguments.area, refused)
            check_targets(arguments.out, images)
            reading = time.perf_counter() - began
            result = compute(images, settings, bars.named("segmenting", interrupted))
        except PmldaError:
            if interrupted():
                raise KeyboardInterrupt from None
            raise
        result = replace(result, seconds={"reading": reading, **result.seconds})
        written = write_results(result, arguments.out, bars.named("writing"))
        unplaced: list[PmldaError] = []
        if placing is not None:
            written += map_results(images, arguments.out, placing, bars.named("mapping"), unplaced)
    if not arguments.quiet:
        print(f"Features were measured in {result.measured_in}.", file=sys.stderr)
        for path in written:
            print(path)
    for text in result.warnings:
        print(f"pmlda-gui: {text}", file=sys.stderr)
    for error in unplaced:
        print(f"pmlda-gui: not on the map: {error}", file=sys.stderr)
    left_out = tell_refused(refused)
    return INTERRUPTED if interrupted() else left_out


def _watch(arguments: argparse.Namespace, settings: Settings) -> int:
    """Segment what arrives in a folder, until Ctrl-C or a request to end; then 0."""
    from pmlda_gui.workspace.batch.arriving import segmenting
    from pmlda_gui.workspace.watched_folder import Watch

    options = reading_options(arguments)

    def tell(text: str) -> None:
        if not arguments.quiet or not text.endswith(": done"):
            print(f"pmlda-gui: {text}", file=sys.stderr, flush=True)

    with interruptible(signal.SIGINT, signal.SIGTERM) as ended:
        work = segmenting(settings, options, ended, tell)
        poll = {"poll": arguments.poll} if "poll" in arguments else {}
        Watch(arguments.watch, arguments.out, work, ended, tell, **poll).run()
    return 0


@contextmanager
def interruptible(*signals: int) -> Iterator[Callable[[], bool]]:
    """Whether one of the signals came, Ctrl-C if none is named; again, it acts as always."""
    came = False
    before = {each: signal.getsignal(each) for each in signals or (signal.SIGINT,)}

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True
        signal.signal(number, before[number])

    # Outside the main thread nobody can press anything.
    with suppress(ValueError):
        for each in before:
            signal.signal(each, on_signal)
    try:
        yield lambda: came
    finally:
        for each, usual in before.items():
            if signal.getsignal(each) is on_signal:
                signal.signal(each, usual)
