"""How well topics explain words that were never used for learning.

Words in the middle between those that are learned from are held out.  Under one sample of
topics and documents, the predictive density of such a word is the mean of its density over
all memberships that its place allows; higher is better, and noise that was learned by
heart does not help.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.map_pass import Places
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.state import Globals
from pmlda_gui.imagery.document_field import CellField, DocumentField
from pmlda_gui.workspace.analysis.predictive import log_predictive
from pmlda_gui.workspace.preparation import Prepared

__all__ = ["HeldOut"]

Array = NDArray[np.float64]
_MOST_WORDS = 300


class HeldOut:
    """The held-out words of prepared images; empty where every pixel is learned from."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        stride = prepared.stride
        each = max(1, _MOST_WORDS // len(prepared.images))
        self._places: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        words = []
        for number, field in enumerate(prepared.fields):
            height, width = field.labels.shape
            rows, columns = np.mgrid[stride:height:stride, stride:width:stride].reshape(2, -1)
            inside = field.labels[rows, columns] >= 0
            rows, columns = rows[inside], columns[inside]
            chosen = np.linspace(0, len(rows) - 1, min(each, len(rows))).astype(int)
            rows, columns = rows[chosen], columns[chosen]
            if stride == 1:
                rows, columns = rows[:0], columns[:0]
            self._places.append((rows, columns))
            words.append(prepared.standardised(number)[:, rows, columns].T)
        self._words = np.concatenate(words).astype(np.float64)
        self._turned = _log_of_turning(prepared)
        self._smoothness: float | None = None
        self._acting: list[tuple[CellField, Places]] = []

    @property
    def size(self) -> int:
        """Number of held-out words."""
        return len(self._words)

    def score(self, current: Globals, parameters: Parameters) -> float:
        """The mean log predictive density of a held-out word under one sample, in nats."""
        if not self.size:
            return math.nan
        found = log_predictive(
            self._words,
            self._concentration(current, parameters),
            current.means,
            current.variance,
            parameters.fuzzifier,
        )
        return float(found.mean()) + self._turned

    def _concentration(self, current: Globals, parameters: Parameters) -> Array:
        """s pi at the place of each held-out word, (N, K)."""
        if parameters.smoothness != self._smoothness:
            self._smoothness = parameters.smoothness
            self._acting = [
                self._cells_of(field, rows, columns)
                for field, (rows, columns) in zip(self.prepared.fields, self._places, strict=True)
            ]
        documents, found = current.concentration[None], []
        for cells, places in self._acting:
            used, at = np.unique(places.cells, return_inverse=True)
            values = cells.concentration(documents, used.astype(np.int64))[0]
            mixed = values[at.reshape(places.cells.shape)] * places.weights[..., None]
            found.append(mixed.sum(axis=0))
        return np.concatenate(found)

    def _cells_of(
        self, field: DocumentField, rows: NDArray[np.int64], columns: NDArray[np.int64]
    ) -> tuple[CellField, Places]:
        """How documents act on the held-out words of an image."""
        if self._smoothness == 0.0:
            return field.hard_cells(rows, columns)
        assert self._smoothness is not None
        cells = field.cells(self._smoothness * self.prepared.unit)
        return cells, cells.places(rows, columns)


def _log_of_turning(prepared: Prepared) -> float:
    """ln |det| of what words were multiplied by for their number of topics.

    With it, densities under different numbers of topics are those of the same words.
    """
    if prepared.untuned is None:
        return 0.0
    before, after = prepared.untuned.standardisation, prepared.standardisation
    both = [np.eye(len(prepared.feature_names)) if s.mixing is None else s.mixing
            for s in (before, after)]  # fmt: skip
    sizes = [float(np.linalg.slogdet(each)[1]) for each in both]
    return sizes[1] - sizes[0]
