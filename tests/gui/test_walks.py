"""The walks in docs/architecture.md are the ways that the program takes, and they are short."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import rasterio
from PySide6.QtWidgets import QSlider

import pmlda_gui
from pmlda_gui.cli import main
from pmlda_gui.core.chain import Chain
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.gui.inbox import InboxThread
from pmlda_gui.gui.mailbox import Mailbox
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.imagery.documents import Documents
from pmlda_gui.imagery.features.windows import Neighbourhood
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.run import Run
from tests.gui.flows import Flows
from tests.gui.small_scenes import small_image

PACKAGE = Path(pmlda_gui.__file__).parent
PAGE = PACKAGE.parent / "docs" / "architecture.md"
Step = tuple[str, str]
"""A file of the package, and a function in it."""
Walks = dict[str, tuple[Step, ...]]


def step_of(code: Any) -> Step:
    path = Path(code.co_filename).relative_to(PACKAGE).with_suffix("")
    return ".".join(path.parts), code.co_qualname


def steps_here() -> tuple[Step, ...]:
    """Our own functions that led to the caller of the caller, the outermost first."""
    frame: FrameType | None = sys._getframe(2)
    found: list[Step] = []
    while frame is not None:
        if Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
            found.append(step_of(frame.f_code))
        frame = frame.f_back
    return tuple(found[::-1])


def watch(
    patch: pytest.MonkeyPatch, owner: Any, name: str, walks: Walks, shortest: bool = False
) -> None:
    """Note the first way that leads to a function, or the shortest."""
    function = getattr(owner, name)
    end = (step_of(function.__code__),) if not name.startswith("__") else ()
    key = f"{owner.__name__}.{name}"

    def noting(*arguments: Any, **named: Any) -> Any:
        steps = (*steps_here(), *end)
        if key not in walks or (shortest and len(steps) < len(walks[key])):
            walks[key] = steps
        return function(*arguments, **named)

    patch.setattr(owner, name, noting)


def steps_in(walks: Walks) -> set[Step]:
    return {step for steps in walks.values() for step in steps}


def written(heading: str) -> set[Step]:
    """The functions that the page names under a heading."""
    part = PAGE.read_text(encoding="utf-8").split(f"### {heading}\n")[1].split("\n#")[0]
    return {(file, name) for file, name in re.findall(r"`([\w.]+)`: `([\w.]+)`", part)}


def test_the_walk_from_a_slider_to_the_picture_is_as_written(
    flows: Flows, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    flows.controller.run()
    flows.catch_up()
    walks: Walks = {}
    watch(monkeypatch, InboxThread, "set_parameters", walks)
    slider = flows.window.findChild(QSlider, "rate")
    assert slider is not None
    slider.setValue(slider.value() + 40)
    below: Walks = {}
    for owner, name in (
        (Run, "set_parameters"),
        (Chain, "sweep"),
        (Mailbox, "put"),
        (PictureView, "set_picture"),
    ):
        watch(monkeypatch, owner, name, below, shortest=True)
    told = written("A slider's move to the picture")
    assert len(told) <= 25
    assert len({file for file, _ in told}) <= 14
    flows.until(lambda: len(below) == 4)
    slider.setValue(slider.value() - 10)
    flows.until(lambda: steps_in(walks) | steps_in(below) == told)


def test_the_walk_from_a_file_to_its_corpus_is_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, pixels = tmp_path / "line.tif", small_image().pixels
    height, width = pixels.shape
    with rasterio.open(
        source, "w", driver="GTiff", height=height, width=width, count=1, dtype="float32",
        crs="EPSG:32631", transform=rasterio.Affine(0.5, 0, 6e5, 0, -0.5, 4.7e6),
    ) as raster:  # fmt: skip
        raster.write(pixels, 1)
    walks: Walks = {}
    watch(monkeypatch, Image, "__post_init__", walks)
    watch(monkeypatch, Documents, "__post_init__", walks)
    watch(monkeypatch, Neighbourhood, "mean", walks)
    watch(monkeypatch, Corpus, "__init__", walks)
    arguments = ["--features", "mean,std", "--document-count", "6", "--sweeps", "1", "--quiet"]
    assert main(["segment", str(source), "--out", str(tmp_path / "out"), *arguments]) == 0
    told = written("A file to its corpus")
    assert len(told) <= 28
    assert steps_in(walks) == told
