"""What every kind of documents promises, under any mask, shape and count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from scipy import ndimage

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.documents import Documents, make_documents
from pmlda_gui.imagery.image import Image

EXACT_KINDS = ("slic", "ncut", "texture")

masks = arrays.arrays(
    dtype=bool,
    shape=arrays.array_shapes(min_dims=2, max_dims=2, max_side=18),
    # Mostly valid: all-random masks are nothing but specks.
    elements=st.sampled_from([True, True, True, True, False]),
)


def speckled(valid: NDArray[np.bool_]) -> Image:
    pixels = np.random.default_rng(valid.size).rayleigh(1.0, valid.shape)
    return Image((pixels * valid).astype(np.float32), valid)


def usable_patches(valid: NDArray[np.bool_], least: int) -> list[NDArray[np.bool_]]:
    """The four-connected patches of at least so many pixels, found by other means than ours."""
    numbered, found = ndimage.label(valid)
    return [numbered == n for n in range(1, found + 1) if (numbered == n).sum() >= least]


def check_shared_promises(documents: Documents, valid: NDArray[np.bool_]) -> None:
    covered = np.zeros(valid.size, dtype=bool)
    for document in range(documents.count):
        pixels = documents.pixels[documents.offsets[document] : documents.offsets[document + 1]]
        assert np.all(np.diff(pixels) > 0)
        assert pixels.size >= documents.minimum_size
        member = np.zeros(valid.size, dtype=bool)
        member[pixels] = True
        assert ndimage.label(member.reshape(valid.shape))[1] == 1
        covered |= member
    covered = covered.reshape(valid.shape)  # type: ignore[assignment]
    assert not np.any(covered & ~valid)
    assert documents.left_out == np.count_nonzero(valid & ~covered)


def check_partition(kind: str, valid: NDArray[np.bool_], count: int) -> None:
    pixels = int(valid.sum())
    least = max(1, min(25, pixels // (4 * count)))
    patches = usable_patches(valid, least)
    if not patches:
        with pytest.raises(PmldaError, match=r"specks|no valid pixel"):
            make_documents(speckled(valid), kind, count)
        return
    documents = make_documents(speckled(valid), kind, count)
    check_shared_promises(documents, valid)
    usable = np.any(patches, axis=0)
    labels = documents.labels
    assert labels.dtype == np.int32
    assert np.array_equal(labels >= 0, usable)
    target = min(count, int(usable.sum()))
    if kind in EXACT_KINDS:
        assert documents.count == max(target, len(patches))
    else:
        assert documents.count <= max(1.1 * target, len(patches))
        assert documents.count >= max(0.9 * target, len(patches))
    quarter = max(1, int(usable.sum()) // (4 * target))
    whole_patches = [int(patch.sum()) for patch in patches]
    assert all(size >= quarter or size in whole_patches for size in documents.sizes)


@pytest.mark.parametrize("kind", ["slic", "grid"])
@settings(max_examples=60, deadline=None, derandomize=True)
@example(valid=np.ones((1, 1), dtype=bool), count=200)
@example(valid=np.zeros((3, 4), dtype=bool), count=2)
@example(valid=np.indices((9, 9)).sum(axis=0) % 2 == 0, count=2)
@given(valid=masks, count=st.integers(1, 60))
def test_quick_partitions_keep_their_promises(
    kind: str, valid: NDArray[np.bool_], count: int
) -> None:
    check_partition(kind, valid, count)


@pytest.mark.parametrize("kind", ["ncut", "texture"])
@settings(max_examples=25, deadline=None, derandomize=True)
@example(valid=np.ones((1, 1), dtype=bool), count=200)
@example(valid=np.zeros((3, 4), dtype=bool), count=2)
@given(valid=masks, count=st.integers(1, 60))
def test_partitions_by_cuts_keep_their_promises(
    kind: str, valid: NDArray[np.bool_], count: int
) -> None:
    check_partition(kind, valid, count)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(valid=masks, values=st.data())
def test_an_imported_map_becomes_connected_documents_of_fair_size(
    valid: NDArray[np.bool_], values: st.DataObject
) -> None:
    brought = values.draw(arrays.arrays(np.int64, valid.shape, elements=st.integers(-1, 3)))
    labelled = valid & (brought >= 0)
    names = np.unique(brought[labelled]).size
    least = max(1, min(25, int(labelled.sum()) // (4 * max(1, names))))
    patches = usable_patches(labelled, least)
    if not patches:
        with pytest.raises(PmldaError, match=r"specks|no valid pixel"):
            make_documents(speckled(valid), "labels", labels=brought)
        return
    documents = make_documents(speckled(valid), "labels", labels=brought)
    check_shared_promises(documents, valid)
    assert np.array_equal(documents.labels >= 0, np.any(patches, axis=0))


@settings(max_examples=60, deadline=None, derandomize=True)
@example(valid=np.ones((1, 1), dtype=bool), window=4, stride=2)
@given(valid=masks, window=st.integers(1, 12), stride=st.integers(1, 12))
def test_windows_are_connected_and_cover_every_usable_pixel(
    valid: NDArray[np.bool_], window: int, stride: int
) -> None:
    stride = min(stride, window)
    area = min(window, valid.shape[0]) * min(window, valid.shape[1])
    patches = usable_patches(valid, max(1, min(25, area // 4)))
    if not patches:
        with pytest.raises(PmldaError, match=r"specks|no valid pixel"):
            make_documents(speckled(valid), "window", window=window, stride=stride)
        return
    documents = make_documents(speckled(valid), "window", window=window, stride=stride)
    check_shared_promises(documents, valid)
    covered = np.zeros(valid.shape, dtype=bool)
    covered.flat[documents.pixels] = True
    assert np.array_equal(covered, np.any(patches, axis=0))
    whole_patches = [int(patch.sum()) for patch in patches]
    assert all(size >= area // 4 or size in whole_patches for size in documents.sizes)


@pytest.mark.parametrize("count", [20, 48, 200])
@pytest.mark.parametrize("kind", ["slic", "ncut", "texture", "grid"])
def test_the_paper_s_counts_are_met_on_a_masked_image(kind: str, count: int) -> None:
    valid = np.ones((150, 136), dtype=bool)
    valid[:, :20] = valid[70:75] = False
    check_partition(kind, valid, count)
