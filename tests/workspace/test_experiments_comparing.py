"""Methods run side by side on prepared images, and the plates they are shown on."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image as Pillow

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.experiments.comparing import (
    Topics,
    comparison_plate,
    comparison_table,
    mixed_share,
    write_comparison,
)
from pmlda_gui.experiments.drawing import Box, Drawing, Line, Picture, Text, wrapped
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.peers.scoring import Truth
from pmlda_gui.workspace.comparison import (
    METHODS,
    MethodResult,
    Update,
    compare_methods,
    default_parameters,
)
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, Prepared, prepare

SVG = "{http://www.w3.org/2000/svg}"


@cache
def prepared() -> Prepared:
    images = [make_scene("demo", (66, 60), seed=seed).image for seed in (0, 1)]
    return prepare(images, FeatureChoice(("mean", "std"), 9), DocumentChoice("grid", 12))


@cache
def results() -> tuple[MethodResult, ...]:
    found = compare_methods(prepared(), ("pmlda", "fcm", "kmeans"), default_parameters(3), 15)
    return tuple(found)


def test_all_methods_run_on_the_same_images_and_give_the_same_kind_of_result() -> None:
    found = compare_methods(prepared(), METHODS, default_parameters(3), sweeps=5)
    assert [result.name for result in found] == list(METHODS)
    for result in found:
        assert [each.memberships.shape for each in result.segmentations] == [(3, 66, 60)] * 2
        for each in result.segmentations:
            np.testing.assert_allclose(each.memberships.sum(axis=0), 1.0, atol=1e-5)
            assert each.feature_names == ("mean", "std")


def test_topics_stand_in_the_order_of_the_first_methods() -> None:
    first, *others = results()
    for result in others:
        for mine, other in zip(first.segmentations, result.segmentations, strict=True):
            overlap = np.minimum(mine.memberships[:, None], other.memberships[None]).sum((2, 3))
            orders = list(permutations(range(3)))
            shared = [sum(overlap[k, order[k]] for k in range(3)) for order in orders]
            assert orders[int(np.argmax(shared))] == (0, 1, 2)


def test_whoever_watches_sees_maps_of_every_method() -> None:
    seen: dict[str, list[float]] = {}
    shapes = set()

    def watch(update: Update) -> None:
        seen.setdefault(update.name, []).append(update.fraction)
        if len(seen[update.name]) == 2:
            shapes.update(each.memberships.shape for each in update.segmentations())

    compare_methods(prepared(), ("pmlda", "lda"), default_parameters(3), sweeps=4, watch=watch)
    assert shapes == {(3, 66, 60)}
    for fractions in seen.values():
        assert fractions == sorted(fractions)
        assert fractions[-1] == 1.0


@pytest.mark.parametrize("name", ["pmlda", "fcm"])
def test_a_comparison_stops_when_it_is_told_to(name: str) -> None:
    with pytest.raises(Cancelled):
        compare_methods(
            prepared(), [name], default_parameters(3), progress=Progress(is_cancelled=lambda: True)
        )


@pytest.mark.parametrize(
    ("names", "sentence"), [(["som"], "no method 'som'"), ([], "No method was chosen")]
)
def test_methods_that_are_not_there_are_refused(names: list[str], sentence: str) -> None:
    with pytest.raises(PmldaError, match=sentence):
        compare_methods(prepared(), names, default_parameters(3))


def test_crisp_methods_have_no_mixed_pixels_and_soft_ones_do() -> None:
    pmlda, fcm, kmeans = results()
    assert mixed_share(kmeans.segmentations[0]) == 0.0
    assert mixed_share(fcm.segmentations[0]) > 0.05
    assert mixed_share(pmlda.segmentations[0]) > 0.05


def test_the_table_has_a_row_for_each_image_and_method_with_all_its_columns() -> None:
    truth = Truth(make_scene("demo", (66, 60), seed=0).memberships)
    table = comparison_table(["a", "b"], [truth, None], results())
    assert [row[:2] for row in table.rows[:3]] == [["a", "pmlda"], ["a", "fcm"], ["a", "kmeans"]]
    assert len(table.head) == 4 + 2 + 3 + 3 + 3
    assert {len(row) for row in table.rows[:3]} == {len(table.head)}
    assert {len(row) for row in table.rows[3:]} == {4}


def test_a_strip_fills_a_line_for_each_method() -> None:
    rng = np.random.default_rng(0)
    pixels = rng.gamma(2.0, 1.0, (20, 400)).astype(np.float32)
    pixels[:, 200:] *= 3
    strip = Image(pixels, np.ones((20, 400), np.bool_))
    made = prepare([strip], FeatureChoice(("mean",), 5), DocumentChoice("grid", 20))
    found = compare_methods(made, ("kmeans", "fcm"), default_parameters(2))
    plate = comparison_plate("strip", strip, None, found, 0)
    pictures = [thing for thing in plate.things if isinstance(thing, Picture)]
    assert len(pictures) == 3
    assert all(picture.width > 20 * picture.height * 0.95 for picture in pictures)


def test_a_plate_takes_the_names_and_colours_it_is_given() -> None:
    colours = np.array([[250, 0, 0], [0, 250, 0], [0, 0, 250]], np.uint8)
    looks = Topics(["sand", "rock", "grass"], colours)
    plate = comparison_plate("scene", prepared().images[0], None, results()[2:], 0, looks)
    words = [thing.text for thing in plate.things if isinstance(thing, Text)]
    assert {"sand", "rock", "grass"} <= set(words)
    *_, crisp, _bar = [thing for thing in plate.things if isinstance(thing, Picture)]
    assert np.isin(crisp.pixels.reshape(-1, 3), colours).all()


def test_no_image_is_written_over(tmp_path: Path) -> None:
    first, second = prepared().images
    images = [
        replace(first, source=tmp_path / "a.png"),
        replace(second, source=tmp_path / "a_compared.png"),
    ]
    with pytest.raises(PmldaError, match=r"written over a_compared\.png itself"):
        write_comparison(tmp_path, images, [None, None], results())
    assert not list(tmp_path.iterdir())


def test_both_files_show_the_same_drawing() -> None:
    drawing = Drawing(200, 100)
    red = np.zeros((4, 5, 3), np.uint8)
    red[..., 0] = 200
    drawing.add(
        Picture(10, 20, 50, 40, red),
        Box(100, 20, 30, 30, (0, 90, 0)),
        Line(((150.0, 10.0), (150.0, 90.0)), (0, 0, 250), 6.0),
        Text(10, 95, "5 < 6 & more", 14),
    )
    with Pillow.open(io.BytesIO(drawing.to_png())) as png:
        assert png.size == (200, 100)
        assert png.getpixel((30, 40)) == (200, 0, 0)
        assert png.getpixel((115, 35)) == (0, 90, 0)
        assert png.getpixel((150, 50)) == (0, 0, 250)
        assert png.getpixel((80, 10)) == (255, 255, 255)
    root = ElementTree.fromstring(drawing.to_svg())
    assert [root.find(f"{SVG}text").text] == ["5 < 6 & more"]  # type: ignore[union-attr]
    assert {child.tag.removeprefix(SVG) for child in root} == {"rect", "image", "polyline", "text"}


def test_long_text_is_broken_between_words_and_nothing_is_lost() -> None:
    text = "memberships approach the proportions of their document as the scaling grows"
    lines = wrapped(text, 14, 120)
    assert len(lines) > 2
    assert " ".join(lines) == text
