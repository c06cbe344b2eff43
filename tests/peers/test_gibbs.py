"""The Gibbs kernels against posteriors that are small enough to be written out."""

from __future__ import annotations

from itertools import product
from math import lgamma

import numpy as np
import pytest

from pmlda_gui.core.vector_math import stream_keys
from pmlda_gui.imagery.words import build_words
from pmlda_gui.peers import lda, spatial_lda
from pmlda_gui.peers.codebook import make_dictionary
from pmlda_gui.peers.gibbs_counts import count
from pmlda_gui.peers.lda import LatentDirichletAllocation
from pmlda_gui.peers.method import run_method
from pmlda_gui.peers.spatial_lda import SpatialLda
from tests.peers.small_words import blocks, three_bands

NUMBERS = np.array([0, 0, 1], np.int32)
ALPHA, SMOOTHING, SWEEPS = 0.7, 0.4, 20_000


def log_evidence(table: np.ndarray, prior: float) -> float:
    """Log probability of the order in which the counts of each row came, prior integrated out."""
    return sum(
        lgamma(prior * len(row)) - lgamma(prior * len(row) + row.sum())
        + sum(lgamma(prior + value) - lgamma(prior) for value in row)
        for row in table
    )  # fmt: skip


def exact_pairs(places: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """P(z_0 = z_1), P(z_0 = z_2), P(d_0 = d_1) summed over all topics and documents.

    `weights` (words, documents) are those of each word's choice of a document.
    """
    totals, everything = np.zeros(3), 0.0
    documents = weights.shape[1]
    for topics in product(range(2), repeat=3):
        for chosen in product(range(documents), repeat=3):
            of_documents = np.zeros((documents, 2))
            of_codes = np.zeros((2, 2))
            weight = 1.0
            for word in range(3):
                of_documents[chosen[word], topics[word]] += 1
                of_codes[topics[word], NUMBERS[word]] += 1
                weight *= weights[word, chosen[word]]
            if weight == 0.0:
                continue
            odds = weight * np.exp(
                log_evidence(of_documents, ALPHA) + log_evidence(of_codes, SMOOTHING)
            )
            everything += odds
            totals += odds * np.array(
                [topics[0] == topics[1], topics[0] == topics[2], chosen[0] == chosen[1]]
            )
    return totals / everything


def test_ldas_kernel_draws_from_the_exact_posterior() -> None:
    documents = np.array([0, 1, 1], np.int32)
    assignments = np.zeros(3, np.int32)
    counts = count(NUMBERS, documents, assignments, (2, 2, 2))
    sums, pairs = np.zeros((3, 2)), np.zeros(2)
    for sweep in range(SWEEPS):
        lda._sweep(
            NUMBERS, documents, assignments, counts.of_codes, counts.of_documents,
            counts.of_topics, ALPHA, SMOOTHING, stream_keys(3, sweep, 0, 1)[0], sums,
        )  # fmt: skip
        pairs += assignments[0] == assignments[1:]
    exact = exact_pairs(documents, np.eye(2)[documents])
    # Standard errors are near 0.005; leaving out either prior shifts these by 0.03 or more.
    np.testing.assert_allclose(pairs / SWEEPS, exact[:2], atol=0.015)
    assert counts.of_topics.sum() == 3
    np.testing.assert_allclose(sums.sum(axis=1), SWEEPS)


def test_spatial_ldas_kernel_draws_documents_and_topics_from_the_exact_posterior() -> None:
    # Two places with one copy each; the third word is much nearer to the second place.
    weights = np.array([1.0, 0.6, 0.2, 1.0])
    cells = np.array([0, 0, 1], np.int32)
    documents, assignments = np.zeros(3, np.int32), np.zeros(3, np.int32)
    counts = count(NUMBERS, documents, assignments, (2, 2, 2))
    sizes = counts.of_documents.sum(axis=1)
    sums, pairs = np.zeros((3, 2)), np.zeros(3)
    for sweep in range(SWEEPS):
        spatial_lda._sweep(
            NUMBERS, documents, assignments, cells, np.array([0, 2, 4]),
            np.array([0, 1, 0, 1], np.int32), weights, 1, counts.of_codes, counts.of_documents,
            counts.of_topics, sizes, ALPHA, SMOOTHING, stream_keys(3, sweep, 0, 1)[0], sums,
        )  # fmt: skip
        pairs += [
            assignments[0] == assignments[1],
            assignments[0] == assignments[2],
            documents[0] == documents[1],
        ]
    exact = exact_pairs(documents, np.array([[1.0, 0.6], [1.0, 0.6], [0.2, 1.0]]))
    np.testing.assert_allclose(pairs / SWEEPS, exact, atol=0.015)
    np.testing.assert_array_equal(sizes, counts.of_documents.sum(axis=1))


def test_places_too_far_away_make_spatial_lda_plain_lda() -> None:
    words, _ = three_bands(noise=1.0)
    settings = {"codes": 20, "sweeps": 200, "warm_up": 50}
    plain = run_method(LatentDirichletAllocation(**settings), words, 3, seed=1)
    spatial = run_method(SpatialLda(sigma=1e-3, copies=1, **settings), words, 3, seed=1)
    assert np.abs(plain.memberships - spatial.memberships).mean() < 0.05


def test_a_stray_word_takes_the_topic_of_its_neighbours_with_spatial_lda() -> None:
    rng = np.random.default_rng(0)
    features = np.where(np.arange(30) < 15, -1.0, 1.0) + 0.05 * rng.standard_normal((24, 30))
    stray = rng.random((24, 30)) < 0.08
    # Words between both seabeds could be either; their surroundings decide.
    features[stray] = 0.0
    words = build_words([features[..., None]], [blocks()])
    left = (np.arange(30) < 15)[None].repeat(24, axis=0).ravel()[words.sources]
    doubtful = stray.ravel()[words.sources]
    fit = run_method(SpatialLda(codes=9), words, 2)
    side = fit.memberships[left & ~doubtful].mean(axis=0).argmax()
    assert fit.memberships[left & doubtful, side].mean() > 0.75
    assert fit.memberships[~left & doubtful, side].mean() < 0.25


@pytest.mark.parametrize("size", [1, 7, 100, 5000])
def test_a_dictionary_has_as_many_codes_as_asked_for_or_as_there_are_words(size: int) -> None:
    words, _ = three_bands()
    dictionary = make_dictionary(words, size, seed=0)
    assert len(dictionary.codes) == min(size, len(words.words))
    nearest = np.linalg.norm(words.words[:, None] - dictionary.codes[None], axis=2).argmin(axis=1)
    np.testing.assert_array_equal(dictionary.numbers, nearest)
