"""`pmlda-gui segment FILES... --out DIR`: the whole job without a window.

Options have the names of `workspace.segment_settings.Settings`, which also checks
them; only what was given is handed on.  The first Ctrl-C ends the sampling and
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
from typing import TYPE_CHECKING, Any

from pmlda_gui.core.errors import PmldaError

if TYPE_CHECKING:
    from pmlda_gui.workspace.segment import Step

__all__ = ["INTERRUPTED", "NOT_SETTINGS", "add_parser", "add_settings", "interruptible", "shown"]

INTERRUPTED = 130
NOT_SETTINGS = ("files", "out", "quiet", "command", "run", "verbose", "bands")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `segment` and its options."""
    parser = commands.add_parser(
        "segment",
        help="segment images softly and write maps, polygons and a report",
        description="Segment images softly.  All images given share their topics.",
        argument_default=argparse.SUPPRESS,
    )
    add_settings(parser)
    parser.set_defaults(run=run)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add what is segmented, where results go, and the names of `Settings`."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="images or folders")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    parser.add_argument(
        "--quiet", action="store_true", default=False, help="no progress and no list of files"
    )
    parser.add_argument(
        "--bands",
        metavar="B,B",
        help="measure features in several bands, by number or name; the first is shown",
    )
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
        "--coupling", type=float, metavar="TAU", help="how alike touching documents are (1)"
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
    chain.add_argument("--threads", type=int, metavar="T", help="at work at once (all there are)")
    chain.add_argument("--estimate", metavar="mean|map|paper-map", help="what is shown (mean)")


def run(arguments: argparse.Namespace) -> int:
    """Segment and write; 130 if it was interrupted, 3 if files were left out."""
    from pmlda_gui.cli import tell_refused
    from pmlda_gui.imagery.readers import ReadOptions, band_list
    from pmlda_gui.workspace.export import check_targets, write_results
    from pmlda_gui.workspace.segment import Step, compute, open_sources
    from pmlda_gui.workspace.segment_settings import Settings

    settings = Settings.from_names(
        {name: value for name, value in vars(arguments).items() if name not in NOT_SETTINGS}
    )
    began = time.perf_counter()
    refused: list[PmldaError] = []
    with interruptible() as interrupted, shown(arguments.quiet) as show:
        try:
            images = open_sources(
                arguments.files,
                lambda done: show(Step("reading", done)),
                interrupted,
                refused,
                ReadOptions(bands=band_list(arguments.bands) if "bands" in arguments else ()),
            )
            check_targets(arguments.out, images)
            reading = time.perf_counter() - began
            result = compute(images, settings, show, interrupted)
        except PmldaError:
            if interrupted():
                raise KeyboardInterrupt from None
            raise
        result = replace(result, seconds={"reading": reading, **result.seconds})
        written = write_results(result, arguments.out, lambda done: show(Step("writing", done)))
    if not arguments.quiet:
        print(f"Features were measured in {result.measured_in}.", file=sys.stderr)
        for path in written:
            print(path)
    for text in result.warnings:
        print(f"pmlda-gui: {text}", file=sys.stderr)
    left_out = tell_refused(refused)
    return INTERRUPTED if interrupted() else left_out


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed; pressed again, it acts as it always does."""
    pressed = False
    before = signal.getsignal(signal.SIGINT)

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, before)

    # Outside the main thread nobody can press anything.
    with suppress(ValueError):
        signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield lambda: pressed
    finally:
        if signal.getsignal(signal.SIGINT) is on_interrupt:
            signal.signal(signal.SIGINT, before)


@contextmanager
def shown(quiet: bool) -> Iterator[Callable[[Step], None]]:
    """A function that shows how far the work is, on the terminal's error stream."""
    if quiet:
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns: list[Any] = [
        TextColumn("{task.description:<12}"),
        BarColumn(),
        TextColumn("{task.percentage:>4.0f} %"),
        TextColumn("{task.fields[detail]}"),
        TextColumn("{task.fields[left]}"),
        TimeElapsedColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, Any] = {}
        began: dict[str, float] = {}

        def show(step: Step) -> None:
            now = time.monotonic()
            if step.stage not in tasks:
                for other in tasks.values():
                    bars.stop_task(other)
                tasks[step.stage] = bars.add_task(step.stage, total=1.0, detail="", left="")
                began[step.stage] = now
            detail = step.detail
            if step.words_per_second:
                detail += f", {step.words_per_second / 1e6:.1f} million words/s"
            bars.update(
                tasks[step.stage],
                completed=step.fraction,
                detail=detail,
                left=_time_left(now - began[step.stage], step.fraction),
            )

        yield show


def _time_left(spent: float, fraction: float) -> str:
    if not 0.02 < fraction < 1.0:
        return ""
    left = round(spent * (1 - fraction) / fraction)
    return f"{left // 60}:{left % 60:02d} left"
