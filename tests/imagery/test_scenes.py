"""Made scenes keep their promises: true memberships, stated widths, stated speckle."""

import argparse
from pathlib import Path

import numpy as np
import pytest
import rasterio
from skimage.io import imread

from pmlda_gui.cli import scene as scene_command
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.scenes import (
    PIXEL_SIZE,
    SCENES,
    Bands,
    FlatSand,
    Ripples,
    Rock,
    SeabedSpec,
    SeaGrass,
    Transition,
    make_scene,
    make_survey,
)
from pmlda_gui.imagery.scenes.noise import smooth_noise, speckle

SMALL = (90, 80)


@pytest.mark.parametrize("name", SCENES)
def test_memberships_sum_to_one_on_valid_pixels_and_are_zero_elsewhere(name):
    scene = make_scene(name, SMALL)
    total = scene.memberships.sum(axis=0)
    assert scene.memberships.shape == (len(scene.topics), *SMALL)
    assert scene.memberships.dtype == scene.image.pixels.dtype == np.float32
    assert scene.memberships.min() >= 0
    np.testing.assert_allclose(total[scene.image.valid], 1, atol=1e-6)
    assert not total[~scene.image.valid].any()
    assert not scene.image.pixels[~scene.image.valid].any()
    assert np.isfinite(scene.image.pixels).all()


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 200), (200, 3)])
def test_every_scene_can_be_drawn_at_any_shape(name, shape):
    scene = make_scene(name, shape)
    assert scene.image.shape == shape
    assert np.isfinite(scene.image.pixels).all()


def test_the_catalogue_spans_crisp_to_very_wide_transitions():
    seabeds = [name for name, spec in SCENES.items() if isinstance(spec, SeabedSpec)]
    pure = {}
    for name in seabeds:
        memberships = make_scene(name, (300, 272)).memberships
        pure[name] = float((memberships.max(axis=0) > 0.95).mean())
    assert len(seabeds) >= 12
    assert pure["crisp-bands"] == 1
    assert pure["very-wide"] < 0.2
    assert pure["crisp-bands"] > pure["narrow-patches"] > pure["demo"] > pure["very-wide"]


@pytest.mark.parametrize("name", SCENES)
def test_every_topic_has_a_fair_share_of_its_scene(name):
    assert make_scene(name, (300, 272)).memberships.mean(axis=(1, 2)).min() > 0.1


def test_the_demo_shows_bright_sand_ripple_and_dark_sand():
    scene = make_scene("demo")
    assert scene.topics == ("bright sand", "ripple", "dark sand")
    assert scene.pixel_size == scene.image.pixel_size == PIXEL_SIZE == 0.025
    bright, ripple, dark = (
        scene.image.pixels[membership > 0.9].mean() for membership in scene.memberships
    )
    assert bright > ripple > dark


