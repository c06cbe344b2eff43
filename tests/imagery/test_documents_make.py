"""The one door to documents: settings, progress, stopping and repeating."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.documents import KINDS, Kind, make_documents
from pmlda_gui.imagery.image import Image


def small_image() -> Image:
    pixels = np.random.default_rng(5).rayleigh(1.0, (48, 40)).astype(np.float32)
    valid = np.ones(pixels.shape, dtype=bool)
    valid[:, :5] = False
    return Image(pixels * valid, valid)


BROUGHT = np.arange(48 * 40).reshape(48, 40) // 480


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_arguments_give_the_same_documents(kind: Kind) -> None:
    one, two = (make_documents(small_image(), kind, 12, labels=BROUGHT) for _ in range(2))
    assert np.array_equal(one.offsets, two.offsets)
    assert np.array_equal(one.pixels, two.pixels)


def watched(seen: list[float], most: int = 10**6) -> Progress:
    """Progress that notes the fractions, and stops the work after so many."""
    return Progress(lambda fraction, _: seen.append(fraction), lambda: len(seen) >= most)


@pytest.mark.parametrize("kind", KINDS)
def test_progress_rises_from_nothing_to_all(kind: Kind) -> None:
    seen: list[float] = []
    make_documents(small_image(), kind, 12, labels=BROUGHT, progress=watched(seen))
    assert seen[0] == 0.0
    assert seen[-1] == 1.0
    assert seen == sorted(seen)


@pytest.mark.parametrize("kind", ["slic", "ncut", "texture", "window"])
def test_a_request_to_stop_is_heard_in_the_middle(kind: Kind) -> None:
    seen: list[float] = []
    with pytest.raises(Cancelled, match="stopped"):
        make_documents(small_image(), kind, 12, progress=watched(seen, most=3))
    assert len(seen) == 3
    assert seen[-1] < 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_pixels_that_are_not_finite_belong_to_no_document(kind: Kind) -> None:
    image = small_image()
    image.pixels[10:20, 10:20] = np.nan
    documents = make_documents(image, kind, 6, labels=BROUGHT)
    assert not np.any(np.isnan(image.pixels.flat[documents.pixels]))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"kind": "voronoi"}, "no documents of kind 'voronoi'"),
        ({"kind": "slic", "count": 0}, "count of documents is 0"),
        ({"kind": "window", "window": 0}, "window of documents is 0"),
        ({"kind": "window", "stride": -1}, "stride of documents is -1"),
        ({"kind": "window", "window": 4, "stride": 5}, "leave gaps"),
        ({"kind": "labels"}, "need a label map"),
        ({"kind": "labels", "labels": np.zeros((3, 3))}, r"shape \(3, 3\)"),
        ({"kind": "labels", "labels": np.full((48, 40), 0.5)}, "fractions"),
        ({"kind": "labels", "labels": np.full((48, 40), np.inf)}, "infinite"),
        ({"kind": "labels", "labels": np.full((48, 40), "a")}, "whole numbers"),
    ],
)
def test_settings_without_meaning_are_refused_in_a_sentence(
    settings: dict[str, object], complaint: str
) -> None:
    with pytest.raises(PmldaError, match=complaint):
        make_documents(small_image(), **settings)  # type: ignore[arg-type]


def test_an_imported_map_keeps_its_regions_and_their_separate_parts() -> None:
    image = small_image()
    brought = np.full(image.shape, 4.0)
    brought[:, 20:30] = 0.0
    brought[:10, 30:] = np.nan
    documents = make_documents(image, "labels", labels=brought)
    # 4 lies left and right of 0; the unlabelled corner belongs to none.
    assert documents.count == 3
    assert documents.left_out == 100
    assert np.all(documents.labels[:, 20:30] == 1)
    assert np.all(documents.labels[:10, 30:] == -1)


def test_a_full_image_gets_a_plain_grid_of_equal_cells() -> None:
    image = Image(np.zeros((60, 80), dtype=np.float32), np.ones((60, 80), dtype=bool))
    documents = make_documents(image, "grid", 12)
    assert np.array_equal(documents.labels, np.arange(12).reshape(3, 4).repeat(20, 0).repeat(20, 1))


def test_a_half_masked_image_gets_as_many_square_cells_as_a_full_one() -> None:
    valid = np.tri(100, dtype=bool)
    image = Image(valid.astype(np.float32), valid)
    documents = make_documents(image, "grid", 50)
    assert abs(documents.count - 50) <= 5
    boxes = ndimage.find_objects(documents.labels + 1)
    sides = [(rows.stop - rows.start, columns.stop - columns.start) for rows, columns in boxes]
    # Nine rows of ten columns fit best; whole cells are then 11 or 12 by 10 pixels.
    whole = [
        abs(height - width)
        for (height, width), size in zip(sides, documents.sizes, strict=True)
        if height * width == size
    ]
    assert len(whole) > 25
    assert max(whole) <= 2


def test_windows_are_squares_that_end_at_the_border() -> None:
    image = Image(np.zeros((20, 23), dtype=np.float32), np.ones((20, 23), dtype=bool))
    documents = make_documents(image, "window", window=10, stride=5)
    assert documents.count == 3 * 4
    assert np.all(documents.sizes == 100)
    last = documents.pixels[documents.offsets[-2] :]
    assert np.array_equal(last.reshape(10, 10)[:, -1], np.arange(10, 20) * 23 + 22)


def test_windows_without_a_size_come_in_about_the_number_asked_for() -> None:
    image = Image(np.zeros((90, 70), dtype=np.float32), np.ones((90, 70), dtype=bool))
    documents = make_documents(image, "window", 48)
    assert abs(documents.count - 48) <= 10
    assert not documents.is_partition


def test_overlapping_windows_have_no_label_map() -> None:
    documents = make_documents(small_image(), "window", window=10, stride=5)
    with pytest.raises(PmldaError, match="overlap"):
        _ = documents.labels


def test_more_windows_than_memory_are_refused_before_they_are_made() -> None:
    image = Image(np.zeros((600, 600), dtype=np.float32), np.ones((600, 600), dtype=bool))
    with pytest.raises(PmldaError, match="larger stride"):
        make_documents(image, "window", window=100, stride=1)


def test_a_grid_of_windows_without_overlap_is_a_partition() -> None:
    image = Image(np.zeros((20, 20), dtype=np.float32), np.ones((20, 20), dtype=bool))
    documents = make_documents(image, "window", window=5, stride=5)
    assert documents.is_partition
    assert documents.labels.max() == 15
