"""Hints from and to files: shapes of a GeoPackage, label rasters, on the command line too."""

from __future__ import annotations

import sqlite3
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyogrio
import pytest
from PIL import Image as Picture

import pmlda_gui
from pmlda_gui.cli import main
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace import tiled_preparation
from pmlda_gui.workspace.hint_files import hints_package, hints_raster, read_hints
from pmlda_gui.workspace.hints import PaintedHint
from pmlda_gui.workspace.shown_topics import default_topic, looks_of
from pmlda_gui.workspace.strokes import painted
from pmlda_gui.workspace.topic_naming import topics_for_names
from tests.workspace.small_runs import field_run
from tests.workspace.synthetic_results import UTM, synthetic_image

Array = np.ndarray
NAMES = {3: "sand", 5: "ripple"}


def some_hints(image: Image) -> list[PaintedHint]:
    ring = np.zeros(image.shape, np.bool_)
    ring[5:15, 4:20] = True
    ring[8:11, 9:13] = False
    two = np.zeros(image.shape, np.bool_)
    two[20:23, 3:9] = two[26:28, 12:15] = True
    return [
        PaintedHint(0, np.flatnonzero(ring).astype(np.int32), 5, 10.0),
        PaintedHint(0, np.flatnonzero(two).astype(np.int32), 3, 3.0, against=True),
    ]


def pixels(strokes: tuple, image: Image, topic: int, against: bool) -> set[int]:
    found = painted(strokes, [image.shape])
    return {
        int(pixel)
        for hint in found
        if hint.topic == topic and hint.against == against
        for pixel in hint.pixels
    }


@pytest.mark.parametrize("georeferenced", [True, False])
def test_a_package_brings_the_very_pixels_back(tmp_path: Path, georeferenced: bool) -> None:
    image = (
        synthetic_image(georeference=UTM) if georeferenced else make_scene("demo", (40, 40)).image
    )
    hints = some_hints(image)
    path = tmp_path / "hints.gpkg"
    path.write_bytes(hints_package(image, hints, NAMES))
    found = read_hints(path, [image], ["sand", "ripple"])
    assert found.names == ("sand", "ripple")
    assert {stroke.strength for stroke in found.strokes} == {10.0, 3.0}
    assert pixels(found.strokes, image, 1, False) == set(hints[0].pixels.tolist())
    assert pixels(found.strokes, image, 0, True) == set(hints[1].pixels.tolist())


def _wkb(points: list[tuple[float, float]]) -> bytes:
    return struct.pack("<I", len(points)) + np.array(points, "<f8").tobytes()


def test_shapes_of_another_program_are_found_in_their_own_reference_system(tmp_path: Path) -> None:
    image = synthetic_image(georeference=UTM)
    assert image.georeference is not None
    a, _, c, _, e, f = image.georeference.transform
    x, y = (lambda column: c + column * a), (lambda row: f + row * e)
    corners = [(x(2), y(4)), (x(10), y(4)), (x(10), y(12)), (x(2), y(12)), (x(2), y(4))]
    drawn = [
        struct.pack("<BII", 1, 3, 1) + _wkb(corners),
        struct.pack("<BI", 1, 2) + _wkb([(x(2), y(20)), (x(12), y(20))]),
        struct.pack("<BI2d", 1, 1, x(15), y(6)),
    ]
    path = tmp_path / "drawn.gpkg"
    pyogrio.raw.write(
        path, np.array(drawn, object), [np.array(["Ripple", "2", "ripple"], object)], ["Topic"],
        geometry_type="Unknown", crs=image.georeference.crs, layer="mine", driver="GPKG",
    )  # fmt: skip
    found = read_hints(path, [image])
    assert found.names == ("topic 1", "topic 2", "Ripple")
    kinds = [(stroke.kind, stroke.topic) for stroke in found.strokes]
    assert kinds == [("polygon", 2), ("brush", 1), ("brush", 2)]
    mask = np.zeros(image.shape, np.bool_)
    mask[4:12, 2:10] = True
    assert set(np.flatnonzero(mask)) <= pixels(found.strokes, image, 2, False)


def test_a_label_raster_is_read_and_written(tmp_path: Path) -> None:
    image = make_scene("demo", (40, 40)).image
    labels = hints_raster(image, some_hints(image), {3: 0, 5: 1})
    assert set(np.unique(labels)) == {0, 2}
    labels[30:35, 30:35] = 1
    Picture.fromarray(labels).save(tmp_path / "labels.png")
    found = read_hints(tmp_path / "labels.png", [image], ["sand", "ripple"])
    assert found.names == ("sand", "ripple")
    for topic in (0, 1):
        there = set(np.flatnonzero(labels == topic + 1).tolist())
        assert pixels(found.strokes, image, topic, False) == there
    other = np.where(labels == 2, 255, np.where(labels == 1, 127, 0)).astype(np.uint8)
    Picture.fromarray(other).save(tmp_path / "other.png")
    assert read_hints(tmp_path / "other.png", [image]).names == ("label 127", "label 255")


