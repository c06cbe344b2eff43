"""Methods side by side: the plate of one image, the table of all, and shared measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.experiments.drawing import Drawing
from pmlda_gui.experiments.panels import crisp, image_panel, maps, mixed, panel_size
from pmlda_gui.experiments.plate import Row, draw_rows
from pmlda_gui.experiments.study import Picture, Table, table_content
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.imagery.topic_palette import topic_colours
from pmlda_gui.peers.scoring import Scores, Truth, aligned, score
from pmlda_gui.workspace.comparison import MethodResult
from pmlda_gui.workspace.export.atomic import make_folder, write_whole
from pmlda_gui.workspace.export.write import refuse_images, stems

__all__ = [
    "PURE",
    "Topics",
    "comparison_plate",
    "comparison_table",
    "mean_error",
    "method_panels",
    "mixed_share",
    "write_comparison",
]

# A pixel is mixed where no topic has more than this share of it.
PURE = 0.9
# Images flatter than this, survey strips say, are stacked instead of set side by side.
_FLAT = 0.2
_STRIP_WIDTH = 1200
Pixels = NDArray[np.uint8]


class Topics(NamedTuple):
    """What the topics of a plate are called, and their `colours` (K, 3)."""

    names: Sequence[str]
    colours: Pixels

    @classmethod
    def unnamed(cls, count: int) -> Topics:
        """Topics that nobody has named."""
        return cls([f"topic {k + 1}" for k in range(count)], topic_colours(count))


def mixed_share(segmentation: Segmentation, largest: float = PURE) -> float:
    """The fraction of valid pixels in which no topic has more than `largest`."""
    peaks = segmentation.memberships.max(axis=0)[segmentation.valid]
    return float(np.mean(peaks <= largest))


def mean_error(
    result: MethodResult, pictures: Sequence[Picture], in_transitions: bool = False
) -> float:
    """The membership error, mean over the images whose truth is known; NaN if none is."""
    errors = []
    for picture, segmentation in zip(pictures, result.segmentations, strict=True):
        if picture.truth is not None:
            found = score(picture.truth, segmentation)
            errors.append(found.error_in_transitions if in_transitions else found.error)
    known = [error for error in errors if not np.isnan(error)]
    return float(np.mean(known)) if known else float("nan")


def method_panels(result: MethodResult, number: int) -> list[Pixels]:
    """The maps of a soft method, or the labels of a crisp one, for one image."""
    found = result.segmentations[number]
    return maps(found.memberships) if result.soft else [crisp(found)]


def comparison_plate(
    name: str,
    image: Image,
    truth: Truth | None,
    results: Sequence[MethodResult],
    number: int,
    topics: Topics | None = None,
) -> Drawing:
    """Image, truth where known, and a row for each method: maps, mixture, crisp labels."""
    first = results[0].segmentations[number]
    outline = image_panel(image, first.documents)
    known = None if truth is None else _in_order(truth, first)
    flat = image.shape[0] < _FLAT * image.shape[1]
    make_rows = _stacked_rows if flat else _rows
    shown = topics or Topics.unnamed(first.topics)
    rows = make_rows(outline, known, truth, results, number, shown.colours)
    heads = [] if flat else [*shown.names, "all topics", "crisp labels"]
    caption = (
        f"{name}: {len(results)} methods on the same words ({', '.join(first.feature_names)}) of "
        f"{first.documents.count if first.documents else 0} documents; topics are matched by the "
        "overlap of their memberships, so equal colours mean equal topics.  Share of pixels in "
        f"which no topic has more than {PURE:.0%}: "
        + ", ".join(
            f"{result.title} {mixed_share(result.segmentations[number]):.0%}" for result in results
        )
        + "."
    )
    size = (
        (_STRIP_WIDTH, max(1, round(_STRIP_WIDTH * image.shape[0] / image.shape[1])))
        if flat
        else panel_size([image])
    )
    return draw_rows(
        f"Methods compared on {name}", caption, heads, rows, size, None if flat else "membership"
    )


def _in_order(truth: Truth, like: Segmentation) -> NDArray[np.float32]:
    """The true maps in the order of a result's topics; a result without means is the truth."""
    means = np.zeros((len(truth.memberships), like.means.shape[1]))
    bare = Segmentation(truth.memberships, None, means, 0.0)
    (ordered,) = aligned([bare], [like.memberships])
    return ordered.memberships


