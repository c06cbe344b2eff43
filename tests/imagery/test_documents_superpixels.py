"""Superpixels end where the seabed changes, and not at the speckle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.documents import make_documents
from pmlda_gui.imagery.documents.appearance import appearance, masked_mean
from pmlda_gui.imagery.documents.texture_boundaries import (
    boundary_strength,
    half_disc_spans,
    raise_strength,
)
from pmlda_gui.imagery.image import Image

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SHAPE = (240, 240)


def speckled(clean: NDArray[np.float64]) -> Image:
    speckle = np.random.default_rng(3).rayleigh(0.8, clean.shape)
    return Image((clean * speckle).astype(np.float32), np.ones(clean.shape, dtype=bool))


def impurity(labels: NDArray[np.int32], truth: NDArray[np.bool_]) -> float:
    """The share of pixels outside the majority of their document."""
    sizes = np.bincount(labels.ravel())
    inside = np.bincount(labels.ravel(), weights=truth.ravel())
    return float(np.minimum(inside, sizes - inside).sum() / labels.size)


def slanted_half() -> NDArray[np.bool_]:
    rows, columns = np.indices(SHAPE)
    return columns + 0.4 * rows > 154.0


@pytest.mark.parametrize("kind", ["slic", "ncut", "texture"])
def test_superpixels_follow_a_slanted_edge_that_a_grid_cuts_across(kind: str) -> None:
    half = slanted_half()
    image = speckled(np.where(half, 2.5, 1.0))
    squares = impurity(make_documents(image, "grid", 48).labels, half)
    found = impurity(make_documents(image, kind, 48).labels, half)
    # A grid of 34 pixel squares misplaces between 3 and 4 % of these pixels.
    assert squares > 0.03
    assert found < 0.3 * squares


@pytest.mark.parametrize("kind", ["slic", "ncut", "texture"])
def test_superpixels_part_ripples_from_flat_sand_of_the_same_brightness(kind: str) -> None:
    half = slanted_half()
    columns = np.indices(SHAPE)[1]
    image = speckled(1.5 + np.where(half, np.sin(2 * np.pi * columns / 8), 0.0))
    squares = impurity(make_documents(image, "grid", 48).labels, half)
    assert impurity(make_documents(image, kind, 48).labels, half) < 0.7 * squares


def test_colours_of_equal_lightness_are_parted() -> None:
    half = slanted_half()
    pixels = np.where(half[..., None], [0.8, 0.2, 0.5], [0.2, 0.8, 0.5]).astype(np.float32)
    image = Image(pixels, np.ones(SHAPE, dtype=bool))
    assert impurity(make_documents(image, "slic", 36).labels, half) < 0.005


def test_what_lies_under_the_mask_changes_nothing() -> None:
    valid = np.ones(SHAPE, dtype=bool)
    valid[80:120, 60:180] = False
    clean = speckled(np.where(slanted_half(), 2.5, 1.0)).pixels
    spoilt = np.where(valid, clean, np.float32(1e6))
    for kind in ("slic", "ncut", "texture"):
        honest = make_documents(Image(clean * valid, valid), kind, 20).labels
        assert np.array_equal(make_documents(Image(spoilt, valid), kind, 20).labels, honest)


def test_a_masked_mean_of_a_constant_is_that_constant_up_to_the_mask_s_edge() -> None:
    valid = np.random.default_rng(0).random((30, 30)) < 0.6
    means = masked_mean(np.full((30, 30), 3.0, dtype=np.float32), valid, 2.0)
    assert np.allclose(means[valid], 3.0, rtol=1e-5)
    assert np.all(means[~valid] == 0)


def test_an_image_without_contrast_has_an_even_appearance() -> None:
    image = Image(np.full((20, 20), 5.0, dtype=np.float32), np.ones((20, 20), dtype=bool))
    assert np.all(appearance(image, image.valid, 1.0) == 0)


@pytest.mark.parametrize("angle", [0.0, 0.4, np.pi / 2, 2.5])
def test_half_discs_mirror_each_other_and_leave_out_the_line(angle: float) -> None:
    radius = 6
    spans = half_disc_spans(radius, angle)
    halves = [
        {
            (row - radius, column)
            for row in range(2 * radius + 1)
            for column in range(spans[half, row, 0], spans[half, row, 1] + 1)
        }
        for half in range(2)
    ]
    assert {(-row, -column) for row, column in halves[0]} == halves[1]
    assert not halves[0] & halves[1]
    assert len(halves[0]) > 0.4 * np.pi * radius**2
    for row, column in halves[0]:
        assert row * np.cos(angle) - column * np.sin(angle) > 0


def plain_difference(
    levels: NDArray[np.int8], level_count: int, spans: NDArray[np.int64], row: int, column: int
) -> float:
    """The chi-square distance between two half-discs at one pixel, without any sliding."""
    radius = spans.shape[1] // 2
    histograms = np.zeros((2, len(levels), level_count))
    for half in range(2):
        for offset, (first, last) in enumerate(spans[half], start=row - radius):
            for other in range(column + first, column + last + 1):
                if 0 <= offset < levels.shape[1] and 0 <= other < levels.shape[2]:
                    for texture, level in enumerate(levels[:, offset, other]):
                        histograms[half, texture, level] += level >= 0
    held = histograms[:, 0].sum(axis=1)
    size = np.maximum(0, spans[0, :, 1] - spans[0, :, 0] + 1).sum()
    if levels[0, row, column] < 0 or held.min() < size / 4:
        return 0.0
    one, two = histograms / held[:, None, None]
    return float(((one - two) ** 2 / np.maximum(one + two, 1e-300)).sum() / (2 * len(levels)))


@pytest.mark.parametrize("angle", [0.0, 0.7, np.pi / 2])
def test_sliding_half_discs_count_what_plain_ones_count(angle: float) -> None:
    generator = np.random.default_rng(8)
    levels = generator.integers(0, 4, (2, 14, 17)).astype(np.int8)
    levels[:, generator.random((14, 17)) < 0.3] = -1
    spans = half_disc_spans(4, angle)
    strength = np.zeros((14, 17), dtype=np.float32)
    raise_strength(levels, 4, spans, strength)
    expected = [
        [plain_difference(levels, 4, spans, row, column) for column in range(17)]
        for row in range(14)
    ]
    assert np.allclose(strength, expected, rtol=1e-5, atol=1e-7)


def test_the_boundary_strength_peaks_on_the_edge_between_two_textures() -> None:
    columns = np.indices(SHAPE)[1]
    image = speckled(np.where(columns >= 120, 2.5, 1.0))
    strength = boundary_strength(image, image.valid, side=20.0, progress=Progress())
    profile = strength[20:-20].mean(axis=0)
    assert abs(int(profile.argmax()) - 120) <= 2
    assert profile.max() > 2 * profile[[40, 80, 160, 200]].max()


def test_large_half_discs_see_the_same_edge_in_fewer_pixels() -> None:
    columns = np.indices((200, 200))[1]
    image = speckled(np.where(columns >= 100, 2.5, 1.0))
    strength = boundary_strength(image, image.valid, side=80.0, progress=Progress())
    assert strength.shape == (200, 200)
    assert abs(int(strength[60:-60].mean(axis=0).argmax()) - 100) <= 4


@pytest.mark.skipif(not SHARED.exists(), reason="the real imagery is not here")
@pytest.mark.parametrize("kind", ["slic", "ncut", "texture"])
def test_the_paper_s_sonar_image_gets_two_hundred_superpixels(kind: str) -> None:
    from scipy.io import loadmat

    pixels = loadmat(SHARED / "paper" / "hf00.mat")["I"].astype(np.float32)
    image = Image(pixels, np.ones(pixels.shape, dtype=bool))
    documents = make_documents(image, kind, 200)
    assert documents.count == 200
    # Superpixels hold together what is alike: the brightness differs more between
    # documents than between the squares of a grid.
    between = {}
    for name in (kind, "grid"):
        labels = make_documents(image, name, 200).labels.ravel()
        means = np.bincount(labels, weights=pixels.ravel()) / np.bincount(labels)
        between[name] = means[labels].var()
    assert between[kind] > 1.1 * between["grid"]
