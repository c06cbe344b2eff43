"""Maps of words given draws of the globals: against quadrature, and against the chain itself."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core import Chain, Corpus, Parameters, PmldaError
from pmlda_gui.core.field import Influence
from pmlda_gui.core.map_pass import MapResult, Places, map_estimate, map_mean
from pmlda_gui.core.related_models import topic_weights
from pmlda_gui.core.simulate import draw_log_dirichlet
from pmlda_gui.core.state import Globals
from pmlda_gui.core.thread_pool import ThreadPool
from tests.core.geweke import LineLayout

Array = np.ndarray
BOUND = 4.5
TWO = np.array([[0.0, 0.3, 1.0], [1.5, 0.0, -0.5]])
THREE = np.array([[0.0, 0.0], [2.0, 0.2], [0.4, 1.7]])


def globals_of(means: Array, variance: float, concentration: Array) -> Globals:
    scaling = concentration.sum(axis=1)
    return Globals(concentration / scaling[:, None], scaling, means, variance)


def places_in(cells: Array) -> Places:
    """Words that lie each in the middle of one cell."""
    corners = np.zeros((4, len(cells)), np.int32)
    corners[0] = cells
    shares = np.zeros((4, len(cells)), np.float32)
    shares[0] = 1.0
    return Places(corners, shares)


def mapped(
    words: Array, cells: Array, draws: list[Globals], fuzzifier: float, seed: int, **more: object
) -> MapResult:
    found = map_mean(
        np.ascontiguousarray(words.T, np.float32), places_in(cells),
        np.array([draw.concentration for draw in draws]), draws, fuzzifier, seed, ThreadPool(1),
        **more,  # type: ignore[arg-type]
    )  # fmt: skip
    assert found is not None
    return found


def quadrature(
    word: Array, a: Array, means: Array, variance: float, fuzzifier: float
) -> tuple[Array, Array]:
    """Mean and standard deviation (K) of z given all else, on a grid of logits."""
    if len(a) == 2:
        logit = np.linspace(-60.0 / min(a.min(), 1.0), 60.0 / min(a.min(), 1.0), 6001)
        logs = -np.logaddexp(0.0, np.stack([-logit, logit], axis=1))
    else:
        side = np.linspace(-40.0, 40.0, 321)
        first, second = np.meshgrid(side, side)
        raw = np.stack([first.ravel(), second.ravel(), np.zeros(first.size)], axis=1)
        logs = raw - np.logaddexp.reduce(raw, axis=1)[:, None]
    # In logits the Jacobian turns z^(a - 1) into z^a.
    squares = np.sum((word - topic_weights(logs, fuzzifier) @ means) ** 2, axis=1)
    density = logs @ a - 0.5 * squares / variance
    odds = np.exp(density - density.max())
    odds /= odds.sum()
    z = np.exp(logs)
    mean = odds @ z
    return mean, np.sqrt(odds @ (z - mean) ** 2)


@pytest.mark.parametrize("fuzzifier", [1.0, 2.0, -1.0])
@pytest.mark.parametrize("means", [TWO, THREE], ids=["K = 2", "K = 3"])
def test_a_map_given_one_draw_is_that_of_quadrature(means: Array, fuzzifier: float) -> None:
    """Many sweeps, so that what is left is Monte Carlo error: ten independent maps tell it."""
    topics, features = means.shape
    rng = np.random.default_rng(51)
    words = rng.dirichlet(np.ones(topics), 12) @ means + 0.3 * rng.standard_normal((12, features))
    cells = np.arange(12) % 3
    concentration = np.array([[2.0, 3.0, 1.5], [0.7, 0.9, 1.2], [8.0, 1.0, 4.0]])[:, :topics]
    draw = globals_of(means, 0.15, concentration)
    maps = [mapped(words, cells, [draw], fuzzifier, seed, sweeps=1500) for seed in range(10)]
    found = np.array([each.memberships for each in maps])
    error = np.maximum(found.std(axis=0, ddof=1) / np.sqrt(10), 2e-4)
    for n in range(12):
        mean, deviation = quadrature(words[n], concentration[cells[n]], means, 0.15, fuzzifier)
        # Ten maps make a t distribution of nine degrees of freedom.
        assert np.abs((found[:, :, n].mean(axis=0) - mean) / error[:, n]).max() < 7.0
        spread = np.mean([each.deviation[:, n] for each in maps], axis=0)
        np.testing.assert_allclose(spread, deviation, rtol=0.06, atol=0.002)


def test_the_usual_map_is_near_that_of_quadrature() -> None:
    """Sixteen sweeps from the prior's mean: what an operator sees given one draw.

    Measured by the posterior's standard deviation the error is that of a handful of
    independent draws, and there is no shift of all words together over many seeds.
    """
    rng = np.random.default_rng(52)
    words = rng.dirichlet(np.ones(3), 40) @ THREE + 0.3 * rng.standard_normal((40, 2))
    concentration = np.array([[0.8, 0.6, 1.0]])
    draw = globals_of(THREE, 0.15, concentration)
    exact = [quadrature(word, concentration[0], THREE, 0.15, 1.0) for word in words]
    mean = np.array([each[0] for each in exact]).T
    deviation = np.array([each[1] for each in exact]).T
    away = np.array(
        [
            mapped(words, np.zeros(40, int), [draw], 1.0, seed).memberships - mean
            for seed in range(60)
        ]
    )
    relative = away / deviation
    assert np.sqrt(np.mean(relative**2)) < 0.33
    assert np.sqrt(np.mean(relative.mean(axis=0) ** 2)) < 0.08


def test_a_single_sample_is_a_draw_from_the_posterior() -> None:
    words = np.tile([[0.6, 0.5]], (1, 1))
    concentration = np.array([[1.2, 0.8, 1.0]])
    draw = globals_of(THREE, 0.15, concentration)
    drawn = np.array(
        [
            mapped(words, np.zeros(1, int), [draw], 1.0, seed, sweeps=1).memberships[:, 0]
            for seed in range(1500)
        ]
    )
    mean, deviation = quadrature(words[0], concentration[0], THREE, 0.15, 1.0)
    error = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    np.testing.assert_allclose(drawn.sum(axis=1), 1.0, atol=1e-6)
    assert np.abs((drawn.mean(axis=0) - mean) / error).max() < BOUND
    np.testing.assert_allclose(drawn.std(axis=0), deviation, rtol=0.1)


def test_words_between_cells_have_the_concentration_between_theirs() -> None:
    """A word halfway between two cells is that of a cell with the mean concentration."""
    two = np.array([[6.0, 0.5], [1.0, 2.5]])
    word = np.array([[0.7, 0.1, 0.2]])
    draw = globals_of(TWO, 0.15, two)
    corners = np.array([[0], [1], [0], [0]], np.int32)
    shares = np.array([[0.25], [0.75], [0.0], [0.0]], np.float32)
    columns = np.ascontiguousarray(word.T, np.float32)
    found = map_mean(
        columns, Places(corners, shares), draw.concentration[None], [draw], 1.0, 3, ThreadPool(1)
    )
    middle = globals_of(TWO, 0.15, np.array([0.25 * two[0] + 0.75 * two[1]]))
    assert found is not None
    np.testing.assert_allclose(
        found.memberships, mapped(word, np.zeros(1, int), [middle], 1.0, 3).memberships, rtol=1e-5
    )


def test_a_map_of_many_draws_is_the_chains_own_marginal() -> None:
    """Of the words that are learned from, maps given draws of the globals have the chain's law.

    The globals were learned with these very words, so p(z | globals, words) averaged over
    draws of the globals is the marginal that the chain itself averages.
    """
    parameters = Parameters(2, rate=0.7, smoothness=0.7, coupling=1.0)
    rng = np.random.default_rng(53)
    influence = LineLayout().influence(0.7)
    a = influence.spread(np.array([[3.0, 0.6], [1.0, 1.0], [0.5, 2.5]]))
    logs = draw_log_dirichlet(rng, a.T)
    words = np.exp(logs) @ np.array([[0.0, 0.0], [3.0, 1.0]]) + 0.3 * rng.standard_normal((9, 2))
    corpus = Corpus(words, [0, 3, 4, 9], layout=LineLayout())
    chain = Chain(corpus, parameters, seed=54, threads=1)
    chain.sweep(200)
    weights = np.zeros((3, 9))
    for d in range(3):
        mine = slice(influence.starts[d], influence.starts[d + 1])
        weights[d, influence.members[mine]] = influence.acts[mine]
    places = Places(
        np.vstack([np.tile(np.arange(3)[:, None], 9), np.zeros((1, 9))]).astype(np.int32),
        np.vstack([weights, np.zeros((1, 9))]).astype(np.float32),
    )
    columns = np.ascontiguousarray(corpus.columns, np.float32)
    own, maps = [], []
    for batch in range(40):
        kept, draws = [], []
        for _ in range(100):
            chain.sweep(1)
            kept.append(chain.state.memberships[:, 0])
            draws.append(chain.globals)
        found = map_mean(
            columns,
            places,
            np.array([g.concentration for g in draws]),
            draws,
            1.0,
            batch,
            ThreadPool(1),
        )
        assert found is not None
        own.append([np.mean(kept, axis=0), np.std(kept, axis=0)])
        assert found.deviation is not None
        maps.append([found.memberships[0], found.deviation[0]])
    one, other = np.array(own), np.array(maps)
    # Batches share their globals, so their difference is what has an error of its own.
    difference = other - one
    error = difference.std(axis=0, ddof=1) / np.sqrt(len(difference))
    scores = difference.mean(axis=0) / error
    assert np.abs(scores[0]).max() < BOUND
    np.testing.assert_allclose(other.mean(axis=0)[1], one.mean(axis=0)[1], rtol=0.1)


# -- what the map looks like -----------------------------------------------------------------


def ramp(count: int = 600) -> tuple[Array, Array, list[Globals]]:
    """Words along a line between two topics, in cells that change along it."""
    shares = np.linspace(0.05, 0.95, count)[:, None]
    words = (1.0 - shares) * TWO[0] + shares * TWO[1]
    concentration = np.column_stack([np.linspace(2.0, 0.5, count), np.linspace(0.5, 2.0, count)])
    return words, np.arange(count), [globals_of(TWO, 0.3, concentration)]


def test_maps_are_smooth_where_words_and_field_are() -> None:
    words, cells, draws = ramp()
    maps = mapped(words, cells, draws, 1.0, 5)
    alone = [
        mapped(words[n : n + 1], cells[n : n + 1], draws, 1.0, 1000 + n) for n in range(0, 600, 5)
    ]
    common = np.abs(np.diff(maps.memberships[0, ::5])).mean()
    independent = np.abs(np.diff([each.memberships[0, 0] for each in alone])).mean()
    assert common < 0.3 * independent


@pytest.mark.parametrize("threads", [2, 5])
def test_any_number_of_threads_and_any_tiles_give_the_same_bits(threads: int) -> None:
    rng = np.random.default_rng(55)
    words = rng.normal(0.5, 0.8, (9000, 2)).astype(np.float32)
    cells = rng.integers(0, 4, 9000)
    draws = [globals_of(THREE, 0.2, rng.gamma(1.0, 1.0, (4, 3)) + 0.05) for _ in range(3)]
    whole = mapped(words, cells, draws, 1.0, 7, sweeps=6, keep=True)
    concentration = np.array([draw.concentration for draw in draws])
    other = map_mean(
        np.ascontiguousarray(words.T), places_in(cells), concentration, draws, 1.0, 7,
        ThreadPool(threads), sweeps=6, keep=True,
    )  # fmt: skip
    assert other is not None
    np.testing.assert_array_equal(whole.memberships, other.memberships)
    np.testing.assert_array_equal(whole.deviation, other.deviation)
    np.testing.assert_array_equal(whole.kept, other.kept)
    modes = map_estimate(
        np.ascontiguousarray(words.T), places_in(cells), concentration[0], draws[0], 1.0,
        ThreadPool(threads),
    )  # fmt: skip
    assert modes is not None
    for start, end in ((0, 1), (1, 300), (4000, 4300), (8990, 9000)):
        part = mapped(words[start:end], cells[start:end], draws, 1.0, 7, sweeps=6, keep=True)
        np.testing.assert_array_equal(part.memberships, whole.memberships[:, start:end])
        np.testing.assert_array_equal(part.deviation, whole.deviation[:, start:end])
        np.testing.assert_array_equal(part.kept, whole.kept[:, :, start:end])
        few = map_estimate(
            np.ascontiguousarray(words[start:end].T), places_in(cells[start:end]),
            concentration[0], draws[0], 1.0, ThreadPool(1),
        )  # fmt: skip
        assert few is not None
        np.testing.assert_array_equal(few.memberships, modes.memberships[:, start:end])


def test_kept_draws_are_what_the_mean_is_made_of() -> None:
    words, cells, draws = ramp(50)
    found = mapped(words, cells, draws, 1.0, 5, keep=True)
    assert found.kept.shape == (32, 2, 50)
    np.testing.assert_allclose(found.kept.mean(axis=0) / 255.0, found.memberships, atol=0.002)
    np.testing.assert_allclose(
        (found.kept / 255.0).std(axis=0, ddof=1), found.deviation, atol=0.003
    )


@pytest.mark.parametrize("fuzzifier", [1.0, 2.0, -1.0])
def test_the_map_estimate_is_a_mode(fuzzifier: float) -> None:
    rng = np.random.default_rng(56)
    words = rng.dirichlet(np.ones(3), 200) @ THREE + 0.2 * rng.standard_normal((200, 2))
    concentration = np.array([[0.6, 2.0, 1.1]])
    draw = globals_of(THREE, 0.15, concentration)
    found = map_estimate(
        np.ascontiguousarray(words.T, np.float32), places_in(np.zeros(200, int)),
        draw.concentration, draw, fuzzifier, ThreadPool(1),
    )  # fmt: skip
    assert found is not None
    assert found.deviation is None

    def density(logs: Array) -> Array:
        logs = logs - np.logaddexp.reduce(logs, axis=1)[:, None]
        squares = np.sum((words - topic_weights(logs, fuzzifier) @ THREE) ** 2, axis=1)
        return logs @ concentration[0] - 0.5 * squares / 0.15

    logs = np.log(np.maximum(found.memberships.T.astype(float), 1e-30))
    best = density(logs)
    for _ in range(40):
        for width in (0.01, 0.1, 0.5):
            other = density(logs + width * rng.standard_normal(logs.shape))
            assert np.all(other <= best + 1e-4)


def test_a_map_without_places_or_draws_is_refused() -> None:
    words, cells, draws = ramp(10)
    columns = np.ascontiguousarray(words.T, np.float32)
    with pytest.raises(PmldaError, match="place of every word"):
        map_mean(
            columns,
            places_in(cells[:9]),
            draws[0].concentration[None],
            draws,
            1.0,
            0,
            ThreadPool(1),
        )
    with pytest.raises(PmldaError, match="under every draw"):
        map_mean(columns, places_in(cells), np.empty((0, 10, 2)), draws, 1.0, 0, ThreadPool(1))


def test_a_cancelled_map_is_none() -> None:
    words, cells, draws = ramp(10)
    columns = np.ascontiguousarray(words.T, np.float32)
    given = (columns, places_in(cells), draws[0].concentration[None], draws, 1.0, 0, ThreadPool(1))
    assert map_mean(*given, cancel=lambda: True) is None  # type: ignore[arg-type]


def test_weights_that_do_not_sum_to_one_are_refused() -> None:
    none = np.zeros(2, np.int64)
    for members, acts in (([0, 1], [1.0, 0.5]), ([0, 2], [1.0, 1.0])):
        with pytest.raises(PmldaError, match="sum to 1"):
            Influence(2, np.array([0, 2]), np.array(members), np.array(acts), none, none[:0])
