"""Words from pixels, and back from words to maps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.documents import Documents, make_documents
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.words import build_words


def blank(shape: tuple[int, int], masked_columns: int = 0) -> Image:
    valid = np.ones(shape, dtype=bool)
    valid[:, :masked_columns] = False
    return Image(np.zeros(shape, dtype=np.float32), valid)


def numbered_features(shape: tuple[int, int], first: int = 0) -> NDArray[np.float64]:
    """Two features: the pixel's number, and its negative."""
    numbers = first + np.arange(shape[0] * shape[1], dtype=np.float64).reshape(shape)
    return np.stack([numbers, -numbers], axis=-1)


def survey() -> tuple[list[NDArray[np.float64]], list[Documents]]:
    shapes = ((12, 10), (8, 15))
    features = [numbered_features(shapes[0]), numbered_features(shapes[1], first=120)]
    documents = [
        make_documents(blank(shapes[0], masked_columns=3), "grid", 6),
        make_documents(blank(shapes[1]), "window", window=6, stride=3),
    ]
    return features, documents


def test_words_stand_document_after_document_over_all_images() -> None:
    features, documents = survey()
    words = build_words(features, documents)
    assert words.words.dtype == np.float64
    assert words.offsets.size - 1 == documents[0].count + documents[1].count
    assert np.array_equal(np.diff(words.offsets)[: documents[0].count], documents[0].sizes)
    assert np.array_equal(words.words[:, 0], words.sources)
    assert np.array_equal(words.words[:, 1], -words.sources)


def test_a_pixel_has_the_same_source_whatever_the_documents_are() -> None:
    image = blank((12, 10), masked_columns=3)
    features = [numbered_features((12, 10))]
    expected = np.flatnonzero(image.valid)
    for kind, count in (("grid", 4), ("grid", 20), ("slic", 7), ("window", 9)):
        words = build_words(features, [make_documents(image, kind, count)])
        assert np.array_equal(np.unique(words.sources), expected)


def test_scattering_the_words_gives_the_features_back_and_nan_where_there_are_none() -> None:
    features, documents = survey()
    maps = build_words(features, documents).scatter(build_words(features, documents).words)
    assert [array.shape for array in maps] == [(2, 12, 10), (2, 8, 15)]
    assert np.all(np.isnan(maps[0][:, :, :3]))
    assert np.array_equal(maps[0][:, :, 3:], np.moveaxis(features[0], 2, 0)[:, :, 3:])
    assert np.allclose(maps[1], np.moveaxis(features[1], 2, 0), rtol=1e-14)


def test_overlapping_words_are_averaged() -> None:
    documents = make_documents(blank((4, 6)), "window", window=4, stride=2)
    words = build_words([numbered_features((4, 6))], [documents])
    window = np.repeat([10.0, 20.0], 16)
    assert words.scatter(window)[0][0].tolist() == [10.0, 10.0, 15.0, 15.0, 20.0, 20.0]


def test_values_of_any_rank_are_scattered() -> None:
    features, documents = survey()
    words = build_words(features, documents)
    count = words.sources.size
    assert words.scatter(np.ones(count))[1].shape == (8, 15)
    assert words.scatter(np.ones((count, 3, 2), dtype=np.float32))[1].shape == (3, 2, 8, 15)
    assert words.scatter(np.ones((count, 0)))[1].shape == (0, 8, 15)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    height=st.integers(1, 20),
    width=st.integers(1, 20),
    count=st.integers(1, 40),
    stride=st.integers(1, 9),
)
def test_a_subset_lies_on_the_lattice_and_keeps_a_word_of_every_document(
    height: int, width: int, count: int, stride: int
) -> None:
    images = [blank((height, width)), blank((width, height))]
    documents = [make_documents(image, "slic", count) for image in images]
    words = build_words([numbered_features(image.shape) for image in images], documents)
    chosen = words.subset(stride)
    assert np.all(np.diff(chosen) > 0)
    document = np.searchsorted(words.offsets, chosen, side="right") - 1
    kept = np.bincount(document, minlength=words.offsets.size - 1)
    assert np.all(kept >= 1)
    on_lattice = [
        np.flatnonzero(
            (np.indices(image.shape)[0] % stride == 0) & (np.indices(image.shape)[1] % stride == 0)
        )
        for image in images
    ]
    lattice = np.concatenate([on_lattice[0], on_lattice[1] + height * width])
    extra = ~np.isin(words.sources[chosen], lattice)
    assert np.all(np.isin(lattice, words.sources[chosen]))
    assert np.all(kept[document[extra]] == 1)


def test_every_word_is_in_the_subset_of_stride_one() -> None:
    features, documents = survey()
    words = build_words(features, documents)
    assert np.array_equal(words.subset(1), np.arange(words.sources.size))


def test_features_outside_the_documents_may_be_missing_but_not_inside() -> None:
    documents = make_documents(blank((6, 6), masked_columns=2), "grid", 2)
    features = numbered_features((6, 6))
    features[:, :2] = np.nan
    build_words([features], [documents])
    features[0, 4, 1] = np.inf
    with pytest.raises(PmldaError, match="image 1 are not finite at 1 of the 24 pixels"):
        build_words([features], [documents])


@pytest.mark.parametrize(
    ("features", "complaint"),
    [
        ([], "features of 0 images but documents of 2"),
        ([np.zeros((12, 10, 2)), np.zeros((8, 14, 2))], "features of image 2 have shape"),
        ([np.zeros((12, 10)), np.zeros((8, 15))], "features of image 1 have shape"),
        ([np.zeros((12, 10, 2)), np.zeros((8, 15, 3))], "Image 2 has 3 features"),
    ],
)
def test_features_that_do_not_fit_are_refused_in_a_sentence(
    features: list[NDArray[np.float64]], complaint: str
) -> None:
    with pytest.raises(PmldaError, match=complaint):
        build_words(features, survey()[1])


def test_values_and_strides_that_do_not_fit_are_refused_in_a_sentence() -> None:
    words = build_words(*survey())
    with pytest.raises(PmldaError, match="one value, or row of values, for each word"):
        words.scatter(np.zeros(3))
    with pytest.raises(PmldaError, match="stride of a subset is 0"):
        words.subset(0)
