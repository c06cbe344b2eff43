"""Random seabeds: a number gives one scene for ever, and the scenes differ in every way."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.scenes import (
    PIXEL_SIZE,
    Blended,
    make_scene,
    random_name,
    random_number,
    random_seabed,
)
from pmlda_gui.imagery.scenes.more_textures import DriftingRipples, Gravel, Mottled, SandWaves

TEXTURES = (Gravel(), SandWaves(), Mottled(), DriftingRipples())


def test_a_number_gives_the_same_seabed_again_and_another_number_another() -> None:
    first, again, other = (make_scene(random_name(n), (60, 55)) for n in (7, 7, 8))
    assert np.array_equal(first.image.pixels, again.image.pixels)
    assert first.topics != other.topics
    assert random_number(random_name(7)) == 7
    assert random_number("demo") is None


def test_memberships_sum_to_one_on_valid_pixels() -> None:
    for number in range(12):
        scene = make_scene(random_name(number), (60, 55))
        sums = scene.memberships.sum(axis=0)
        assert np.allclose(sums[scene.image.valid], 1.0, atol=1e-5)
        assert np.isfinite(scene.image.pixels).all()


def test_random_seabeds_cover_what_images_may_show() -> None:
    specs = [random_seabed(number) for number in range(60)]
    assert {len(spec.textures) for spec in specs} == {2, 3, 4, 5}
    assert {spec.looks for spec in specs} == {1, 2, 3, 4}
    assert {spec.scale for spec in specs} == {0.5, 1.0, 2.0}
    assert {isinstance(spec.mixing, Blended) for spec in specs} == {True, False}
    widths = [spec.transition.width for spec in specs]
    assert min(widths) == 0.0
    assert max(widths) > 120.0
    assert any(spec.near_gain > 1.3 for spec in specs)
    names = [[texture.name for texture in spec.textures] for spec in specs]
    assert all(len(set(each)) == len(each) for each in names)


@pytest.mark.parametrize("texture", TEXTURES, ids=lambda texture: texture.name)
def test_a_texture_has_its_level_on_average_and_is_nowhere_dark(texture: Gravel) -> None:
    drawn = texture.backscatter((200, 180), PIXEL_SIZE, np.random.default_rng(1))
    assert drawn.mean() == pytest.approx(texture.level, rel=1e-3)
    assert drawn.min() > 0.0
    assert drawn.std() > 0.05 * texture.level


def test_ripples_drift_from_short_to_long() -> None:
    drawn = DriftingRipples(wavelength=0.5, drift=2.0, bend=0.0).backscatter(
        (1, 1200), PIXEL_SIZE, np.random.default_rng(0)
    )[0]
    crossings = np.flatnonzero(np.diff(np.sign(drawn - drawn.mean())))
    early, late = np.diff(crossings[:8]).mean(), np.diff(crossings[-8:]).mean()
    assert late / early == pytest.approx(2.0, rel=0.15)


def test_sand_waves_have_a_gentle_and_a_steep_side() -> None:
    drawn = SandWaves(steep=0.2, bend=0.0).backscatter(
        (1, 1120), PIXEL_SIZE, np.random.default_rng(0)
    )[0]
    assert np.mean(np.diff(drawn) > 0.0) == pytest.approx(0.8, abs=0.05)


def test_a_name_that_is_no_number_is_refused() -> None:
    with pytest.raises(PmldaError, match="no scene called 'random-x'"):
        make_scene("random-x", (20, 20))
