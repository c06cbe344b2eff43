"""Scenes of other physics: patches, uneven kinds, gain, looks, resolution; old ones unchanged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.imagery.scenes import (
    PIXEL_SIZE,
    REPORTING,
    SCENES,
    SEABEDS,
    TUNING,
    Bands,
    Blended,
    DuskSpec,
    FlatSand,
    Interleaved,
    Patches,
    Ripples,
    Rock,
    SeabedSpec,
    SeaGrass,
    Transition,
    Uneven,
    make_scene,
)
from pmlda_gui.imagery.scenes.other_physics import OTHER_PHYSICS

# Mean of the pixels, and sums of pixels and memberships weighted by sin(0), sin(1), ...,
# of each scene of the first release at 90 x 80 pixels, seed 3.
FINGERPRINTS = {
    "demo": (0.385696, 16.8302, 0.8965),
    "crisp-bands": (0.369652, -1.7869, 0.6247),
    "crisp-patches": (0.359863, -20.8105, -9.5625),
    "narrow-patches": (0.374958, 7.2944, 0.5333),
    "rock-outcrop": (0.398136, 18.0730, 0.8994),
    "grass-and-sand": (0.252219, 3.3491, 0.6947),
    "ripple-island": (0.402577, -13.3797, 0.8919),
    "diagonal-ripple": (0.397751, 2.1815, 1.3509),
    "four-seabeds": (0.364228, 22.0255, -0.5607),
    "two-ripples": (0.336892, -21.4976, 0.7078),
    "widening": (0.403621, -7.0458, 1.8489),
    "wide-bands": (0.365655, -8.4554, 0.8381),
    "wide-grass": (0.377388, 24.4426, 0.3991),
    "very-wide": (0.384255, -13.4264, 0.6084),
    "mosaic-edge": (0.325255, -1.6176, -0.8637),
    "dusk": (0.370307, 1.3899, 1.3914),
    "dusk-low-sun": (0.312132, -1.5916, 1.5671),
    "dusk-haze": (0.428811, 1.7247, 1.3974),
}


def waved(values: np.ndarray) -> float:
    """A sum that changes when any value does."""
    return float(values.astype(np.float64).ravel() @ np.sin(np.arange(values.size)))


@pytest.mark.parametrize("name", FINGERPRINTS)
def test_the_first_scenes_keep_their_pixels_because_their_figures_are_published(name: str) -> None:
    scene = make_scene(name, (90, 80), seed=3)
    mean, pixels, memberships = FINGERPRINTS[name]
    assert scene.image.pixels.mean() == pytest.approx(mean, abs=2e-6)
    assert waved(scene.image.pixels) == pytest.approx(pixels, abs=1e-3)
    assert waved(scene.memberships) == pytest.approx(memberships, abs=1e-3)


def test_the_halves_share_out_the_seabeds_and_every_pair_of_like_physics() -> None:
    assert not set(TUNING) & set(REPORTING)
    assert {*TUNING, *REPORTING} == set(SEABEDS)
    assert set(SEABEDS) == {n for n, spec in SCENES.items() if not isinstance(spec, DuskSpec)}
    assert abs(len(TUNING) - len(REPORTING)) <= 1
    for half in (TUNING, REPORTING):
        specs = [spec for spec in OTHER_PHYSICS if spec.name in half]
        assert sum(isinstance(spec.mixing, Interleaved) for spec in specs) >= 4
        assert {spec.scale for spec in specs} == {0.5, 1.0, 2.0}
        assert any(spec.near_gain != 1.0 for spec in specs)
        assert any(spec.looks > 2 for spec in specs)
        assert any(isinstance(kind, Uneven) for spec in specs for kind in spec.textures)
        assert {len(spec.textures) for spec in specs} >= {2, 3, 4}


def test_ripples_in_the_catalogue_range_from_6_to_40_pixels() -> None:
    lengths = [
        1.0 / (kind.frequency * PIXEL_SIZE)
        for spec in OTHER_PHYSICS
        for kind in (getattr(each, "texture", each) for each in spec.textures)
        if isinstance(kind, Ripples)
    ]
    assert min(lengths) == pytest.approx(6.0)
    assert max(lengths) == pytest.approx(40.0)


def even(topics: int, shape: tuple[int, int]) -> np.ndarray:
    return np.full((topics, *shape), 1.0 / topics, np.float32)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.1, 0.9), (0.2, 0.3, 0.5)])
def test_patches_cover_the_share_that_the_memberships_say(shares: tuple[float, ...]) -> None:
    memberships = np.ones((len(shares), 400, 400), np.float32)
    memberships *= np.array(shares, np.float32)[:, None, None]
    weights = Interleaved(5).weights(memberships, 1.0, np.random.default_rng(0))
    assert set(np.unique(weights)) == {0.0, 1.0}
    np.testing.assert_array_equal(weights.sum(axis=0), 1.0)
    np.testing.assert_allclose(weights.mean(axis=(1, 2)), shares, atol=0.02)


@pytest.mark.parametrize(("patch", "scale"), [(6.0, 1.0), (20.0, 1.0), (10.0, 2.0)])
def test_a_patch_has_the_stated_mean_length(patch: float, scale: float) -> None:
    kinds = Interleaved(patch).weights(even(2, (500, 500)), scale, np.random.default_rng(1))[0]
    changes = np.abs(np.diff(kinds, axis=0)).sum() + np.abs(np.diff(kinds, axis=1)).sum()
    assert 2 * kinds.size / changes == pytest.approx(patch * scale, rel=0.12)


def test_pure_ground_stays_pure_whatever_the_mixing() -> None:
    pure = np.zeros((3, 40, 50), np.float32)
    pure[1] = 1.0
    for mixing in (Blended(), Interleaved(8)):
        weights = mixing.weights(pure, 1.0, np.random.default_rng(0))
        np.testing.assert_array_equal(weights, pure)


def test_the_truth_of_interleaved_kinds_is_the_smooth_membership() -> None:
    spec = SCENES["flecked-sand"]
    assert isinstance(spec, SeabedSpec)
    patches, blended = (
        replace(spec, mixing=mixing).make((200, 180), 1) for mixing in (spec.mixing, Blended())
    )
    np.testing.assert_array_equal(patches.memberships, blended.memberships)
    mixed = patches.memberships.max(axis=0) < 0.7
    # Bright or dark, not in between, so amplitudes within transitions spread further.
    assert patches.image.pixels[mixed].std() > 1.1 * blended.image.pixels[mixed].std()


def test_gain_falls_from_the_near_side_to_the_far_side_and_has_mean_one() -> None:
    plain = SeabedSpec(
        "gain", "", (FlatSand(mottle=0), FlatSand("b", mottle=0)), Bands(), Transition(0)
    )
    strong = replace(plain, near_gain=2.0)
    ratio = strong.make((60, 300), 0).image.pixels / plain.make((60, 300), 0).image.pixels
    np.testing.assert_allclose(ratio, np.broadcast_to(ratio[:1], ratio.shape), rtol=1e-4)
    assert ratio.mean() == pytest.approx(1.0, abs=1e-3)
    assert ratio[0, :20].mean() / ratio[0, -20:].mean() == pytest.approx(2.0, rel=0.3)
    # Smooth: no column differs from the next by more than a few thousandths.
    assert np.abs(np.diff(ratio[0])).max() < 0.01


def dominant_frequency(field: np.ndarray) -> float:
    """Cycles per pixel."""
    power = np.abs(np.fft.fft2(field - field.mean())) ** 2
    row, column = np.unravel_index(np.argmax(power), power.shape)
    return float(np.hypot(np.fft.fftfreq(len(field))[row], np.fft.fftfreq(field.shape[1])[column]))


def test_at_twice_the_resolution_ripples_and_transitions_take_twice_the_pixels() -> None:
    ripples = Ripples(frequency=2.5, bend=0, fading=0)
    spec = SeabedSpec(
        "scaled", "", (ripples, FlatSand(level=1e-3)), Bands(wander=0), Transition(1.0, "metres")
    )
    for scale, wave, width in ((0.5, 8.0, 20), (1.0, 16.0, 40), (2.0, 32.0, 80)):
        scene = replace(spec, scale=scale).make((256, 512), 0)
        assert scene.pixel_size == pytest.approx(PIXEL_SIZE / scale)
        assert 1.0 / dominant_frequency(scene.image.pixels[:, :192]) == pytest.approx(wave, rel=0.1)
        mixed = ((scene.memberships[0, 0] > 1e-6) & (scene.memberships[0, 0] < 1 - 1e-6)).sum()
        assert abs(int(mixed) - width) <= 2


def test_a_scene_may_keep_the_size_of_its_pixels_to_itself() -> None:
    spec = SCENES["half-resolution-unstated"]
    assert spec.make((40, 40), 0).pixel_size is None


@pytest.mark.parametrize("kind", [FlatSand(), Ripples(), SeaGrass(), Rock()])
def test_an_uneven_kind_keeps_its_level_and_stays_positive(kind) -> None:
    texture = Uneven(kind, shading=0.2, strength=0.4, stretch=0.3)
    field = texture.backscatter((200, 180), PIXEL_SIZE, np.random.default_rng(1))
    assert texture.name == kind.name
    assert field.shape == (200, 180)
    assert field.dtype == np.float32
    assert field.min() > 0
    assert field.mean() == pytest.approx(kind.level, rel=1e-3)


def blocks(field: np.ndarray, side: int = 50) -> np.ndarray:
    rows, columns = (size // side for size in field.shape)
    return field[: rows * side, : columns * side].reshape(rows, side, columns, side)


def test_each_way_of_being_uneven_does_what_it_says() -> None:
    def drawn(**swings: float) -> np.ndarray:
        kind = Uneven(Ripples(frequency=4.0, bend=0, fading=0), **swings)
        return blocks(kind.backscatter((400, 400), PIXEL_SIZE, np.random.default_rng(2)))

    def spread(values: np.ndarray) -> float:
        return float(values.std() / values.mean())

    plain, shaded, weak, stretched = (
        drawn(), drawn(shading=0.3), drawn(strength=0.5), drawn(stretch=0.3)
    )  # fmt: skip
    assert spread(plain.mean(axis=(1, 3))) < 0.03 < 0.15 < spread(shaded.mean(axis=(1, 3)))
    assert spread(plain.std(axis=(1, 3))) < 0.03 < 0.2 < spread(weak.std(axis=(1, 3)))

    def lengths(field: np.ndarray) -> np.ndarray:
        tiles = field.transpose(0, 2, 1, 3).reshape(-1, 50, 50)
        return np.array([1.0 / dominant_frequency(tile) for tile in tiles])

    assert np.ptp(lengths(plain)) < 1.5
    assert np.ptp(lengths(stretched)) > 4.0


def test_patches_also_mix_in_layouts_with_many_kinds() -> None:
    kinds = tuple(FlatSand(f"sand {n}", level=0.1 * n + 0.1, mottle=0) for n in range(5))
    spec = SeabedSpec("five", "", kinds, Patches(0.5), Transition(60), mixing=Interleaved(6))
    scene = make_scene(spec, (240, 220))
    expected = np.tensordot([kind.level for kind in kinds], scene.memberships, axes=1)
    assert scene.image.pixels.mean() == pytest.approx(float(expected.mean()), rel=0.05)