def _label(result: MethodResult, truth: Truth | None, number: int) -> str:
    if truth is None:
        return result.title
    return f"{result.title} (error {score(truth, result.segmentations[number]).error:.3f})"


def _rows(
    outline: Pixels,
    known: NDArray[np.float32] | None,
    truth: Truth | None,
    results: Sequence[MethodResult],
    number: int,
    colours: Pixels,
) -> list[Row]:
    """A row for each method: its maps, all in one, and its labels."""
    first = Row("image", [outline])
    if known is not None:
        first = Row("truth, and image", [*maps(known), mixed(known), outline])
    rows = [first]
    for result in results:
        found = result.segmentations[number]
        panels = maps(found.memberships)
        panels += [mixed(found.memberships, colours), crisp(found, colours)]
        rows.append(Row(_label(result, truth, number), panels))
    return rows


def _stacked_rows(
    outline: Pixels,
    known: NDArray[np.float32] | None,
    truth: Truth | None,
    results: Sequence[MethodResult],
    number: int,
    colours: Pixels,
) -> list[Row]:
    """Strips fill a line each: the image, the truth, and all topics of each method in one."""
    rows = [Row("image", [outline])]
    if known is not None:
        rows.append(Row("truth", [mixed(known)]))
    for result in results:
        found = result.segmentations[number]
        rows.append(Row(_label(result, truth, number), [mixed(found.memberships, colours)]))
    return rows


def comparison_table(
    names: Sequence[str],
    truths: Sequence[Truth | None],
    results: Sequence[MethodResult],
) -> Table:
    """A row for each image and method; scores only where the truth is known."""
    most = max((len(truth.memberships) for truth in truths if truth is not None), default=0)
    topics = range(1, most + 1)
    head: list[str] = ["image", "method", "seconds", "mixed share"]
    if most:
        head += ["membership error", "membership error in transitions"]
        head += [f"correlation of topic {k}" for k in topics]
        head += [f"correlation of topic {k} in transitions" for k in topics]
        head += ["adjusted Rand index", "normalised mutual information", "mean IoU"]
    rows: list[list[str | float]] = []
    for number, (name, truth) in enumerate(zip(names, truths, strict=True)):
        for result in results:
            found = result.segmentations[number]
            row: list[str | float] = [name, result.name, result.seconds, mixed_share(found)]
            if truth is not None:
                row += _cells(score(truth, found), most)
            rows.append(row)
    return Table(tuple(head), rows)


def _cells(scores: Scores, topics: int) -> list[float]:
    """The scores in the order of the table's head; NaN for topics an image does not have."""
    cells: list[float] = []
    for value in astuple(scores):
        if isinstance(value, tuple):
            cells += [*value, *[float("nan")] * (topics - len(value))]
        else:
            cells.append(value)
    return cells


def write_comparison(
    folder: Path,
    images: Sequence[Image],
    truths: Sequence[Truth | None],
    results: Sequence[MethodResult],
    topics: Topics | None = None,
) -> list[Path]:
    """Write a plate (PNG and SVG) for each image and one table; gives the paths."""
    names = stems(images)
    refuse_images([folder / f"{name}_compared.png" for name in names], images)
    make_folder(folder)
    written = []
    for number, (name, image) in enumerate(zip(names, images, strict=True)):
        plate = comparison_plate(name, image, truths[number], results, number, topics)
        written.append(write_whole(folder / f"{name}_compared.png", plate.to_png()))
        written.append(write_whole(folder / f"{name}_compared.svg", plate.to_svg()))
    table = comparison_table(names, truths, results)
    written.append(write_whole(folder / "comparison.csv", table_content(table)))
    return written
