"""A survey with topics found before: they stay as they are, and what fits none is mapped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rasterio

from pmlda_gui.cli import main
from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.readers import open_image
from pmlda_gui.survey import run_survey
from pmlda_gui.survey.workers import Workers
from pmlda_gui.workspace import tiled_preparation
from pmlda_gui.workspace.batch.options import settings_from
from pmlda_gui.workspace.batch.segment import compute, open_sources
from pmlda_gui.workspace.batch.settings import Settings
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.session import Session, TopicLook
from pmlda_gui.workspace.topic_set import TopicSet, topics_bytes
from pmlda_gui.workspace.topic_source import topics_of
from tests.survey.survey_scenes import TILE, read_maps, require_same, write_line

PATCH = np.s_[130:200, 90:180]


@pytest.fixture(scope="module")
def line(tmp_path_factory) -> Path:
    """A line with a texture that no other has: a bright checkerboard."""
    path = write_line(tmp_path_factory.mktemp("lines") / "line 1.tif")
    with rasterio.open(path, "r+") as raster:
        pixels = raster.read(1)
        rows, columns = np.mgrid[:70, :90]
        pixels[PATCH] = np.where((rows + columns) % 2, 4.0, 0.1) * pixels.max()
        raster.write(pixels, 1)
    return path


@pytest.fixture(scope="module")
def topics(tmp_path_factory) -> TopicSet:
    """The topics of another line."""
    image = open_image(write_line(tmp_path_factory.mktemp("before") / "line 0.tif", seed=3))
    choice = FeatureChoice(("mean", "std", "gabor_3", "gabor_6"), window=15)
    run = Run(prepare([image], choice, DocumentChoice("slic", 12)), DEFAULT_PARAMETERS, threads=1)
    run.sweep(60)
    found = topics_of(run, Session(topics=(TopicLook(1, "ripples", (9, 8, 7)),)))
    run.close()
    return found


@pytest.fixture(scope="module")
def settings(topics) -> Settings:
    return settings_from(topics_from=topics, sweeps=20)


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield Workers(pool, 2, "")


def test_maps_and_the_unknown_are_those_of_segment(
    line, topics, settings, tmp_path, threads, monkeypatch
) -> None:
    found = run_survey([line], tmp_path, settings, threads, tile=TILE)
    monkeypatch.setattr(tiled_preparation, "LARGEST_CORPUS", 10_000)
    monkeypatch.setattr(tiled_preparation, "TILE_ROWS", TILE)
    monkeypatch.setattr(tiled_preparation, "TILE_COLUMNS", TILE)
    known = compute(open_sources([line]), settings).images[0]
    maps = read_maps(tmp_path)
    mine = found.result.images[0].segmentation
    assert mine.means == pytest.approx(topics.standardisation.invert(topics.mean_words))
    assert found.result.topic_names == ("ripples", "topic 1", "topic 3")
    marked, tail = maps["line 1_unknown"]
    for tile in known.tiles():
        _, height, width = tile.memberships.shape
        part = np.s_[tile.row : tile.row + height, tile.column : tile.column + width]
        assert np.array_equal(np.isnan(tail[part]), np.isnan(tile.unknown))
        assert np.nanmean(np.abs(tail[part] - tile.unknown)) < 0.01
        assert np.nanmean(np.abs(maps["line 1_memberships"][:, *part] - tile.memberships)) < 0.01
    valid = np.isfinite(tail)
    assert np.array_equal(marked[valid], (tail < 0.02)[valid].astype(np.float32))
    assert marked[140:190, 100:170].mean() > 0.95
    assert np.nanmean(marked[:100]) < 0.15
    assert any("of the area is unknown" in text for text in found.result.warnings)


def test_what_is_too_large_for_one_file_has_tiles_of_the_unknown_too(
    line, settings, tmp_path, threads
) -> None:
    one = run_survey([line], tmp_path / "one", settings, threads, tile=TILE)
    assert tmp_path / "one" / "line 1_unknown.tif" in one.written
    many = tmp_path / "many"
    run_survey([line], many, settings, threads, tile=TILE, largest_raster=1000)
    require_same(read_maps(many, "vrt"), read_maps(tmp_path / "one"))
    with rasterio.open(many / "line 1_tiles" / "96_96_unknown.tif") as tile:
        assert tile.descriptions == ("unknown", "tail probability")
        assert tile.tags()["UNKNOWN_BELOW"] == "0.02"
    # Maps of the unknown do not stay beside those of a survey that does not know of any.
    own = settings_from(features="mean,std", sweeps=20, document_count=12)
    run_survey([line], many, own, threads, tile=TILE)
    assert not list(many.glob("*_unknown.*")) + list(many.glob("*.vrt"))


def test_other_topics_begin_a_new_survey(line, topics, settings, tmp_path, threads) -> None:
    with pytest.raises(Cancelled):
        run_survey([line], tmp_path, settings, threads, tile=TILE,
                   cancel=lambda: any(tmp_path.glob(".pmlda-survey/features*")))  # fmt: skip
    others = replace(topics, variance=2.0 * topics.variance)
    with pytest.raises(Cancelled):
        run_survey([line], tmp_path, replace(settings, given=others), threads, tile=TILE,
                   cancel=lambda: True)  # fmt: skip
    assert not list((tmp_path / ".pmlda-survey").glob("features-*"))


def test_images_of_another_kind_are_refused_with_a_sentence(line, topics, tmp_path, threads):
    bands = replace(topics, levels=topics.levels * 2)
    with pytest.raises(PmldaError, match="found in 2 bands, but these images have 1"):
        run_survey([line], tmp_path, settings_from(topics_from=bands), threads, tile=TILE)


def test_the_command_takes_a_file_of_topics(line, topics, tmp_path, capsys) -> None:
    path = tmp_path / "seabed.topics"
    path.write_bytes(topics_bytes(topics))
    out = tmp_path / "out"
    command = ["survey", str(line), "--out", str(out), "--topics-from", str(path),
               "--sweeps", "20", "--workers", "1"]  # fmt: skip
    assert main(command) == 0
    said = capsys.readouterr()
    assert "line 1_unknown.tif" in said.out
    assert "of the area is unknown" in said.err
    assert main([*command, "--features", "mean"]) == 2
    assert "come from the topics file" in capsys.readouterr().err
