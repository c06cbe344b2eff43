"""`pmlda-gui experiment NAME|all --out DIR [FILES...]`: the paper's experiments, repeated.

Each writes NAME.png, NAME.svg and NAME.csv; without files they run on synthetic scenes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pmlda_gui.core.errors import PmldaError

__all__ = ["add_parser", "progress"]

Show = Callable[[str, float, str], None]
_ALL = "all"


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `experiment` and its options."""
    parser = commands.add_parser(
        "experiment",
        help="repeat an experiment of the paper",
        description="Repeat an experiment: unified, generating, subimages, complete, scaling, "
        "superpixels, fuzzifier, sunset, quality, or all of them.",
    )
    parser.add_argument("name", metavar="NAME|all", help="which experiment")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="images or folders")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    parser.add_argument(
        "--sweeps",
        type=int,
        metavar="N",
        help="of each chain (150, or 60 if every pixel is learned from)",
    )
    parser.add_argument(
        "--random",
        type=int,
        default=0,
        metavar="N",
        help="quality: on N random seabeds instead of the named scenes",
    )
    parser.add_argument(
        "--size", type=int, default=330, metavar="PIXELS", help="of synthetic scenes"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--threads", type=int, metavar="T")
    parser.add_argument("--quiet", action="store_true", help="no progress and no list of files")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run one experiment, or all; what is done is written before the next begins."""
    from pmlda_gui.cli import tell_refused
    from pmlda_gui.experiments import EXPERIMENTS, applicable, run_experiment
    from pmlda_gui.experiments.study import Study, write_outcome
    from pmlda_gui.imagery.readers import open_images, require_opened

    if arguments.random < 0:
        raise PmldaError(f"There cannot be {arguments.random} random seabeds: give 1 or more.")
    refused: list[PmldaError] = []
    images = open_images(arguments.files, refused=refused) if arguments.files else ()
    require_opened(images, refused)
    names = applicable(images) if arguments.name == _ALL else (arguments.name,)
    left_out = set(EXPERIMENTS) - set(names) if arguments.name == _ALL else set()
    with progress(arguments.quiet) as show:
        for name in names:

            def tell(done: float, text: str, name: str = name) -> None:
                show(name, done, text)

            study = Study(
                images=images,
                shape=(arguments.size * 12 // 11, arguments.size),
                sweeps=arguments.sweeps,
                seed=arguments.seed,
                threads=arguments.threads,
                random_scenes=arguments.random,
                watch=tell,
            )
            outcome = run_experiment(name, study)
            show(name, 1.0, "")
            written = write_outcome(outcome, arguments.out)
            if not arguments.quiet:
                print(f"{name}: {outcome.caption}")
                for path in written:
                    print(path)
    if left_out and not arguments.quiet:
        print(f"Left out, because these files do not fit: {', '.join(sorted(left_out))}.")
    return tell_refused(refused)


@contextmanager
def progress(quiet: bool) -> Iterator[Show]:
    """A function that shows how far each piece of work is, on the terminal's error stream."""
    if quiet:
        yield lambda name, fraction, text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description:<28}"),
        BarColumn(),
        TextColumn("{task.percentage:>4.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[text]}"),
        console=Console(stderr=True),
    ) as bars:
        tasks: dict[str, TaskID] = {}

        def show(name: str, fraction: float, text: str) -> None:
            if name not in tasks:
                for other in tasks.values():
                    bars.update(other, completed=1.0, text="")
                    bars.stop_task(other)
                tasks[name] = bars.add_task(name, total=1.0, text="")
            bars.update(tasks[name], completed=fraction, text=text)

        yield show
