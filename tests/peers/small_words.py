"""Small words that the tests of the peers share."""

from __future__ import annotations

import numpy as np

from pmlda_gui.imagery.documents.documents import Documents, documents_from_labels
from pmlda_gui.imagery.features import Standardisation
from pmlda_gui.imagery.words import Words, build_words
from pmlda_gui.peers.method import Material

SHAPE = (24, 30)
CENTRES = np.array([[-2.0, 0.0], [2.0, 0.5], [0.0, 3.0]])


def blocks(side: int = 6, shape: tuple[int, int] = SHAPE) -> Documents:
    """Square documents."""
    rows, columns = np.indices(shape) // side
    labels = (rows * -(-shape[1] // side) + columns).astype(np.int32)
    return documents_from_labels("grid", labels, 1, 0)


def three_bands(noise: float = 0.3, seed: int = 0) -> tuple[Words, np.ndarray]:
    """Words around three centres in three vertical bands, and the band of each word."""
    rng = np.random.default_rng(seed)
    band = np.broadcast_to(np.arange(SHAPE[1]) * 3 // SHAPE[1], SHAPE)
    features = CENTRES[band] + noise * rng.standard_normal((*SHAPE, 2))
    words = build_words([features], [blocks()])
    return words, band.ravel()[words.sources]


def material(words: Words) -> Material:
    """The words with what maps need."""
    plain = Standardisation(np.zeros(2), np.ones(2))
    return Material(words, (blocks(),), plain, ("first", "second"), ("unit", "unit"))
