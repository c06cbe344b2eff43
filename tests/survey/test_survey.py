"""A survey gives what `segment` gives, from files of any size, and goes on where it was."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyogrio
import pytest
import rasterio

from pmlda_gui.cli import main
from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.readers import ReadOptions, open_image
from pmlda_gui.survey import SurveyOutcome, mapping, run_survey, tile_files, workers
from pmlda_gui.survey.sources import indexed
from pmlda_gui.survey.workers import USUAL_MARGIN, Workers, check_memory, task_bytes
from pmlda_gui.workspace import tiled_memberships, tiled_preparation
from pmlda_gui.workspace.batch.options import settings_from
from pmlda_gui.workspace.batch.segment import compute, open_sources
from pmlda_gui.workspace.export import atomic
from tests.survey.survey_scenes import (
    OPTIONS,
    PLACE,
    SETTINGS,
    TILE,
    read_maps,
    require_same,
    write_line,
)
from tests.workspace.tiff_structure import faults_of_cog

_STORE = ".pmlda-survey"


@pytest.fixture(scope="module")
def line(tmp_path_factory) -> Path:
    return write_line(tmp_path_factory.mktemp("lines") / "line 1.tif")


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield Workers(pool, 2, "")


@pytest.fixture(scope="module")
def expected(line, tmp_path_factory):
    """The maps of the line, by one thread."""
    out = tmp_path_factory.mktemp("expected")
    with ThreadPoolExecutor(1) as pool:
        run_survey([line], out, SETTINGS, Workers(pool, 1, ""), tile=TILE)
    return read_maps(out)


def survey(paths, out: Path, workers: Workers, **more) -> SurveyOutcome:
    return run_survey(paths, out, SETTINGS, workers, tile=TILE, **more)


def test_topics_are_those_of_segment_and_maps_nearly(line, tmp_path, threads, monkeypatch) -> None:
    other = write_line(tmp_path / "line 2.tif", seed=1, shape=(150, 200))
    found = survey([line, other], tmp_path / "out", threads)
    monkeypatch.setattr(tiled_preparation, "LARGEST_CORPUS", 10_000)
    monkeypatch.setattr(tiled_preparation, "TILE_ROWS", TILE)
    monkeypatch.setattr(tiled_preparation, "TILE_COLUMNS", TILE)
    # Every pixel by itself.
    monkeypatch.setattr(tiled_memberships, "sample_step", lambda deviation, window: 1)
    known = compute(open_sources([line, other]), SETTINGS)
    maps = read_maps(tmp_path / "out")
    for number, name in enumerate(("line 1", "line 2")):
        mine, theirs = found.result.images[number], known.images[number]
        assert np.array_equal(mine.segmentation.means, theirs.segmentation.means)
        assert np.array_equal(mine.segmentation.proportions, theirs.segmentation.proportions)
        assert np.array_equal(mine.segmentation.scaling, theirs.segmentation.scaling)
        # The report shows the rasters' own values, those in the middle of the cells.
        full = maps[f"{name}_memberships"]
        middle = full[:, *np.ix_(*tiled_preparation.middles(full.shape[1:], mine.reduction))]
        assert np.array_equal(mine.segmentation.memberships, middle, equal_nan=True)
        assert mine.valid_pixels == theirs.valid_pixels
        for tile in theirs.tiles():
            _, height, width = tile.memberships.shape
            part = np.s_[:, tile.row : tile.row + height, tile.column : tile.column + width]
            for product, values in (
                ("memberships", tile.memberships), ("uncertainty", tile.uncertainty),
            ):  # fmt: skip
                here = maps[f"{name}_{product}"][part]
                assert np.array_equal(np.isnan(here), np.isnan(values))
                # Every third row and column was mapped, and the average makes up for it.
                assert np.sqrt(np.nanmean((here - values) ** 2)) < 0.01


def test_the_results_open_in_a_gis(line, tmp_path, threads) -> None:
    outcome = survey([line], tmp_path, threads)
    assert {path.name for path in outcome.written} == {
        path.name for path in tmp_path.iterdir() if not path.name.startswith(".")
    }
    assert not (tmp_path / _STORE).exists()
    with rasterio.open(line) as source, rasterio.open(tmp_path / "line 1_memberships.tif") as maps:
        assert (maps.transform, maps.crs, maps.shape) == (
            source.transform, source.crs, source.shape,
        )  # fmt: skip
        assert maps.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        assert maps.overviews(1)
        assert maps.tags()["SEED"] == "0"
        assert len(maps.tags()["RECIPE"]) == 64
        sums = maps.read().sum(axis=0)
        statistics = maps.tags(1)
    assert 0.0 <= float(statistics["STATISTICS_MINIMUM"]) < float(statistics["STATISTICS_MAXIMUM"])
    for product in ("memberships", "uncertainty", "labels"):
        assert faults_of_cog(tmp_path / f"line 1_{product}.tif") == []
    assert np.nanmax(np.abs(sums - 1.0)) < 3e-4
    assert np.isnan(sums[:70, :40]).all()
    assert np.isnan(sums).sum() < 70 * 40 + 0.01 * sums.size
    layers = {name for name, _ in pyogrio.list_layers(tmp_path / "line 1_polygons.gpkg")}
    assert {"topics", "transitions", "documents"} <= layers
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["images"][0]["valid_share"] == pytest.approx(1 - 70 * 40 / (300 * 260))
    assert {"index", "pixels", "cells", "features", "topics", "memberships"} <= {*report["seconds"]}


def test_what_is_too_large_for_one_file_is_tiles_with_a_virtual_raster(
    line, expected, tmp_path, threads
) -> None:
    outcome = survey([line], tmp_path, threads, largest_raster=1000)
    require_same(read_maps(tmp_path, "vrt"), expected)
    assert len(list((tmp_path / "line 1_tiles").glob("*_memberships.tif"))) == 12
    with rasterio.open(tmp_path / "line 1_labels.vrt") as labels, rasterio.open(line) as source:
        assert (labels.transform, labels.crs) == (source.transform, source.crs)
        assert labels.colormap(1)[1][3] == 255
        assert labels.nodata == 255
    with rasterio.open(tmp_path / "line 1_tiles" / "96_96_memberships.tif") as tile:
        assert tile.transform == source.transform @ rasterio.Affine.translation(96, 96)
        assert tile.tags()["SEED"] == "0"
    assert tmp_path / "line 1_memberships.vrt" in outcome.written


def test_files_that_are_read_whole_are_cut_into_the_same_tiles(
    line, expected, tmp_path, threads
) -> None:
    image = open_image(line)
    pixels = np.where(image.valid, image.pixels, np.nan)
    np.save(tmp_path / "line 1.npy", pixels)
    survey([tmp_path / "line 1.npy"], tmp_path / "out", threads)
    require_same(read_maps(tmp_path / "out"), expected)


def test_a_damaged_file_among_others_is_left_out(line, expected, tmp_path, threads) -> None:
    damaged = write_line(tmp_path / "line 2.tif", seed=1)
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
    damaged.write_bytes(content)
    (tmp_path / "line 3.tif").write_bytes(b"II*\x00 no raster")
    paths = [tmp_path / "line 3.tif", line, damaged, tmp_path / "gone.tif"]
    outcome = survey(paths, tmp_path / "out", threads)
    require_same(read_maps(tmp_path / "out"), expected)
    said = " ".join(map(str, outcome.refused))
    assert all(name in said for name in ("line 2.tif", "line 3.tif", "gone.tif"))
    assert len(outcome.refused) == 3


def test_a_survey_of_damaged_files_alone_says_why(tmp_path, threads) -> None:
    (tmp_path / "line 3.tif").write_bytes(b"II*\x00 no raster")
    with pytest.raises(PmldaError, match=r"line 3\.tif"):
        survey([tmp_path / "line 3.tif"], tmp_path / "out", threads)


def test_a_full_disk_at_one_tile_ends_in_a_sentence_and_the_rest_is_kept(
    line, expected, tmp_path, threads, monkeypatch
) -> None:
    full = threading.Event()

    @contextmanager
    def appearing(path: Path):
        with atomic.appearing(path) as unfinished:
            yield unfinished
            if path.name == "uncertainty-0-7.tif" and not full.is_set():
                full.set()
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tile_files, "appearing", appearing)
    with pytest.raises(PmldaError, match=r"disk of .* is full"):
        survey([line], tmp_path, threads)
    left = {path.name for path in (tmp_path / _STORE).glob("*-0-*.tif")}
    assert "uncertainty-0-7.tif" not in left
    assert "memberships-0-0.tif" in left
    mapped = []
    original = mapping.map_tile
    monkeypatch.setattr(
        "pmlda_gui.survey.run.map_tile", lambda task: mapped.append(task) or original(task)
    )
    survey([line], tmp_path, threads)
    require_same(read_maps(tmp_path), expected)
    done = {name for name in left if name.startswith("uncertainty")}
    assert len(mapped) == 12 - len(done)


def test_stopped_anywhere_it_goes_on_with_the_same_command(
    line, expected, tmp_path, threads
) -> None:
    stages = ["pixels", "cells", "features", "topics", "memberships"]
    seen = []

    def tell(stage, fraction, text) -> None:
        if stages and stage == stages[0] and fraction > 0.0:
            seen.append(stages.pop(0))

    for number in range(1, 6):
        with pytest.raises(Cancelled, match="continues from here"):
            survey([line], tmp_path, threads, tell=tell, cancel=lambda n=number: len(seen) >= n)
    features = {path: path.stat().st_mtime_ns for path in (tmp_path / _STORE).glob("features-*")}
    assert len(features) == 12
    last: dict[str, float] = {}

    def note(stage, fraction, text) -> None:
        last.setdefault(stage, fraction)
        if stage == "memberships":
            assert {p: p.stat().st_mtime_ns for p in features} == features

    survey([line], tmp_path, threads, tell=note)
    require_same(read_maps(tmp_path), expected)


def test_other_settings_begin_anew(line, tmp_path, threads) -> None:
    with pytest.raises(Cancelled):
        survey([line], tmp_path, threads, cancel=lambda: any(tmp_path.glob(f"{_STORE}/features*")))
    old = {path.name for path in (tmp_path / _STORE).glob("features-*")}
    assert old
    with pytest.raises(Cancelled):
        run_survey([line], tmp_path, settings_from(**{**OPTIONS, "seed": 1}), threads, tile=TILE,
                   cancel=lambda: True)  # fmt: skip
    assert not list((tmp_path / _STORE).glob("features-*"))


def test_two_surveys_do_not_share_a_folder(line, tmp_path, threads) -> None:
    def tell(stage, fraction, text) -> None:
        if stage == "cells":
            with pytest.raises(PmldaError, match="Another survey is running"):
                survey([line], tmp_path, threads)
            raise Cancelled("seen")

    with pytest.raises(Cancelled, match="seen"):
        survey([line], tmp_path, threads, tell=tell)


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path) -> None:
    source = indexed(write_line(tmp_path / "line.tif"), ReadOptions())
    os.utime(tmp_path / "line.tif", ns=(1, 1))
    with pytest.raises(PmldaError, match=r"line\.tif has changed"):
        source.read(Window(0, 0, 4, 4))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"documents": "window"}, "divided by one of slic"),
        ({"lattice": 1}, "on a lattice"),
        ({"sampler": "paper"}, "on a lattice"),
        ({"sweeps": None, "seconds": 3.0}, "cannot be limited in seconds"),
        ({"features": "paper-sas-ripple"}, "feature ripple"),
    ],
)
def test_what_a_survey_cannot_do_is_said(line, tmp_path, threads, change, complaint) -> None:
    with pytest.raises(PmldaError, match=complaint):
        run_survey([line], tmp_path, settings_from(**{**OPTIONS, **change}), threads, tile=TILE)


def test_more_workers_than_memory_are_refused(monkeypatch) -> None:
    monkeypatch.setattr(workers, "available_memory", lambda: 2_000_000_000)
    check_memory(4, 500_000_000)
    with pytest.raises(PmldaError, match=r"5 workers with 0\.50 GB each .*: use 4\."):
        check_memory(5, 500_000_000)


def test_a_task_of_the_usual_size_takes_less_than_a_third_of_a_gigabyte() -> None:
    assert task_bytes(1) < 300_000_000


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the system does not say")
def test_a_tile_takes_no_more_memory_than_is_stated(tmp_path) -> None:
    side = tiled_preparation.TILE_ROWS + 2 * USUAL_MARGIN
    pixels = np.random.default_rng(0).random((side, side), dtype=np.float32)
    with rasterio.open(
        tmp_path / "line.tif", "w", driver="GTiff", height=side, width=side, count=1,
        dtype="float32", crs="EPSG:32618", transform=PLACE,
    ) as raster:  # fmt: skip
        raster.write(pixels, 1)
    command = [sys.executable, "-m", "tests.survey.tile_memory", str(tmp_path / "line.tif")]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    assert 100_000_000 < int(said.stdout) <= task_bytes(1)


def test_without_dask_own_threads_do_the_work(line, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(workers, "dask_is_there", lambda: False)
    arguments = ["survey", str(line), "--out", str(tmp_path), "--sweeps", "20",
                 "--features", "mean,std", "--document-count", "12"]  # fmt: skip
    assert main([*arguments, "--workers", "1"]) == 0
    said = capsys.readouterr()
    assert "dask.distributed is not part of this installation" in said.err
    assert "runs on 1 thread of this program" in said.err
    assert "line 1_memberships.tif" in said.out
    assert main([*arguments, "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert "install pmlda-gui[survey]" in capsys.readouterr().err
