"""What a survey costs a megapixel, by stage and size, and beside `segment`'s own pass.

A mosaic of one band is put together from synthetic scenes.  It is segmented by one and two
processes that may take 3 GB each; the largest is killed on its way and started again.
Processor time is what counts on a machine that does other things as well.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import rasterio

from benchmarks.survey_client import FEATURES
from benchmarks.tables import show
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import ReadOptions, open_image
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.survey import run_survey
from pmlda_gui.survey.workers import Workers
from pmlda_gui.workspace import tiled_memberships, tiled_preparation
from pmlda_gui.workspace.batch.options import settings_from
from pmlda_gui.workspace.batch.segment import compute
from pmlda_gui.workspace.export.geotiff import write_rasters

__all__ = ["mosaic", "run"]

SETTINGS = settings_from(features=FEATURES)
BLOCK = 1024
STAGES = ("index", "pixels", "choices", "cells", "features", "topics", "memberships", "writing")


def run(quick: bool = False) -> None:
    """Print the tables."""
    folder = Path(tempfile.mkdtemp(prefix="pmlda-survey-"))
    sizes = (4, 16) if quick else (10, 100, 1000)
    try:
        _beside_segment(folder, sizes[0])
        one = _survey(folder, sizes[0], 1)
        figures = [_survey(folder, sizes[0], 2)]
        _show_speed(one, figures[0])
        for size in sizes[1:]:
            figures.append(_survey(folder, size, 2, killed=size == sizes[-1]))
            _show_sizes(figures)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def mosaic(path: Path, megapixels: int) -> Path:
    """A square mosaic of about so many megapixels, from scenes in random order."""
    side = max(1, round((megapixels * 1e6) ** 0.5 / BLOCK)) * BLOCK
    kinds = ("mosaic-edge", "wide-bands", "narrow-patches")
    scenes = [
        np.clip(make_scene(kind, (BLOCK, BLOCK), seed=seed).image.pixels * 200, 1, 255)
        for seed, kind in enumerate(kinds)
    ]
    rng = np.random.default_rng(0)
    with rasterio.open(
        path, "w", driver="GTiff", height=side, width=side, count=1, dtype="uint8", nodata=0,
        tiled=True, blockxsize=256, blockysize=256, compress="deflate", zlevel=1,
        crs="EPSG:32618", transform=rasterio.Affine(0.5, 0, 6e5, 0, -0.5, 4.7e6),
        bigtiff="IF_SAFER",
    ) as raster:  # fmt: skip
        for row in range(0, side, BLOCK):
            for column in range(0, side, BLOCK):
                scene = scenes[rng.integers(len(scenes))][:: rng.choice((-1, 1))]
                window = rasterio.windows.Window(column, row, BLOCK, BLOCK)
                raster.write(scene.astype(np.uint8), 1, window=window)
    return path


def _pixels(path: Path) -> float:
    """Megapixels of a file."""
    with rasterio.open(path) as raster:
        return raster.height * raster.width / 1e6


class _Processor:
    """Processor seconds of this process by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stage, self._since = "", time.process_time()

    def tell(self, stage: str, _fraction: float, _text: str) -> None:
        now = time.process_time()
        self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
        self._stage, self._since = stage, now


def _beside_segment(folder: Path, megapixels: int) -> None:
    """Processor time of memberships and writing: a survey's beside that of `segment`."""
    path = mosaic(folder / "beside.tif", megapixels)
    size = _pixels(path)
    processor = _Processor()
    with ThreadPoolExecutor(1) as pool:
        run_survey([path], folder / "beside", SETTINGS, Workers(pool, 1, ""), tell=processor.tell)
    processor.tell("end", 1.0, "")
    image = open_image(path, ReadOptions())
    part = Image(image.pixels[:2048, :2048].copy(), image.valid[:2048, :2048].copy())
    limit, tiled_preparation.LARGEST_CORPUS = tiled_preparation.LARGEST_CORPUS, 100_000
    usual, spent_on = tiled_memberships.sample_step, []
    try:
        result = compute([part], replace(SETTINGS, threads=1))
        for step in (lambda *_: 1, usual):
            tiled_memberships.sample_step = step
            began = time.process_time()
            write_rasters(
                folder, "segment", result.images[0], result.topic_names, result.colours, Progress()
            )
            spent_on.append((time.process_time() - began) / (part.valid.size / 1e6))
    finally:
        tiled_preparation.LARGEST_CORPUS, tiled_memberships.sample_step = limit, usual
    theirs, today = spent_on
    spent = {stage: processor.seconds.get(stage, 0.0) / size for stage in STAGES}
    ours = spent["memberships"] + spent["writing"]
    show(
        f"processor seconds a megapixel, {size:.0f} Mpx, one thread",
        ("", *STAGES, "memberships and writing", "times faster"),
        [
            ("survey", *spent.values(), ours, theirs / ours),
            ("segment, every pixel", *[""] * len(STAGES), theirs, ""),
            ("segment", *[""] * len(STAGES), today, theirs / today),
        ],
    )
    shutil.rmtree(folder / "beside")


