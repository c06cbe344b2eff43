"""Documents as polygons, with what the model found in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.documents import Documents
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.export.geopackage import Column, Layer, Shape
from pmlda_gui.workspace.export.ground_lengths import NO_GEOREFERENCE, transformed
from pmlda_gui.workspace.export.qgis_style import outline_style

__all__ = ["LAYER", "document_layer"]

LAYER = "documents"


def document_layer(image: Image, segmentation: Segmentation, topic_names: Sequence[str]) -> Layer:
    """One polygon a document.

    Coordinates are those of the image's reference system, or (column, row) of pixel
    corners where it has no georeference.  Columns: the document's number and pixels,
    its likeliest topic, its scaling, and for topic k its proportion and mean
    membership.  Sliding windows are their bounding rectangles.
    """
    assert segmentation.documents is not None
    place = image.georeference or NO_GEOREFERENCE
    shapes = [
        [transformed(ring, place) for ring in rings] for rings in _shapes(segmentation.documents)
    ]
    return Layer(
        LAYER,
        place,
        shapes,
        _columns(segmentation, topic_names),
        "the documents that the image was divided into",
        outline_style(),
    )


def _columns(segmentation: Segmentation, topic_names: Sequence[str]) -> list[Column]:
    documents = segmentation.documents
    assert documents is not None
    means = _mean_memberships(segmentation.memberships, documents)
    columns = [
        Column("document", "INTEGER", range(1, documents.count + 1)),
        Column("pixels", "INTEGER", documents.sizes.tolist()),
        Column("topic", "TEXT", [topic_names[topic] for topic in means.argmax(axis=1)]),
    ]
    if segmentation.scaling is not None:
        columns.append(Column("scaling", "REAL", segmentation.scaling.tolist()))
    tables = {"proportion": segmentation.proportions, "membership": means}
    for name, table in tables.items():
        if table is not None:
            columns += [
                Column(f"{name}_{topic}", "REAL", values.tolist())
                for topic, values in enumerate(table.T, 1)
            ]
    return columns


def _mean_memberships(
    memberships: NDArray[np.float32], documents: Documents
) -> NDArray[np.float64]:
    """The mean membership of each document's pixels, (D, K)."""
    words = memberships.reshape(len(memberships), -1)[:, documents.pixels].astype(np.float64)
    sums: NDArray[np.float64] = np.add.reduceat(words, documents.offsets[:-1], axis=1)
    return (sums / documents.sizes).T


def _shapes(documents: Documents) -> Sequence[Shape]:
    """The outline of each document in pixels."""
    return _traced(documents) if documents.is_partition else list(_rectangles(documents))


def _traced(documents: Documents) -> list[Shape]:
    """Documents that do not overlap, along the sides of their pixels."""
    from rasterio.features import shapes

    labels = documents.labels
    traced: list[Shape] = [[] for _ in range(documents.count)]
    for geometry, label in shapes(labels, mask=labels >= 0, connectivity=4):
        # A document is connected through pixel sides, so there is one shape of each.
        traced[int(label)] = [np.array(ring, dtype=np.float64) for ring in geometry["coordinates"]]
    return traced


def _rectangles(documents: Documents) -> Iterator[Shape]:
    """Documents that may overlap, as the rectangles they span."""
    rows, columns = np.divmod(documents.pixels, documents.shape[1])
    starts = documents.offsets[:-1]
    top, left = np.minimum.reduceat(rows, starts), np.minimum.reduceat(columns, starts)
    bottom, right = (np.maximum.reduceat(each, starts) + 1 for each in (rows, columns))
    for y0, x0, y1, x1 in zip(top, left, bottom, right, strict=True):
        corners = [(x0, y0), (x0, y1), (x1, y1), (x1, y0), (x0, y0)]
        yield [np.array(corners, dtype=np.float64)]
