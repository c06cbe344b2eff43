"""The field of documents costs no more than is looked at, and takes any number of them."""

from __future__ import annotations

import numpy as np

from pmlda_gui.imagery.document_field import DocumentField, LatticeLayout
from pmlda_gui.imagery.documents import make_documents
from pmlda_gui.imagery.image import Image


def field_of(side: int, count: int) -> DocumentField:
    pixels = np.random.default_rng(3).random((side, side), np.float32)
    image = Image(pixels, np.ones(pixels.shape, np.bool_))
    return DocumentField(make_documents(image, "grid", count=count), 0)


def concentrations(field: DocumentField) -> np.ndarray:
    return np.random.default_rng(4).gamma(1.0, size=(5, field.documents.count, 3))


def test_without_a_blur_a_pixel_has_the_concentration_of_its_document() -> None:
    field = field_of(40, 9)
    rows, columns = np.array([3, 30, 39]), np.array([7, 31, 2])
    cells, places = field.hard_cells(rows, columns)
    documents = concentrations(field)
    found = cells.concentration(documents)[:, places.cells[0]]
    np.testing.assert_array_equal(found, documents[:, field.labels[rows, columns]])
    np.testing.assert_array_equal(places.weights.sum(axis=0), 1.0)


def test_hundreds_of_documents_may_act_on_one_word() -> None:
    field = field_of(200, 400)
    at = np.arange(0, 200, 40)
    rows, columns = (each.ravel() for each in np.meshgrid(at, at, indexing="ij"))
    layout = LatticeLayout(
        (field,), 30.0, np.zeros(rows.size, np.int64), rows, columns,
        np.linspace(0, rows.size, field.documents.count + 1).astype(np.int64),
    )  # fmt: skip
    influence = layout.influence(1.0)
    weights = np.bincount(influence.members, weights=influence.acts, minlength=rows.size)
    np.testing.assert_allclose(weights, 1.0)
    assert np.bincount(influence.members).max() > 64
