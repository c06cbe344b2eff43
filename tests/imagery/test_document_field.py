"""The field: documents act beyond their borders by weights that are shares of what lies around."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmlda_gui.core.field import Influence
from pmlda_gui.imagery.document_field import CellField, DocumentField, LatticeLayout
from pmlda_gui.imagery.documents.documents import documents_from_labels
from pmlda_gui.imagery.documents.factory import make_documents
from pmlda_gui.imagery.image import Image

Array = np.ndarray


def field_of(labels: Array, first: int = 0) -> DocumentField:
    """Documents as drawn in `labels`, -1 where there is none, however small."""
    numbers = np.where(labels < 0, -1, np.unique(labels, return_inverse=True)[1])
    numbers -= numbers[numbers >= 0].min()
    numbers = np.where(labels < 0, -1, numbers).astype(np.int32)
    return DocumentField(documents_from_labels("labels", numbers, 1, 0), first)


def weights_at(field: DocumentField, width: float, finer: int = 1) -> Array:
    """The weight of every document at every pixel, (D, height, width), 0 where there is none."""
    height, breadth = field.labels.shape
    cells = field.cells(width)
    rows, columns = (each.ravel() for each in np.indices((height * finer, breadth * finer)))
    inside = field.labels[rows // finer, columns // finer] >= 0
    places = cells.places(rows[inside], columns[inside], finer)
    # Document d has concentration 1 in "topic" d alone.
    each = cells.concentration(np.eye(field.first + field.documents.count)[None])[0]
    found = np.zeros((each.shape[1], rows.size))
    found[:, inside] = np.einsum("cn,cnk->kn", places.weights, each[places.cells])
    return found.reshape(-1, height * finer, breadth * finer)[field.first :]


def layout_of(*fields: DocumentField, window: float = 10.0) -> LatticeLayout:
    """Every pixel of these images."""
    images, rows, columns, sizes = [], [], [], []
    for number, field in enumerate(fields):
        row, column = np.divmod(field.documents.pixels, field.documents.shape[1])
        images.append(np.full(row.size, number))
        rows.append(row)
        columns.append(column)
        sizes.append(field.documents.sizes)
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    return LatticeLayout(
        fields, window, np.concatenate(images), np.concatenate(rows), np.concatenate(columns),
        offsets,
    )  # fmt: skip


def dense(influence: Influence) -> Array:
    """The weights as a table, (N, D)."""
    table = np.zeros((influence.words, influence.documents))
    document = np.repeat(np.arange(influence.documents), np.diff(influence.starts))
    np.add.at(table, (influence.members, document), influence.acts)
    return table


HALVES = np.repeat([0, 1], 30)[None].repeat(40, axis=0)


@pytest.mark.parametrize("width", [0.0, 0.7, 2.0, 6.0, 11.0, 50.0])
def test_weights_are_shares_that_sum_to_one(width: float) -> None:
    labels = np.arange(40)[:, None] // 13 * 3 + np.arange(60)[None] // 21
    labels[5:9, 7:30] = -1
    weights = weights_at(field_of(labels), width)
    assert weights.min() >= 0.0
    np.testing.assert_allclose(weights.sum(axis=0), labels >= 0, atol=1e-6)


def test_without_blur_a_document_acts_on_its_own_pixels_alone() -> None:
    labels = np.arange(12)[:, None] // 5 * 2 + np.arange(17)[None] // 9
    labels[3, 4] = -1
    weights = weights_at(field_of(labels), 0.0)
    for number in range(6):
        np.testing.assert_array_equal(weights[number], labels == number)


def test_a_border_is_blurred_as_a_gaussian_blurs_it() -> None:
    from scipy.ndimage import gaussian_filter

    width = 6.0
    found = weights_at(field_of(HALVES), width)[1]
    wanted = gaussian_filter((HALVES == 1).astype(float), width, mode="reflect")[:, 10:50]
    # Cells a third of the width, and a blur that ends at 2.5 widths.
    assert np.abs(found[:, 10:50] - wanted).max() < 0.03


def test_both_sides_of_a_border_are_treated_alike() -> None:
    weights = weights_at(field_of(HALVES), 6.0)
    np.testing.assert_allclose(weights[0], weights[1][:, ::-1], atol=1e-6)
    np.testing.assert_allclose(weights[0], weights[0][::-1], atol=1e-6)
    turned = weights_at(field_of(HALVES.T), 6.0)
    np.testing.assert_allclose(turned[0], weights[0].T, atol=1e-6)


@pytest.mark.parametrize("width", [3.0, 6.0, 14.0])
def test_weights_never_jump_between_neighbouring_pixels(width: float) -> None:
    rng = np.random.default_rng(3)
    seeds = rng.uniform(0, 90, (14, 2))
    rows, columns = np.indices((90, 90))
    away = (rows[..., None] - seeds[:, 0]) ** 2 + (columns[..., None] - seeds[:, 1]) ** 2
    weights = weights_at(field_of(away.argmin(axis=2)), width)
    # A straight border's weight rises by 0.4 / width a pixel; cells and corners add a little.
    most = 0.55 / width
    assert np.abs(np.diff(weights, axis=1)).max() < most
    assert np.abs(np.diff(weights, axis=2)).max() < most


def test_pixels_without_data_lend_nothing() -> None:
    labels = HALVES.copy()
    labels[:, 25:40] = -1
    weights = weights_at(field_of(labels), 4.0)
    # A gap of 15 pixels is farther than 2.5 widths.
    np.testing.assert_allclose(weights[0][:, :25], 1.0, atol=1e-6)
    np.testing.assert_allclose(weights[1][:, 40:], 1.0, atol=1e-6)
    assert not weights[:, :, 25:40].any()


def test_what_lies_beyond_a_strip_without_data_counts_by_its_distance() -> None:
    labels = HALVES.copy()
    labels[:, 28:32] = -1
    found = weights_at(field_of(labels), 6.0)
    # Less than half, since the near side has more cells, but far from nothing.
    assert 0.15 < found[1][20, 27] < 0.4
    np.testing.assert_allclose(found[1][:, 27], found[0][:, 32], atol=1e-6)


def test_images_do_not_act_on_one_another() -> None:
    fields = field_of(HALVES), field_of(HALVES[:25], first=2)
    table = dense(layout_of(*fields).influence(0.7))
    assert table.shape == (40 * 60 + 25 * 60, 4)
    assert not table[:2400, 2:].any()
    assert not table[2400:, :2].any()
    pairs = layout_of(*fields).influence(0.0)
    np.testing.assert_array_equal(pairs.neighbours, [1, 0, 3, 2])
    np.testing.assert_array_equal(pairs.neighbour_starts, [0, 1, 2, 3, 4])


def test_the_words_of_a_layout_have_the_weights_of_their_pixels() -> None:
    labels = np.arange(30)[:, None] // 11 * 2 + np.arange(41)[None] // 20
    labels[9:14, 17:25] = -1
    field = field_of(labels)
    layout = layout_of(field, window=10.0)
    expected = weights_at(field, 7.0)[:, layout.rows, layout.columns].T
    np.testing.assert_allclose(dense(layout.influence(0.7)), expected, atol=1e-6)
    some = np.arange(0, layout.rows.size, 3)
    np.testing.assert_allclose(dense(layout.subset(some).influence(0.7)), expected[some], atol=1e-6)


def test_a_rectangle_has_the_weights_of_the_whole_bit_for_bit() -> None:
    labels = np.arange(70)[:, None] // 13 * 5 + np.arange(81)[None] // 17
    labels[20:31, 40:52] = -1
    field = field_of(labels)
    documents = np.random.default_rng(4).gamma(1.0, 1.0, (2, field.documents.count, 3))

    def at(cells: CellField, rows: Array, columns: Array) -> Array:
        places = cells.places(rows, columns)
        return np.einsum(
            "cn,rcnk->rnk", places.weights, cells.concentration(documents)[:, places.cells]
        )

    for width in (0.0, 2.0, 5.0, 13.0):
        whole = field.cells(width)
        for window in ((slice(0, 70), slice(0, 81)), (slice(33, 34), slice(80, 81)),
                       (slice(11, 58), slice(29, 66)), (slice(69, 70), slice(0, 5))):  # fmt: skip
            rows, columns = (
                each.ravel()
                for each in np.meshgrid(np.arange(70)[window[0]], np.arange(81)[window[1]])
            )
            part = field.cells(width, window)
            np.testing.assert_array_equal(at(part, rows, columns), at(whole, rows, columns))


def test_finer_pixels_lie_between_the_cells_of_coarser_ones() -> None:
    coarse = weights_at(field_of(HALVES), 6.0)
    fine = weights_at(field_of(HALVES), 6.0, finer=3)
    # The middle of three fine pixels is the middle of a coarse one.
    np.testing.assert_allclose(fine[:, 1::3, 1::3], coarse, atol=1e-6)


def test_one_document_acts_everywhere_with_all_its_weight() -> None:
    field = field_of(np.zeros((23, 31), int))
    for width in (0.0, 3.0, 100.0):
        np.testing.assert_allclose(weights_at(field, width), 1.0, atol=1e-6)
    assert field.neighbours().shape == (0, 2)
    influence = layout_of(field).influence(0.7)
    assert influence.neighbours.size == 0


@pytest.mark.parametrize("width", [0.0, 2.0, 7.0, 20.0])
def test_documents_of_one_pixel_each_are_borne(width: float) -> None:
    labels = np.arange(24 * 26).reshape(24, 26)
    field = field_of(labels)
    weights = weights_at(field, width)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0, atol=1e-5)
    table = dense(layout_of(field, window=10.0).influence(width / 10.0))
    np.testing.assert_allclose(table.sum(axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(table, weights.reshape(624, 624).T, atol=1e-5)


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (2, 3)])
@pytest.mark.parametrize("width", [0.0, 1.0, 9.0])
def test_tiny_images_are_borne(shape: tuple[int, int], width: float) -> None:
    labels = np.arange(shape[0] * shape[1]).reshape(shape) // 5
    field = field_of(labels)
    weights = weights_at(field, width)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0, atol=1e-6)
    np.testing.assert_allclose(
        dense(layout_of(field).influence(width / 10.0)),
        weights.reshape(len(weights), -1).T, atol=1e-6,
    )  # fmt: skip


def test_windows_that_overlap_share_out_the_pixels_by_their_middles() -> None:
    image = Image(np.zeros((40, 50), np.float32), np.ones((40, 50), np.bool_))
    windows = make_documents(image, "window", window=20, stride=10)
    assert not windows.is_partition
    field = DocumentField(windows, 0)
    labels = field.labels
    assert labels.min() >= 0
    middles = []
    for number in range(windows.count):
        pixels = windows.pixels[windows.offsets[number] : windows.offsets[number + 1]]
        middles.append(np.divmod(pixels, 50))
    centres = np.array([[row.mean(), column.mean()] for row, column in middles])
    rows, columns = np.indices((40, 50))
    away = (rows[..., None] - centres[:, 0]) ** 2 + (columns[..., None] - centres[:, 1]) ** 2
    chosen = np.take_along_axis(away, labels[..., None].astype(int), 2)[..., 0]
    np.testing.assert_allclose(chosen, away.min(axis=2))
    np.testing.assert_allclose(weights_at(field, 5.0).sum(axis=0), 1.0, atol=1e-6)


def test_documents_touch_where_they_share_a_side_and_nowhere_else() -> None:
    labels = np.array([[0, 0, 1], [2, -1, 1], [2, 3, 3], [4, -1, 3]])
    pairs = {tuple(pair) for pair in field_of(labels, first=10).neighbours().tolist()}
    assert pairs == {(10, 11), (10, 12), (11, 13), (12, 13), (12, 14)}


def test_the_nearest_word_of_the_same_image_is_found() -> None:
    layout = layout_of(field_of(HALVES), field_of(HALVES, first=2))
    few = layout.subset(np.arange(0, 4800, 7))
    near = few.nearest(layout, np.arange(4800))
    np.testing.assert_array_equal(few.images[near], layout.images)
    away = np.hypot(few.rows[near] - layout.rows, few.columns[near] - layout.columns)
    assert away.max() <= 8.0
    np.testing.assert_array_equal(near[::7], np.arange(few.rows.size))


@settings(max_examples=40, deadline=None)
@given(
    height=st.integers(1, 30),
    breadth=st.integers(1, 30),
    count=st.integers(1, 12),
    width=st.sampled_from([0.0, 0.3, 1.0, 3.5, 8.0, 40.0]),
    holes=st.floats(0.0, 0.7),
    seed=st.integers(0, 10**6),
)
def test_any_shape_has_weights_that_sum_to_one(
    height: int, breadth: int, count: int, width: float, holes: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, count, (height, breadth))
    labels[rng.random(labels.shape) < holes] = -1
    labels.ravel()[rng.integers(labels.size)] = 0
    field = field_of(labels)
    labels = field.labels  # type: ignore[assignment]
    weights = weights_at(field, width)
    np.testing.assert_allclose(weights.sum(axis=0), labels >= 0, atol=1e-5)
    assert weights.min() >= 0.0
    layout = layout_of(field)
    table = dense(layout.influence(width / 10.0))
    np.testing.assert_allclose(table, weights[:, layout.rows, layout.columns].T, atol=1e-5)
