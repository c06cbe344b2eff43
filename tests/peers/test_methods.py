"""What every method must do: stream, be stopped, repeat itself, and find plain clusters."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.metrics import adjusted_rand_index
from pmlda_gui.imagery.words import Words
from pmlda_gui.peers import PEERS, peer_named
from pmlda_gui.peers.fuzzy_c_means import FuzzyCMeans
from pmlda_gui.peers.method import Fit, run_method, to_segmentations
from tests.peers.small_words import CENTRES, SHAPE, material, three_bands

SOME_SMOOTHED = ("fcm+smooth", "kmeans+smooth", "bpm+smooth")
every_method = pytest.mark.parametrize("name", [*PEERS, *SOME_SMOOTHED])


@every_method
def test_well_separated_clusters_are_found(name: str) -> None:
    words, band = three_bands()
    fit = run_method(peer_named(name), words, 3, seed=2)
    labels = fit.memberships.argmax(axis=1)
    assert adjusted_rand_index(band, labels) > 0.97
    # Topics of partial memberships may lie beyond the words, but not elsewhere.
    distances = np.linalg.norm(fit.means[:, None] - CENTRES[None], axis=2)
    assert sorted(distances.argmin(axis=1)) == [0, 1, 2]
    assert distances.min(axis=1).max() < 1.2


@every_method
def test_every_step_is_a_complete_result_and_the_last_one_says_so(name: str) -> None:
    words, _ = three_bands()
    seen: list[Fit] = []
    last = run_method(peer_named(name), words, 3, watch=seen.append)
    assert seen[-1] is last
    fractions = [fit.fraction for fit in seen]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    for fit in seen:
        assert fit.memberships.min() >= 0.0
        np.testing.assert_allclose(fit.memberships.sum(axis=1), 1.0, atol=1e-5)
        assert np.isfinite(fit.means).all()
        assert fit.variance > 0.0
    assert [len(fit.trace) for fit in seen] == list(range(1, len(seen) + 1))


@every_method
def test_equal_seeds_give_equal_fits_and_watching_changes_nothing(name: str) -> None:
    words, _ = three_bands(noise=0.8)
    first = run_method(peer_named(name), words, 3, seed=5, watch=lambda fit: None)
    second = run_method(peer_named(name), words, 3, seed=5)
    np.testing.assert_array_equal(first.memberships, second.memberships)
    np.testing.assert_array_equal(first.means, second.means)
    assert first.trace == second.trace


@every_method
def test_a_method_stops_when_it_is_told_to(name: str) -> None:
    words, _ = three_bands()
    seen: list[Fit] = []
    with pytest.raises(Cancelled, match="was stopped before it was done"):
        run_method(
            peer_named(name),
            words,
            3,
            watch=seen.append,
            progress=Progress(is_cancelled=lambda: len(seen) == 1),
        )
    assert len(seen) == 1


@pytest.mark.parametrize("name", [name for name in PEERS if name != "fcm"] + ["fcm+smooth"])
def test_a_method_stops_before_its_first_result_too(name: str) -> None:
    """Fuzzy c-means is left out: its first result takes a few hundredths of a second."""
    words, _ = three_bands()
    seen: list[Fit] = []
    with pytest.raises(Cancelled):
        run_method(
            peer_named(name),
            words,
            3,
            watch=seen.append,
            progress=Progress(is_cancelled=lambda: True),
        )
    assert not seen


@every_method
def test_words_that_are_all_alike_are_survived(name: str) -> None:
    words, _ = three_bands()
    alike = Words(
        np.ones_like(words.words), words.offsets.copy(), words.sources.copy(), words.shapes
    )
    fit = run_method(peer_named(name), alike, 3)
    assert np.isfinite(fit.memberships).all()
    np.testing.assert_allclose(fit.memberships.sum(axis=1), 1.0, atol=1e-5)


@every_method
def test_maps_put_each_membership_back_where_its_pixel_was(name: str) -> None:
    words, _ = three_bands()
    fit = run_method(peer_named(name), words, 3)
    (found,) = to_segmentations(fit, material(words))
    assert found.memberships.shape == (3, *SHAPE)
    flat = found.memberships.reshape(3, -1)
    np.testing.assert_allclose(flat[:, words.sources].T, fit.memberships, atol=1e-6)
    if found.proportions is not None:
        assert found.proportions.shape == (20, 3)
        np.testing.assert_allclose(found.proportions.sum(axis=1), 1.0)


def test_an_unknown_method_is_answered_with_all_names() -> None:
    with pytest.raises(PmldaError, match="no method 'som': choose from fcm, lda, slda"):
        peer_named("som")


def test_too_few_topics_or_words_are_refused_in_a_sentence() -> None:
    words, _ = three_bands()
    with pytest.raises(PmldaError, match="needs at least 2"):
        run_method(FuzzyCMeans(), words, 1)
    few = Words(words.words[:2].copy(), np.array([0, 2]), words.sources[:2].copy(), words.shapes)
    with pytest.raises(PmldaError, match="2 words for 3 topics"):
        run_method(FuzzyCMeans(), few, 3)


@pytest.mark.parametrize("fuzzifier", [1.0, 0.5, float("nan"), 1000.0])
def test_fuzzy_c_means_refuses_a_fuzzifier_that_means_nothing(fuzzifier: float) -> None:
    with pytest.raises(PmldaError, match="must be more than 1"):
        FuzzyCMeans(fuzzifier)


def test_fuzzy_c_means_becomes_crisp_as_its_fuzzifier_approaches_one() -> None:
    words, _ = three_bands(noise=1.0)
    peaks = [
        run_method(FuzzyCMeans(fuzzifier), words, 3).memberships.max(axis=1).mean()
        for fuzzifier in (1.01, 1.5, 2.0, 4.0)
    ]
    assert peaks == sorted(peaks, reverse=True)
    assert peaks[0] > 0.99
    assert peaks[-1] < 0.6
