"""FLICM, spatial FCM and smoothed peers: against plain loops over pixels, and what must hold."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.documents.documents import documents_from_labels
from pmlda_gui.imagery.words import Words, build_words
from pmlda_gui.peers import PEERS, SMOOTHED_PEERS, peer_named
from pmlda_gui.peers.fuzzy_c_means import FuzzyCMeans
from pmlda_gui.peers.method import Fit, run_method
from pmlda_gui.peers.pixel_grid import pixel_grid
from pmlda_gui.peers.smoothed import Smoothed, smoothed_maps
from pmlda_gui.peers.spatial_fuzzy import (
    Flicm,
    SpatialFuzzyCMeans,
    local_factors,
    neighbourhood_sums,
)
from tests.peers.small_words import SHAPE, blocks, three_bands


def flat_words(features: np.ndarray, side: int = 6) -> Words:
    return build_words([features], [blocks(side, features.shape[:2])])


def speckled(seed: int = 0) -> tuple[Words, np.ndarray]:
    """Two halves under so much noise that one pixel in ten looks like the other half; the truth."""
    rng = np.random.default_rng(seed)
    half = (np.arange(SHAPE[1]) >= SHAPE[1] // 2) * np.ones((SHAPE[0], 1), int)
    features = 2.0 * half[..., None] + 1.1 * rng.standard_normal((*SHAPE, 2))
    words = flat_words(features)
    return words, half.ravel()[words.sources]


def on_map(words: Words, values: np.ndarray) -> np.ndarray:
    (found,) = words.scatter(values)
    return found


def test_the_grid_holds_every_pixel_once_and_finds_the_words_again() -> None:
    features = np.arange(2 * 7 * 9, dtype=float).reshape(7, 9, 2)
    plain = flat_words(features, 3)
    overlapping = Words(
        np.concatenate([plain.words, plain.words[5:20]]),
        np.append(plain.offsets, plain.offsets[-1] + 15),
        np.concatenate([plain.sources, plain.sources[5:20]]),
        plain.shapes,
    )
    grid = pixel_grid(overlapping, 3)
    assert len(grid.table) == 63
    np.testing.assert_array_equal(grid.table[grid.of_words], overlapping.words)
    np.testing.assert_array_equal(grid.table[grid.canvas[:7]], features)
    assert (grid.canvas[7:] == -1).all()


def test_images_are_no_neighbours_of_each_other() -> None:
    features = [np.zeros((4, 5, 1)), np.ones((3, 7, 1))]
    words = build_words(features, [blocks(2, (4, 5)), blocks(2, (3, 7))])
    grid = pixel_grid(words, 2)
    sums = neighbourhood_sums(grid, grid.table, 5)
    assert not sums[grid.table[:, 0] == 0.0].any()
    # The middle of the second image sees all three rows and five columns.
    assert sums.max() == 15.0


@pytest.mark.parametrize(("side", "m"), [(3, 2.0), (5, 1.5)])
def test_neighbourhoods_are_those_of_a_plain_loop_over_valid_pixels(side: int, m: float) -> None:
    rng = np.random.default_rng(1)
    labels = np.zeros((9, 8), np.int32)
    labels[2:4, 3:6] = -1
    words = build_words([rng.random((9, 8, 2))], [documents_from_labels("grid", labels, 1, 0)])
    grid = pixel_grid(words, side)
    shares = rng.dirichlet(np.ones(3), len(grid.table))
    squares = rng.random((len(grid.table), 3))
    factors, sums = np.zeros_like(shares), np.zeros_like(shares)
    reach = side // 2
    for row, column in itertools.product(range(9), range(8)):
        for down, across in itertools.product(range(-reach, reach + 1), repeat=2):
            near = (row + down, column + across)
            if not (0 <= near[0] < 9 and 0 <= near[1] < 8):
                continue
            here, there = grid.canvas[row, column], grid.canvas[near]
            if here < 0 or there < 0:
                continue
            sums[here] += shares[there]
            if here != there:
                distance = np.hypot(down, across)
                factors[here] += (1 - shares[there]) ** m * squares[there] / (distance + 1)
    np.testing.assert_allclose(neighbourhood_sums(grid, shares, side), sums)
    np.testing.assert_allclose(local_factors(grid, shares, squares, m, side), factors)


def test_one_pixel_of_flicm_by_hand() -> None:
    """Three pixels in a row at 0, 1 and 4, means at 0 and 4, m = 2.

    By distance alone u of the middle one is 9/10, 1/10 (squares 1, 9).  The left pixel has
    u = 1, 0 and the right one 0, 1, each next to it, so G of the middle is
    (1 - 1)^2 0 / 2 + (1 - 0)^2 16 / 2 = 8 for the first topic and, for the second,
    (1 - 0)^2 16 / 2 + 0 = 8.
    """
    words = flat_words(np.array([[[0.0], [1.0], [4.0]]]), 3)
    grid = pixel_grid(words, 3)
    squares = np.array([[0.0, 16.0], [1.0, 9.0], [16.0, 0.0]])
    shares = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    factors = local_factors(grid, shares, squares, 2.0, 3)
    np.testing.assert_allclose(factors[1], [8.0, 8.0])
    # The ends see only the middle: (1 - .9)^2 1 / 2 and (1 - .1)^2 9 / 2.
    np.testing.assert_allclose(factors[0], [0.005, 3.645])
    fit = next(iter(Flicm().fit(words, 2, 0)))
    assert fit.memberships.shape == (3, 2)


@pytest.mark.parametrize(
    "method",
    [Flicm(tolerance=1e-9, most_steps=2000), SpatialFuzzyCMeans(tolerance=1e-9, most_steps=2000)],
)
def test_where_it_settles_another_step_changes_nothing(method) -> None:
    words, _ = three_bands(noise=0.6)
    fit = run_method(method, words, 3)
    assert fit.diagnostics["settled"]
    grid = pixel_grid(words, method.side)
    shares = np.empty((len(grid.table), 3))
    shares[grid.of_words] = fit.memberships
    squares = ((grid.table[:, None] - fit.means[None]) ** 2).sum(axis=2)
    if isinstance(method, Flicm):
        expected = 1.0 / (squares + local_factors(grid, shares, squares, 2.0, 3))
    else:
        alone = 1.0 / squares
        alone /= alone.sum(axis=1, keepdims=True)
        expected = alone * neighbourhood_sums(grid, alone, 5)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, expected, atol=1e-6)
    weights = shares**2
    np.testing.assert_allclose(
        fit.means, weights.T @ grid.table / weights.sum(axis=0)[:, None], atol=1e-6
    )


def test_without_a_say_of_the_neighbours_spatial_fcm_is_fuzzy_c_means() -> None:
    words, _ = three_bands(noise=0.8)
    plain = run_method(FuzzyCMeans(2.0, tolerance=1e-9), words, 3)
    alone = run_method(SpatialFuzzyCMeans(neighbours=0.0, tolerance=1e-9), words, 3)
    np.testing.assert_allclose(alone.means, plain.means, atol=1e-6)
    np.testing.assert_allclose(alone.memberships, plain.memberships, atol=1e-6)


@pytest.mark.parametrize("method", [Flicm(), SpatialFuzzyCMeans(), Smoothed(FuzzyCMeans(), 5)])
def test_pixels_that_look_wrong_are_put_right_by_their_neighbours(method) -> None:
    words, truth = speckled()

    def wrong(fit: Fit) -> float:
        labels = fit.memberships.argmax(axis=1)
        return min(float((labels != truth).mean()), float((labels == truth).mean()))

    plain = wrong(run_method(FuzzyCMeans(), words, 2))
    assert plain > 0.05
    assert wrong(run_method(method, words, 2)) < 0.5 * plain


@pytest.mark.parametrize("method", [Flicm(), SpatialFuzzyCMeans(), Smoothed(FuzzyCMeans(), 5)])
def test_how_pixels_are_divided_into_documents_does_not_matter(method) -> None:
    rng = np.random.default_rng(3)
    features = rng.standard_normal((*SHAPE, 2)) + 3.0 * (np.indices(SHAPE)[1] > 12)[..., None]
    start = np.array([[0.0, 0.0], [3.0, 3.0]])
    maps = []
    for side in (4, 12):
        words = flat_words(features, side)
        with pytest.MonkeyPatch.context() as patch:
            for module in ("spatial_fuzzy", "fuzzy_c_means"):
                patch.setattr(f"pmlda_gui.peers.{module}.start_means", lambda *_: start.copy())
            maps.append(on_map(words, run_method(method, words, 2).memberships))
    np.testing.assert_allclose(maps[0], maps[1], atol=1e-6)


@pytest.mark.parametrize("kind", [Flicm, SpatialFuzzyCMeans])
def test_settings_that_mean_nothing_are_refused(kind) -> None:
    with pytest.raises(PmldaError, match="must be more than 1"):
        kind(fuzzifier=1.0)
    with pytest.raises(PmldaError, match="odd number"):
        kind(side=4)
    with pytest.raises(PmldaError, match="wider than 0"):
        Smoothed(kind(), 0.0)


def test_smoothing_is_a_gaussian_of_half_the_window() -> None:
    maps = np.zeros((2, 41, 41))
    maps[0, 20, 20] = 1.0
    maps[1] = 1.0 - maps[0]
    blurred = smoothed_maps(maps, 3.0)
    np.testing.assert_allclose(blurred[0], gaussian_filter(maps[0], 3.0), atol=1e-4)
    words, _ = three_bands()
    fit = run_method(Smoothed(FuzzyCMeans(), 8.0), words, 3)
    plain = run_method(FuzzyCMeans(), words, 3)
    expected = smoothed_maps(on_map(words, plain.memberships), 4.0)
    np.testing.assert_allclose(on_map(words, fit.memberships), expected, atol=1e-9)
    np.testing.assert_array_equal(fit.means, plain.means)


def test_pixels_without_memberships_lend_nothing_and_stay_empty() -> None:
    maps = np.full((2, 30, 30), 0.5)
    maps[:, :, :8] = np.nan
    maps[0, :, 8:], maps[1, :, 8:] = 0.8, 0.2
    blurred = smoothed_maps(maps, 4.0)
    assert np.isnan(blurred[:, :, :8]).all()
    np.testing.assert_allclose(blurred[0, :, 8:], 0.8, atol=1e-12)
    np.testing.assert_allclose(blurred[1, :, 8:], 0.2, atol=1e-12)


def test_every_peer_has_a_smoothed_relative_with_a_title_that_says_so() -> None:
    assert len(SMOOTHED_PEERS) == len(PEERS)
    for plain, name in zip(PEERS, SMOOTHED_PEERS, strict=True):
        method = peer_named(name, 31)
        assert isinstance(method, Smoothed)
        assert method.window == 31
        assert method.name == name
        assert method.title == f"{peer_named(plain).title}, smoothed"
    with pytest.raises(PmldaError, match=r"no method 'som\+smooth'.*with \+smooth"):
        peer_named("som+smooth")
