"""Topics from all words: as good as from a few thousand, and the same bits whoever holds them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import rasterio

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.metrics import membership_error
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.survey import all_words, run_survey
from pmlda_gui.survey.workers import Workers
from pmlda_gui.workspace.batch.options import settings_from
from tests.survey.survey_scenes import OPTIONS, SETTINGS, TILE, read_maps, require_same, write_line


@pytest.fixture(scope="module")
def lines(tmp_path_factory) -> list[Path]:
    folder = tmp_path_factory.mktemp("lines")
    return [
        write_line(folder / "line 1.tif"),
        write_line(folder / "line 2.tif", seed=1, shape=(100, 110)),
        write_line(folder / "line 3.tif", seed=2, shape=(90, 120)),
    ]


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(all_words, "WORDS_PER_SHARD", 150)


def survey(lines, out: Path, threads: int, **more):
    with ThreadPoolExecutor(threads) as pool:
        workers = Workers(pool, threads, "")
        return run_survey(lines, out, SETTINGS, workers, tile=TILE, all_words=True, **more)


def test_one_thread_or_three_give_the_same_bits(lines, tmp_path, monkeypatch) -> None:
    placed = []
    original = all_words._here
    monkeypatch.setattr(
        all_words, "_here", lambda count, tasks: placed.append(tasks) or original(count, tasks)
    )
    outcome = survey(lines, tmp_path / "1", 1)
    survey(lines, tmp_path / "3", 3)
    require_same(read_maps(tmp_path / "3"), read_maps(tmp_path / "1"))
    parts = [[(part.image, part.end - part.first) for part in task.parts] for task in placed[0]]
    assert len(parts) >= 4
    assert any(len({image for image, _ in each}) > 1 for each in parts), "small images together"
    assert outcome.result.settings["all_words"] is True
    assert outcome.result.sweeps == SETTINGS.sweeps


def test_the_error_is_that_of_the_ordinary_chain(tmp_path) -> None:
    scene = make_scene("wide-bands", (420, 400), seed=4)
    path = tmp_path / "scene.tif"
    with rasterio.open(
        path, "w", driver="GTiff", height=420, width=400, count=1, dtype="float32",
        crs="EPSG:32618", transform=rasterio.Affine(0.5, 0, 6e5, 0, -0.5, 4.7e6),
    ) as raster:  # fmt: skip
        raster.write(scene.image.pixels.astype(np.float32), 1)
    settings = settings_from(features="seabed", sweeps=120)
    errors = {}
    for which in (False, True):
        with ThreadPoolExecutor(1) as pool:
            workers = Workers(pool, 1, "")
            run_survey([path], tmp_path / str(which), settings, workers, all_words=which)
        maps = read_maps(tmp_path / str(which))["scene_memberships"]
        errors[which] = membership_error(scene.memberships, maps)
    assert errors[True] == pytest.approx(errors[False], abs=0.005)
    assert errors[True] < 0.1


def test_stopped_while_it_learns_it_goes_on_with_the_same_bits(lines, tmp_path) -> None:
    survey(lines, tmp_path / "known", 1)
    seen = []

    def tell(stage, fraction, text) -> None:
        if stage == "topics" and "words" in text and text.startswith("7 sweeps over"):
            seen.append(text)

    with pytest.raises(Cancelled):
        survey(lines, tmp_path / "out", 2, tell=tell, cancel=lambda: bool(seen))
    survey(lines, tmp_path / "out", 2)
    require_same(read_maps(tmp_path / "out"), read_maps(tmp_path / "known"))


def test_what_all_words_do_not_give_is_said(lines, tmp_path) -> None:
    for change in ({"estimate": "map"}, {"chains": 2}):
        settings = settings_from(**{**OPTIONS, **change})
        with ThreadPoolExecutor(1) as pool, pytest.raises(PmldaError, match="one chain"):
            run_survey(lines, tmp_path, settings, Workers(pool, 1, ""), all_words=True)