def test_equal_seeds_give_equal_scenes_and_others_differ():
    first, again, other = (make_scene("demo", SMALL, seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.image.pixels, again.image.pixels)
    np.testing.assert_array_equal(first.memberships, again.memberships)
    assert not np.array_equal(first.memberships, other.memberships)


@pytest.mark.parametrize("width", [8, 30, 31, 60])
def test_a_straight_boundary_becomes_a_centred_ramp_of_the_stated_width(width):
    labels = np.repeat((np.arange(200) >= 100)[None], 20, axis=0).astype(np.int64)
    membership = Transition(width).memberships(labels, 2, PIXEL_SIZE)[1, 10]
    assert (np.diff(membership) >= 0).all()
    mixed = int(((membership > 1e-6) & (membership < 1 - 1e-6)).sum())
    assert abs(mixed - width) <= 2
    assert membership.sum() == pytest.approx(100, abs=0.6)


def test_a_width_in_metres_is_that_many_pixels():
    labels = np.repeat((np.arange(120) >= 60)[None], 5, axis=0).astype(np.int64)
    metres = Transition(1.0, "metres").memberships(labels, 2, PIXEL_SIZE)
    pixels = Transition(40).memberships(labels, 2, PIXEL_SIZE)
    np.testing.assert_array_equal(metres, pixels)


def test_transitions_can_widen_across_the_scene():
    labels = np.repeat((np.arange(100) >= 50)[:, None], 300, axis=1).astype(np.int64)
    membership = Transition(0, far_width=60).memberships(labels, 2, PIXEL_SIZE)[0]
    mixed = ((membership > 0.01) & (membership < 0.99)).sum(axis=0)
    assert mixed[0] == 0
    assert 15 < mixed[150] < 35
    assert mixed[-1] > 45


def test_mean_amplitude_mixes_linearly_by_membership():
    levels = (0.6, 0.2)
    textures = tuple(FlatSand(f"sand {level}", level, mottle=0) for level in levels)
    spec = SeabedSpec("mix", "", textures, Bands(wander=0), Transition(120), grain=0)
    scene = make_scene(spec, (1500, 240))
    expected = np.tensordot(levels, scene.memberships.mean(axis=1), axes=1)
    np.testing.assert_allclose(scene.image.pixels.mean(axis=0), expected, rtol=0.06)


@pytest.mark.parametrize(("looks", "variation"), [(1, 0.5227), (2, 0.3630), (4, 0.2536)])
def test_speckle_has_mean_one_and_the_variation_of_its_looks(looks, variation):
    # Deviation over mean of a Rayleigh amplitude and its multi-look relatives.
    field = speckle((400, 400), looks, 0.55, np.random.default_rng(0))
    assert field.mean() == pytest.approx(1, abs=0.01)
    assert field.std() == pytest.approx(variation, rel=0.03)


def test_smooth_noise_has_unit_variance_and_the_stated_length():
    fields = [smooth_noise((120, 120), 20, np.random.default_rng(seed)) for seed in range(60)]
    stack = np.stack(fields)
    assert np.abs(stack.std(axis=0).mean() - 1) < 0.05
    near = (stack[:, :, :-4] * stack[:, :, 4:]).mean()
    far = (stack[:, :, :-90] * stack[:, :, 90:]).mean()
    assert near > 0.85
    assert abs(far) < 0.1


@pytest.mark.parametrize("texture", [FlatSand(), Ripples(), SeaGrass(), Rock()])
def test_a_texture_is_positive_and_at_its_level_on_average(texture):
    field = texture.backscatter((200, 180), PIXEL_SIZE, np.random.default_rng(1))
    assert field.dtype == np.float32
    assert field.min() > 0
    assert field.mean() == pytest.approx(texture.level, rel=1e-3)


def test_rock_casts_shadows_and_only_away_from_the_sonar():
    field = Rock().backscatter((300, 300), PIXEL_SIZE, np.random.default_rng(2))
    shadow = field == field.min()
    assert 0.05 < shadow[:, 30:].mean() < 0.6
    # Nothing stands between the sonar, at the left, and the first column.
    assert not shadow[:, 0].any()
    assert shadow[:, -1].any()


@pytest.mark.parametrize("direction", [0, 30, 90, -45])
def test_straight_ripples_have_the_stated_frequency_and_direction(direction):
    texture = Ripples(frequency=2.5, direction=direction, bend=0, fading=0)
    field = texture.backscatter((256, 256), PIXEL_SIZE, np.random.default_rng(0))
    power = np.abs(np.fft.fft2(field - field.mean())) ** 2
    row, column = np.unravel_index(np.argmax(power), power.shape)
    down, across = np.fft.fftfreq(256, PIXEL_SIZE)[[row, column]]
    assert np.hypot(down, across) == pytest.approx(2.5, abs=0.12)
    found = np.degrees(np.arctan2(down, across))
    assert abs((found - direction + 90) % 180 - 90) < 4


def test_fading_ripples_are_weaker_in_places_only():
    strong, faded = (
        Ripples(bend=0, fading=fading).backscatter((300, 300), 0.025, np.random.default_rng(5))
        for fading in (0.0, 0.9)
    )
    swing = [np.ptp(field.reshape(10, 30, 10, 30), axis=(1, 3)) for field in (strong, faded)]
    assert swing[1].min() < 0.5 * swing[0].min()
    assert swing[1].max() > 0.8 * swing[0].max()


def test_empty_borders_lie_at_the_sides_only():
    valid = make_scene("mosaic-edge", (200, 180)).image.valid
    assert 0.7 < valid.mean() < 0.95
    assert valid[:, 45:-45].all()
    assert (np.abs(np.diff(valid.astype(int), axis=1)).sum(axis=1) <= 2).all()


def test_a_survey_is_cut_from_one_stretch_of_seabed():
    scenes = make_survey(3, "demo", SMALL, seed=2)
    whole = make_scene("demo", (270, 80), seed=2)
    assert [scene.image.shape for scene in scenes] == [SMALL] * 3
    np.testing.assert_array_equal(
        np.concatenate([scene.image.pixels for scene in scenes]), whole.image.pixels
    )
    np.testing.assert_array_equal(
        np.concatenate([scene.memberships for scene in scenes], axis=1), whole.memberships
    )


def test_dusk_is_a_colour_picture_whose_glow_is_mirrored_in_the_sea():
    scene = make_scene("dusk", (160, 160))
    pixels = scene.image.pixels
    sky, glow, sea = (membership > 0.8 for membership in scene.memberships)
    assert scene.topics == ("sky", "glow", "sea")
    assert scene.image.is_colour
    assert scene.pixel_size is None
    assert pixels.min() >= 0
    assert pixels.max() <= 1
    assert pixels[glow].mean() > pixels[sky].mean() > pixels[sea].mean()
    reflection = scene.memberships[1, 110:130].mean(axis=0)
    assert abs(int(np.argmax(reflection)) - 88) < 12
    assert reflection.max() > 3 * np.median(reflection)


def test_what_cannot_be_drawn_is_refused_with_a_sentence():
    with pytest.raises(PmldaError, match="no scene called 'moon': choose one of demo"):
        make_scene("moon")
    with pytest.raises(PmldaError, match="0 x 5 pixels is empty"):
        make_scene("demo", (0, 5))
    with pytest.raises(PmldaError, match="too large"):
        make_scene("dusk", (100_000, 100_000))
    with pytest.raises(PmldaError, match="survey of 0 images"):
        make_survey(0)


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    scene_command.add_parser(parser.add_subparsers())
    parsed = parser.parse_args(["scene", *arguments])
    return parsed.run(parsed)


def test_the_command_writes_image_picture_and_truth(tmp_path: Path):
    out = tmp_path / "new" / "folder"
    arguments = ("mosaic-edge", "--out", str(out), "--size", "70x60", "--seed", "7")
    assert run_command(*arguments) == 0
    scene = make_scene("mosaic-edge", (70, 60), seed=7)
    valid = scene.image.valid
    with rasterio.open(out / "mosaic-edge.tif") as dataset:
        assert dataset.dtypes == ("float32",)
        assert dataset.res == (0.025, 0.025)
        assert dataset.crs.linear_units == "metre"
        np.testing.assert_array_equal(dataset.read_masks(1) > 0, valid)
        np.testing.assert_array_equal(dataset.read(1)[valid], scene.image.pixels[valid])
    with rasterio.open(out / "mosaic-edge_memberships.tif") as dataset:
        assert dataset.descriptions == scene.topics
        np.testing.assert_array_equal(dataset.read()[:, valid], scene.memberships[:, valid])
    picture = imread(out / "mosaic-edge.png")
    assert picture.dtype == np.uint8
    assert picture.shape == (70, 60)
    assert not picture[~valid].any()


def test_the_command_writes_colour_pictures_too(tmp_path: Path):
    assert run_command("dusk", "--out", str(tmp_path), "--size", "40x50") == 0
    assert imread(tmp_path / "dusk.png").shape == (40, 50, 3)
    with rasterio.open(tmp_path / "dusk.tif") as dataset:
        assert dataset.descriptions == ("red", "green", "blue")
        assert [each.name for each in dataset.colorinterp] == ["red", "green", "blue"]
    with rasterio.open(tmp_path / "dusk_memberships.tif") as dataset:
        assert dataset.descriptions == ("sky", "glow", "sea")
        assert dataset.colorinterp[0].name == "gray"


def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(PmldaError, match=r"folder .*taken cannot be created .*: choose another"):
        run_command("demo", "--out", str(tmp_path / "taken"), "--size", "8x8")


@pytest.mark.parametrize("size", ["600", "axb", "-1x5", "5x"])
def test_a_size_that_is_none_is_refused(tmp_path: Path, size, capsys):
    with pytest.raises(SystemExit):
        run_command("demo", "--out", str(tmp_path), f"--size={size}")
    assert "height and width" in capsys.readouterr().err
