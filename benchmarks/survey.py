"""What a survey costs a megapixel, by stage and size, and beside `segment`'s own pass.

A mosaic of one band is put together from synthetic scenes.  It is segmented by two
processes that may take 3 GB each; once the first is killed on its way and started again.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import rasterio

from benchmarks.tables import show
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import ReadOptions, open_image
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.survey import run_survey
from pmlda_gui.survey.workers import Workers
from pmlda_gui.workspace import tiled_preparation
from pmlda_gui.workspace.batch.chains import Step
from pmlda_gui.workspace.batch.options import settings_from
from pmlda_gui.workspace.batch.segment import compute
from pmlda_gui.workspace.export.geotiff import write_rasters

__all__ = ["run"]

SETTINGS = settings_from(features="seabed")
BLOCK = 1024
MEMORY_LIMIT = "3GB"
STAGES = ("index", "pixels", "choices", "cells", "features", "topics", "memberships", "writing")


def run(quick: bool = False) -> None:
    """Print the tables."""
    folder = Path(tempfile.mkdtemp(prefix="pmlda-survey-"))
    try:
        sizes = (4, 16) if quick else (10, 100, 1000)
        _beside_segment(folder, 4 if quick else 10)
        _by_size(folder, sizes)
        _after_a_kill(folder, sizes[0])
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

    def tell(self, step: Step) -> None:
        now = time.process_time()
        self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
        self._stage, self._since = step.stage, now


def _beside_segment(folder: Path, megapixels: int) -> None:
    """Processor time of memberships and writing: a survey's beside that of `segment`."""
    path = mosaic(folder / "beside.tif", megapixels)
    size = _pixels(path)
    processor = _Processor()
    with ThreadPoolExecutor(1) as pool:
        run_survey([path], folder / "beside", SETTINGS, Workers(pool, 1, ""), tell=processor.tell)
    processor.tell(Step("end", 1.0))
    image = open_image(path, ReadOptions())
    part = Image(image.pixels[:2048, :2048].copy(), image.valid[:2048, :2048].copy())
    limit, tiled_preparation.LARGEST_CORPUS = tiled_preparation.LARGEST_CORPUS, 100_000
    try:
        result = compute([part], replace(SETTINGS, threads=1))
    finally:
        tiled_preparation.LARGEST_CORPUS = limit
    began = time.process_time()
    write_rasters(
        folder, "segment", result.images[0], result.topic_names, result.colours, lambda _: None
    )
    theirs = (time.process_time() - began) / (part.valid.size / 1e6)
    spent = {stage: processor.seconds.get(stage, 0.0) / size for stage in STAGES}
    ours = spent["memberships"] + spent["writing"]
    show(
        f"processor seconds a megapixel, {size:.0f} Mpx, one thread",
        ("", *STAGES, "memberships and writing", "times faster"),
        [
            ("survey", *spent.values(), ours, theirs / ours),
            ("segment", *[""] * len(STAGES), theirs, ""),
        ],
    )
    shutil.rmtree(folder / "beside")


def _by_size(folder: Path, sizes: tuple[int, ...]) -> None:
    """Seconds a megapixel by stage, with one worker and two."""
    from distributed import Client

    rows: list[tuple[Any, ...]] = []
    for count, size in [(1, sizes[0]), *((2, size) for size in sizes)]:
        path = mosaic(folder / f"{size}.tif", size)
        pixels = _pixels(path)
        with _cluster(count) as cluster, Client(cluster) as client:
            workers = Workers(client.get_executor(pure=False), count, "")
            began = time.perf_counter()
            outcome = run_survey([path], folder / f"out {size}", SETTINGS, workers)
            whole = time.perf_counter() - began
            peak = max(client.run(_peak).values())
        spent = outcome.result.seconds
        rows.append(
            (
                f"{pixels:.0f} Mpx, {count}", *(spent.get(stage, 0.0) / pixels for stage in STAGES),
                whole / pixels, whole, peak,
            )
        )  # fmt: skip
        show(
            "seconds a megapixel; what workers took at most",
            ("size, workers", *STAGES, "all", "seconds", "GB a worker"),
            rows,
        )
        shutil.rmtree(folder / f"out {size}")
        path.unlink()


def _peak() -> float:
    """The most memory a process has taken, in GB; what its parent took does not count."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (each for each in status.splitlines() if each.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e9


def _cluster(count: int) -> Any:
    import logging

    from distributed import LocalCluster

    return LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, host="127.0.0.1",
        dashboard_address="127.0.0.1:0", memory_limit=MEMORY_LIMIT, silence_logs=logging.CRITICAL,
    )  # fmt: skip


def _after_a_kill(folder: Path, megapixels: int) -> None:
    """Seconds to the kill, half way through the memberships, and from the start after it."""
    path, out = mosaic(folder / "killed.tif", megapixels), folder / "killed"
    command = [sys.executable, "-m", "pmlda_gui", "survey", str(path), "--out", str(out),
               "--workers", "2", "--features", "seabed", "--quiet"]  # fmt: skip
    store = out / ".pmlda-survey"
    began = time.perf_counter()
    process = subprocess.Popen(command)
    while process.poll() is None:
        tiles = len(list(store.glob("features-*"))) if store.is_dir() else 0
        if tiles and len(list(store.glob("uncertainty-*"))) * 2 >= tiles:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    killed = time.perf_counter() - began
    began = time.perf_counter()
    subprocess.run(command, check=True)
    show(
        f"killed half way through the memberships of {_pixels(path):.0f} Mpx and started again",
        ("", "seconds"),
        [("to the kill", killed), ("to the end", time.perf_counter() - began)],
    )
