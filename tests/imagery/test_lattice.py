"""The lattice: near-independent words, at least one of each document, with their places."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.document_field import DocumentField
from pmlda_gui.imagery.documents.documents import documents_from_labels
from pmlda_gui.imagery.documents.factory import make_documents
from pmlda_gui.imagery.features import Standardisation, fit_words
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.lattice import LEAST_WORDS, MOST_WORDS, lattice_corpus, lattice_stride

Array = np.ndarray


@settings(max_examples=200, deadline=None)
@given(window=st.integers(1, 101), pixels=st.integers(1, 10**9))
def test_the_stride_is_half_a_window_unless_words_were_too_few_or_too_many(
    window: int, pixels: int
) -> None:
    stride = lattice_stride(window, pixels)
    words = pixels / stride**2
    half = max(1, round(window / 2))
    assert stride >= 1
    assert words <= MOST_WORDS * 1.001
    if stride > half:
        assert pixels / (stride - 1) ** 2 > MOST_WORDS
    if stride < half:
        assert pixels / (stride + 1) ** 2 < LEAST_WORDS
    elif stride > 1 and stride == half:
        assert words >= LEAST_WORDS


def test_usual_images_have_half_a_window() -> None:
    assert lattice_stride(31, 600 * 544) == 16
    assert lattice_stride(13, 600 * 544) == 8
    assert lattice_stride(31, 100 * 100) == 4
    assert lattice_stride(31, 20 * 20) == 1


def made(labels: Array, seed: int = 1) -> tuple[Array, Standardisation, DocumentField]:
    numbers = np.asarray(labels, np.int32)
    valid = numbers >= 0
    values = np.random.default_rng(seed).normal(5.0, 2.0, (*numbers.shape, 2)).astype(np.float32)
    documents = documents_from_labels("labels", numbers, 1, 0)
    return values, fit_words([values], [valid]), DocumentField(documents, 0)


LABELS = np.arange(40)[:, None] // 14 * 3 + np.arange(50)[None] // 17
LABELS[:7, :9] = -1


@pytest.mark.parametrize("stride", [1, 2, 5, 9, 30, 1000])
def test_words_are_those_of_their_pixels(stride: int) -> None:
    values, standardisation, field = made(LABELS)
    corpus = lattice_corpus([values], standardisation, [field], stride, 9.0)
    rows, columns = np.divmod(corpus.sources, 50)
    expected = standardisation.apply(values[rows, columns])
    np.testing.assert_allclose(corpus.words, expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(corpus.document_of, field.labels[rows, columns])
    np.testing.assert_array_equal(corpus.layout.rows, rows)
    np.testing.assert_array_equal(corpus.layout.columns, columns)
    assert len(np.unique(corpus.sources)) == corpus.size
    assert corpus.documents == field.documents.count
    assert corpus.document_sizes.min() >= 1


@pytest.mark.parametrize("stride", [2, 5, 9])
def test_words_lie_on_the_lattice_but_for_those_of_documents_it_misses(stride: int) -> None:
    labels = LABELS.copy()
    labels[20, 20] = LABELS.max() + 1
    values, standardisation, field = made(labels)
    corpus = lattice_corpus([values], standardisation, [field], stride, 9.0)
    rows, columns = np.divmod(corpus.sources, 50)
    on = (rows % stride == stride // 2) & (columns % stride == stride // 2)
    every = np.zeros(labels.shape, bool)
    every[stride // 2 :: stride, stride // 2 :: stride] = True
    np.testing.assert_array_equal(
        np.sort(corpus.sources[on]), np.flatnonzero(every & (labels >= 0))
    )
    assert set(corpus.sources[~on].tolist()) <= {20 * 50 + 20}
    assert 20 * 50 + 20 in corpus.sources


def test_sources_count_on_from_image_to_image() -> None:
    values, standardisation, field = made(LABELS)
    second = DocumentField(field.documents, field.documents.count)
    corpus = lattice_corpus([values, values], standardisation, [field, second], 5, 9.0)
    half = corpus.size // 2
    np.testing.assert_array_equal(corpus.sources[half:], corpus.sources[:half] + 2000)
    np.testing.assert_array_equal(corpus.words[half:], corpus.words[:half])
    np.testing.assert_array_equal(corpus.layout.images, np.repeat([0, 1], half))
    assert corpus.documents == 2 * field.documents.count


@pytest.mark.parametrize("shape", [(1, 1), (1, 200), (200, 1)])
def test_images_of_a_line_or_a_point_keep_words(shape: tuple[int, int]) -> None:
    labels = np.arange(shape[0] * shape[1]).reshape(shape) // 70
    values, standardisation, field = made(labels)
    corpus = lattice_corpus([values], standardisation, [field], 15, 9.0)
    assert corpus.documents == field.documents.count
    assert corpus.size == max(1, -(-(200 - 7) // 15) if max(shape) > 1 else 1)


def test_a_feature_that_is_not_a_number_is_told_in_a_sentence() -> None:
    values, standardisation, field = made(LABELS)
    values[20, 20] = np.nan
    with pytest.raises(PmldaError, match="image 1 are not finite at 1 of the"):
        lattice_corpus([values], standardisation, [field], 1, 9.0)


def test_overlapping_windows_keep_a_word_each() -> None:
    image = Image(np.zeros((60, 70), np.float32), np.ones((60, 70), np.bool_))
    windows = make_documents(image, "window", window=20, stride=7)
    values = np.random.default_rng(2).normal(size=(60, 70, 2)).astype(np.float32)
    standardisation = fit_words([values], [image.valid])
    corpus = lattice_corpus([values], standardisation, [DocumentField(windows, 0)], 11, 9.0)
    assert corpus.documents == windows.count
    for number in range(windows.count):
        mine = windows.pixels[windows.offsets[number] : windows.offsets[number + 1]]
        words = corpus.sources[corpus.offsets[number] : corpus.offsets[number + 1]]
        assert np.isin(words, mine).all()
