"""What all experiments share: what they are given, what they hand back, and its files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.experiments.drawing import Drawing
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.peers.scoring import Truth
from pmlda_gui.workspace.comparison import MethodResult, Update, compare_methods, finished_run
from pmlda_gui.workspace.export.atomic import make_folder, write_whole
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.run import Run

__all__ = ["Outcome", "Picture", "Study", "Table", "table_content", "write_outcome"]

_SHAPE = (360, 330)


class Table(NamedTuple):
    """Numbers for a CSV file."""

    head: tuple[str, ...]
    rows: Sequence[Sequence[str | float]]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What an experiment found: a plate, its numbers, and those that its caption states."""

    name: str
    drawing: Drawing
    caption: str
    table: Table
    findings: Mapping[str, float]


class Picture(NamedTuple):
    """An image under study, and its truth where it was made."""

    name: str
    image: Image
    truth: Truth | None


@dataclass(frozen=True, eq=False)
class Study:
    """What an experiment is given.

    Without `images` it makes scenes of `shape` (height, width) from `seed`.  Chains do
    `sweeps` over all words.  `random_scenes` is how many random seabeds are taken where
    an experiment knows them, instead of the catalogue's.  `progress` is that of
    the experiment.
    """

    images: tuple[Image, ...] = ()
    shape: tuple[int, int] = _SHAPE
    sweeps: int | None = None
    seed: int = 0
    threads: int | None = None
    random_scenes: int = 0
    progress: Progress = UNWATCHED

    def pictures(self, scenes: Sequence[str]) -> list[Picture]:
        """The images given, or else these scenes."""
        if self.images:
            return [Picture(image.name, image, None) for image in self.images]
        made = [(name, make_scene(name, self.shape, self.seed)) for name in scenes]
        return [Picture(name, scene.image, Truth(scene.memberships)) for name, scene in made]

    def steps(self, count: int) -> Callable[[str], None]:
        """A function that begins the next of `count` steps, given what it does."""
        begun = 0
        progress = self.progress.named("The experiment", " before it was done")

        def begin(text: str) -> None:
            nonlocal begun
            progress.report(begun / count, text)
            begun += 1

        return begin

    def run(self, prepared: Prepared, parameters: Parameters) -> Run:
        """PM-LDA on these images with these parameters, finished."""
        return finished_run(
            prepared, parameters, self.sweeps, self.seed, self.threads, progress=self.progress
        )

    def compare(
        self, prepared: Prepared, methods: Sequence[str], parameters: Parameters
    ) -> list[MethodResult]:
        """These methods on the images, telling how far they are."""

        def tell(update: Update) -> None:
            done = (methods.index(update.name) + update.fraction) / len(methods)
            self.progress.tell(done, update.title)

        return compare_methods(
            prepared, methods, parameters, self.sweeps, self.seed, self.threads, tell, self.progress
        )


def table_content(table: Table) -> bytes:
    """The table as the content of a CSV file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.head)
    for row in table.rows:
        writer.writerow([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row])
    return text.getvalue().encode()


def write_outcome(outcome: Outcome, folder: Path) -> list[Path]:
    """Write NAME.png, NAME.svg and NAME.csv into the folder."""
    make_folder(folder)
    contents = {
        ".png": outcome.drawing.to_png(),
        ".svg": outcome.drawing.to_svg(),
        ".csv": table_content(outcome.table),
    }
    return [
        write_whole(folder / f"{outcome.name}{ending}", content)
        for ending, content in contents.items()
    ]