def test_files_that_are_no_hints_are_refused_in_a_sentence(tmp_path: Path) -> None:
    image = make_scene("demo", (40, 40)).image
    with pytest.raises(PmldaError, match="cannot be read"):
        read_hints(tmp_path / "none.gpkg", [image])
    (tmp_path / "odd.gpkg").write_bytes(b"SQLite format 3\0" + b"x" * 200)
    with pytest.raises(PmldaError, match="damaged"):
        read_hints(tmp_path / "odd.gpkg", [image])
    Picture.fromarray(np.ones((20, 40), np.uint8)).save(tmp_path / "small.png")
    with pytest.raises(PmldaError, match="no image has"):
        read_hints(tmp_path / "small.png", [image])
    content = hints_package(image, some_hints(image), NAMES)
    (tmp_path / "hints.gpkg").write_bytes(content)
    with sqlite3.connect(tmp_path / "hints.gpkg") as database:
        database.execute("ALTER TABLE hints RENAME COLUMN topic TO kind")
    with pytest.raises(PmldaError, match="column 'topic'"):
        read_hints(tmp_path / "hints.gpkg", [image])
    placed = synthetic_image(georeference=UTM)
    (tmp_path / "earth.gpkg").write_bytes(hints_package(placed, some_hints(placed), NAMES))
    with pytest.raises(PmldaError, match="no place on the Earth"):
        read_hints(tmp_path / "earth.gpkg", [image])


# -- segment --hints -------------------------------------------------------------------------


@pytest.fixture
def taught(tmp_path: Path) -> tuple[Image, Path, Array]:
    """A scene, a label raster that says its middle topic is the second, and that topic's map."""
    scene = make_scene("four-seabeds", (200, 180), seed=2)
    truth = scene.memberships
    labels = np.zeros(truth.shape[1:], np.uint8)
    # In an order of our own: the numbers must be those of the raster.
    for number, topic in enumerate((2, 0, 3, 1), 1):
        labels[(truth[topic] > 0.97) & (np.indices(labels.shape).sum(axis=0) % 40 < 12)] = number
    Picture.fromarray(labels).save(tmp_path / "taught.png")
    return scene.image, tmp_path / "taught.png", truth[[2, 0, 3, 1]]


def agreement(maps: Array, truth: Array) -> float:
    return float(np.mean(np.nan_to_num(maps).argmax(axis=0) == truth.argmax(axis=0)))


def test_topics_of_a_segmentation_are_those_of_the_hints(taught: tuple) -> None:
    image, path, truth = taught
    found = pmlda_gui.segment(image, 4, hints=path, sweeps=80)
    assert agreement(found.memberships, truth) > 0.7
    with pytest.raises(PmldaError, match="--topics 4"):
        pmlda_gui.segment(image, 3, hints=path)
    with pytest.raises(PmldaError, match="knows no hints"):
        pmlda_gui.segment(image, 4, hints=path, sampler="paper")


def test_large_images_heed_hints_tile_by_tile(
    taught: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    image, path, truth = taught
    monkeypatch.setattr(tiled_preparation, "LARGEST_CORPUS", 10_000)
    monkeypatch.setattr(tiled_preparation, "WORDS_FOR_TOPICS", 30_000)
    monkeypatch.setattr(tiled_preparation, "TILE_ROWS", 64)
    found = pmlda_gui.segment(image, 4, hints=path, sweeps=80)
    assert agreement(found.memberships, truth) > 0.7
    labels = np.asarray(Picture.open(path))
    for number in (1, 2, 3, 4):
        # Painted pixels themselves have the hint, in the tiles too.
        assert np.nanmean(found.memberships[number - 1][labels == number]) > 0.8


def test_the_command_line_names_topics_by_the_hints(tmp_path: Path) -> None:
    scene = make_scene("demo", (120, 100), seed=1)
    np.save(tmp_path / "line.npy", scene.image.pixels)
    hints = [
        PaintedHint(0, np.argsort(maps, axis=None)[-200:].astype(np.int32), topic)
        for topic, maps in enumerate(scene.memberships)
    ]
    names = {0: "rock", 1: "sand", 2: "ripple"}
    (tmp_path / "hints.gpkg").write_bytes(hints_package(scene.image, hints, names))
    out = tmp_path / "out"
    said = ["segment", str(tmp_path / "line.npy"), "--out", str(out), "--sweeps", "20", "--quiet"]
    assert main([*said, "--hints", str(tmp_path / "hints.gpkg")]) == 0
    table = (out / "topics.csv").read_text()
    assert [name in table for name in ("ripple", "rock", "sand")] == [True] * 3
    assert '"hints": "hints.gpkg"' in (out / "report.json").read_text()
    assert main([*said, "--hints", str(tmp_path / "none.gpkg")]) == 2


def test_names_in_a_file_go_to_the_topics_that_lie_there() -> None:
    begun = field_run(20)
    maps = begun.maps()
    assert maps is not None
    looks = looks_of(begun.topic_ids, [replace(default_topic(0), name="mud")])
    best = np.nan_to_num(maps.memberships).argmax(axis=0)
    # The file calls the third topic gravel, and knows nothing of the second.
    where = np.flatnonzero(best == begun.topic_ids.index(2)).astype(np.int32)
    hints = [PaintedHint(0, where, len(looks))]
    named = topics_for_names(["mud", "topic 2", "topic 3", "gravel"], looks, hints, begun)
    assert (named[-1].id, named[-1].name) == (2, "gravel")
    with pytest.raises(PmldaError, match="only 2 topics have no name"):
        topics_for_names(["mud", "topic 2", "topic 3", "a", "b", "c"], looks, hints, begun)
