"""Topics found in one image, used on another: they stay as they are, and the rest is unknown."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyogrio
import pytest
import rasterio

import pmlda_gui
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace import tiled_preparation
from pmlda_gui.workspace.batch.options import FurtherOptions, settings_from
from pmlda_gui.workspace.batch.segment import compute
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import DocumentChoice, prepare
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.session import Session, TopicLook
from pmlda_gui.workspace.topic_set import TopicSet, topics_bytes
from pmlda_gui.workspace.topic_source import topics_of
from tests.workspace.small_runs import LATTICE

SHAPE = (160, 170)
PATCH = (slice(60, 110), slice(60, 110))
QUICK: FurtherOptions = {"sweeps": 12, "document_count": 12, "threads": 1}


def scene(seed):
    return make_scene("demo", SHAPE, seed=seed).image


@cache
def found() -> tuple[TopicSet, np.ndarray]:
    """The topics of a scene, and the memberships they have there."""
    run = Run(
        prepare([scene(1)], LATTICE, DocumentChoice("slic", 12)), DEFAULT_PARAMETERS, threads=1
    )
    run.sweep(60)
    topics = topics_of(run, Session(topics=(TopicLook(1, "ripples", (9, 8, 7)),)))
    order = [run.topic_ids.index(each) for each in (1, 0, 2)]
    maps = run.segmentations()[0].memberships[order]
    run.close()
    return topics, maps


def with_patch():
    """Another scene with a texture that the first does not have: a bright checkerboard."""
    image = scene(2)
    rows, columns = np.mgrid[:50, :50]
    pixels = image.pixels.copy()
    pixels[PATCH] = np.where((rows + columns) % 2, 4.0, 0.1) * pixels.max()
    return Image(pixels, image.valid)


def test_on_their_own_scene_topics_give_the_same_maps_and_little_is_unknown():
    topics, maps = found()
    result = pmlda_gui.segment(scene(1), topics_from=topics, **QUICK)
    assert np.abs(result.memberships - maps).mean() < 0.03
    assert 0.01 <= result.unknown_fraction <= 0.05
    assert result.means == pytest.approx(topics.standardisation.invert(topics.mean_words))
    assert result.variance == topics.variance


def test_the_same_seabed_elsewhere_is_known_and_a_texture_never_seen_is_not():
    topics, _ = found()
    known = pmlda_gui.segment(scene(2), topics_from=topics, **QUICK)
    assert known.unknown_fraction < 0.10
    strange = pmlda_gui.segment(with_patch(), topics_from=topics, **QUICK)
    inner = strange.unknown[70:100, 70:100] < 0.02
    assert inner.mean() > 0.95
    far = strange.unknown[:40] < 0.02
    assert far.mean() < 0.15


def test_a_file_of_topics_gives_what_the_topics_themselves_give(tmp_path):
    topics, _ = found()
    path = tmp_path / "seabed.topics"
    path.write_bytes(topics_bytes(topics))
    one = pmlda_gui.segment(scene(2), topics_from=path, **QUICK)
    other = pmlda_gui.segment(scene(2), topics_from=topics, **QUICK)
    assert np.array_equal(one.memberships, other.memberships)
    assert np.array_equal(one.unknown, other.unknown)


@pytest.mark.filterwarnings("ignore:Dataset has no geotransform")
def test_results_are_written_with_names_colours_and_the_map_of_the_unknown(tmp_path):
    topics, _ = found()
    result = pmlda_gui.segment(with_patch(), topics_from=topics, out=tmp_path, **QUICK)
    with rasterio.open(tmp_path / "image_unknown.tif") as raster:
        assert raster.descriptions == ("unknown", "tail probability")
        marked, tail = raster.read()
        assert raster.tags()["UNKNOWN_BELOW"] == "0.02"
    assert np.array_equal(tail, result.unknown, equal_nan=True)
    assert np.array_equal(marked[np.isfinite(tail)] == 1, tail[np.isfinite(tail)] < 0.02)
    with rasterio.open(tmp_path / "image_memberships.tif") as raster:
        assert raster.descriptions == ("ripples", "topic 1", "topic 3")
    described = pyogrio.read_info(tmp_path / "image_polygons.gpkg", layer="topics")
    assert "unknown" in described["fields"]
    report = (tmp_path / "report.html").read_text()
    assert "of the area is unknown" in report
    # Without topics brought along, that map would belong to another run.
    pmlda_gui.segment(scene(2), out=tmp_path, features="mean,std", **QUICK)
    assert not (tmp_path / "image_unknown.tif").exists()


def test_large_images_are_done_tile_by_tile_with_the_same_unknown(monkeypatch):
    topics, _ = found()
    whole = pmlda_gui.segment(with_patch(), topics_from=topics, **QUICK)
    monkeypatch.setattr(tiled_preparation, "LARGEST_CORPUS", 1000)
    monkeypatch.setattr(tiled_preparation, "WORDS_FOR_TOPICS", 3000)
    monkeypatch.setattr(tiled_preparation, "TILE_ROWS", 64)
    monkeypatch.setattr(tiled_preparation, "TILE_COLUMNS", 64)
    tiled = pmlda_gui.segment(with_patch(), topics_from=topics, **QUICK)
    both = np.isfinite(whole.unknown) & np.isfinite(tiled.unknown)
    assert both.mean() > 0.95
    assert np.abs(whole.unknown - tiled.unknown)[both].mean() < 0.01


def test_what_contradicts_topics_brought_along_is_refused():
    topics, _ = found()
    for setting in ({"topics": 5}, {"features": "mean"}, {"feature_scale": 2.0}):
        with pytest.raises(PmldaError, match="come from the topics"):
            settings_from(topics_from=topics, **setting)
    with pytest.raises(PmldaError, match="'fast' only"):
        settings_from(topics_from=topics, sampler="paper")


def test_images_of_another_kind_are_refused_in_a_sentence():
    topics, _ = found()
    grey = scene(2)
    two = Image(grey.pixels, grey.valid, further=(grey.pixels,))
    with pytest.raises(PmldaError, match="open the same bands"):
        compute([two], settings_from(topics_from=topics, **QUICK))


def test_other_pixel_sizes_are_remarked_on():
    topics, _ = found()
    from dataclasses import replace

    image = replace(scene(2), pixel_size=2.0)
    settings = settings_from(topics_from=replace(topics, pixel_size=0.5), **QUICK)
    assert any("pixels of 2 m" in text for text in compute([image], settings).warnings)