@dataclass(frozen=True)
class _Spent:
    """Seconds by stage of the clock, of the client's processor and of the workers'."""

    megapixels: float
    workers: int
    stages: dict[str, list[float]]
    peak: float
    kills: int
    load: float

    def seconds(self, kind: int) -> float:
        return sum(self.stages.get(stage, [0.0] * 3)[kind] for stage in STAGES)

    @property
    def processor(self) -> float:
        return self.seconds(1) + self.seconds(2)


def _survey(folder: Path, size: int, count: int, killed: bool = False) -> _Spent:
    """A survey in a process of its own, once killed half way through the memberships."""
    path, out, figures = folder / f"{size}.tif", folder / "out", folder / "figures.json"
    if not path.exists():
        mosaic(path, size)
    command = [sys.executable, "-m", "benchmarks.survey_client",
               str(path), str(out), str(count), str(figures)]  # fmt: skip
    load = os.getloadavg()[0]
    parts = []
    if killed:
        process = subprocess.Popen(command)
        _wait_for_half(process, out / ".pmlda-survey", out)
        process.kill()
        process.wait()
        parts.append(json.loads(figures.read_text()))
    subprocess.run(command, check=True)
    parts.append(json.loads(figures.read_text()))
    stages: dict[str, list[float]] = {}
    for part in parts:
        for stage, spent in part["stages"].items():
            known = stages.get(stage, [0.0] * 3)
            stages[stage] = [a + b for a, b in zip(known, spent, strict=True)]
    found = _Spent(
        _pixels(path), count, stages, max(part["peak"] for part in parts) / 1e9, int(killed), load
    )
    shutil.rmtree(out)
    return found


def _wait_for_half(process: subprocess.Popen[bytes], store: Path, out: Path) -> None:
    """Wait until half of the memberships are there."""
    while process.poll() is None:
        tiles = len(list(store.glob("features-*"))) if store.is_dir() else 0
        done = len([*store.glob("uncertainty-*"), *out.glob("*_tiles/*_uncertainty.tif")])
        if tiles and done * 2 >= tiles:
            return
        time.sleep(0.2)
    raise SystemExit("The survey ended before it could be killed.")


def _show_sizes(figures: list[_Spent]) -> None:
    rows: list[tuple[Any, ...]] = []
    for each in figures:
        size = each.megapixels
        name = f"{size:.0f} Mpx" + (", killed once" if each.kills else "")
        for what, kinds in (("processor", (1, 2)), ("clock", (0,))):
            by_stage = [
                sum(each.stages.get(stage, [0.0] * 3)[kind] for kind in kinds) / size
                for stage in STAGES
            ]
            rows.append((f"{name}, {what}", *by_stage, sum(by_stage), each.peak))
    least, most = (
        pick(each.processor / each.megapixels for each in figures) for pick in (min, max)
    )
    show(
        f"seconds a megapixel, two workers; most over least processor time {most / least:.2f}",
        ("size", *STAGES, "all", "GB a worker"),
        rows,
    )


def _show_speed(one: _Spent, two: _Spent) -> None:
    """How much faster two workers are, and how much they could be by what is done by one alone."""
    # While there are tiles to do, the client only waits.
    alone = sum(one.stages.get(stage, [0.0] * 3)[1] for stage in ("topics", "writing"))
    serial = alone / one.processor
    show(
        f"{one.megapixels:.0f} Mpx by one worker and two; load {one.load:.1f} and {two.load:.1f}",
        ("", "clock", "processor, client", "processor, workers"),
        [
            ("one worker", one.seconds(0), one.seconds(1), one.seconds(2)),
            ("two workers", two.seconds(0), two.seconds(1), two.seconds(2)),
            ("times faster", one.seconds(0) / two.seconds(0), "", ""),
            ("by Amdahl's law", 1.0 / (serial + (1.0 - serial) / 2.0), "", ""),
        ],
    )
