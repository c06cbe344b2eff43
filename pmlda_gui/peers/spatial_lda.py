"""Spatial LDA (Wang and Grimson 2008): the document of a word is latent as well.

Documents are places; a word joins a document with odds that fall with its distance,
exp(-|distance|^2 / sigma^2), so words near each other prefer the same one.  As in the
paper, each place of the given division is repeated four-fold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.vector_math import stream_keys, uniform
from pmlda_gui.imagery.words import Words
from pmlda_gui.peers.codebook import make_dictionary
from pmlda_gui.peers.gibbs_counts import averaged_fits, count
from pmlda_gui.peers.method import Check, Fit, never_stop
from pmlda_gui.peers.pixel_grid import word_positions

__all__ = ["SpatialLda"]

Array = NDArray[np.float64]
Integers = NDArray[np.int32]
Counters = NDArray[np.int64]
# Places whose weight is below this share of the nearest one's are not considered.
_LEAST_WEIGHT = 1e-3
# Words in a square of this side, in pixels, share their list of places.
_CELL = 8


@dataclass(frozen=True, eq=False)
class _Neighbourhoods:
    """The places near each cell: cell c has `places[starts[c]:starts[c + 1]]` with `weights`."""

    cells: Integers
    starts: Counters
    places: Integers
    weights: Array


def _neighbourhoods(words: Words, sigma: float) -> _Neighbourhoods:
    """The places, one at the centre of each document, that words of each cell may join."""
    image, positions = word_positions(words)
    sizes = np.diff(words.offsets)
    centres = np.add.reduceat(positions, words.offsets[:-1], axis=0) / sizes[:, None]
    home = image[words.offsets[:-1]]
    longer = np.array([max(shape) for shape in words.shapes], dtype=np.float64)
    squares = (positions // _CELL).astype(np.int64)
    across = int(squares.max()) + 1
    _, firsts, cells = np.unique(
        (image * across + squares[:, 0]) * across + squares[:, 1],
        return_index=True,
        return_inverse=True,
    )
    starts, places, weights = [0], [], []
    for first in firsts:
        near = np.flatnonzero(home == image[first])
        middle = (squares[first] + 0.5) * _CELL
        distances = np.sum((centres[near] - middle) ** 2, axis=1) / longer[image[first]] ** 2
        weight = np.exp(-(distances - distances.min()) / sigma**2)
        chosen = weight >= _LEAST_WEIGHT
        places.append(near[chosen])
        weights.append(weight[chosen])
        starts.append(starts[-1] + len(places[-1]))
    return _Neighbourhoods(
        cells.astype(np.int32),
        np.array(starts),
        np.concatenate(places).astype(np.int32),
        np.concatenate(weights),
    )


@kernel
def _sweep(
    numbers: Integers,
    documents: Integers,
    assignments: Integers,
    cells: Integers,
    starts: Counters,
    places: Integers,
    weights: Array,
    copies: int,
    of_codes: Counters,
    of_documents: Counters,
    of_topics: Counters,
    sizes: Counters,
    alpha: float,
    smoothing: float,
    key: np.uint64,
    sums: Array,
) -> None:
    """Draw document and topic of every word in turn; document d is copy d mod `copies`.

    `sizes` counts the words of each document.
    """
    topics = len(of_topics)
    odds = np.empty(max(topics, copies * int(np.max(starts[1:] - starts[:-1]))))
    everything = smoothing * len(of_codes)
    for n in range(len(numbers)):
        code, document, topic = numbers[n], documents[n], assignments[n]
        of_documents[document, topic] -= 1
        sizes[document] -= 1
        first, end = starts[cells[n]], starts[cells[n] + 1]
        total = 0.0
        for i in range(first, end):
            for copy in range(copies):
                candidate = places[i] * copies + copy
                total += (
                    weights[i]
                    * (of_documents[candidate, topic] + alpha)
                    / (sizes[candidate] + topics * alpha)
                )
                odds[(i - first) * copies + copy] = total
        height = total * uniform(key, np.uint64(2 * n))
        choice = np.searchsorted(odds[: (end - first) * copies], height, side="right")
        choice = min(choice, (end - first) * copies - 1)
        document = places[first + choice // copies] * copies + choice % copies
        of_codes[code, topic] -= 1
        of_topics[topic] -= 1
        total = 0.0
        for k in range(topics):
            total += (
                (of_documents[document, k] + alpha)
                * (of_codes[code, k] + smoothing)
                / (of_topics[k] + everything)
            )
            odds[k] = total
        height = total * uniform(key, np.uint64(2 * n + 1))
        topic = min(np.searchsorted(odds[:topics], height, side="right"), topics - 1)
        before = 0.0
        for k in range(topics):
            sums[n, k] += (odds[k] - before) / total
            before = odds[k]
        documents[n] = document
        assignments[n] = topic
        of_codes[code, topic] += 1
        of_documents[document, topic] += 1
        of_topics[topic] += 1
        sizes[document] += 1


@dataclass(frozen=True)
class SpatialLda:
    """`sigma` is in longer sides of the image, `copies` how often each place is a document.

    The other settings are those of LDA.
    """

    sigma: float = 0.1
    copies: int = 4
    codes: int = 100
    alpha: float = 1.0
    smoothing: float = 0.1
    sweeps: int = 40
    warm_up: int = 20
    name = "slda"
    title = "spatial LDA"
    soft = False

    def fit(self, words: Words, topics: int, seed: int, check: Check = never_stop) -> Iterator[Fit]:
        """One fit a sweep; the objective is that of LDA."""
        dictionary = make_dictionary(words, self.codes, seed, check)
        near = _neighbourhoods(words, self.sigma)
        check()
        rng = np.random.default_rng([seed, self.copies])
        given = np.diff(words.offsets)
        places = np.repeat(np.arange(len(given), dtype=np.int32), given)
        assignments = dictionary.topics_of_codes(words, topics, seed)[dictionary.numbers]
        copy = rng.integers(self.copies, size=len(places), dtype=np.int32)
        documents = (places * self.copies + copy).astype(np.int32)
        counts = count(
            dictionary.numbers,
            documents,
            assignments,
            (len(dictionary.codes), len(given) * self.copies, topics),
        )
        sizes = counts.of_documents.sum(axis=1)
        sums = np.zeros((len(documents), topics))

        def sweep_once(sweep: int) -> None:
            _sweep(
                dictionary.numbers, documents, assignments,
                near.cells, near.starts, near.places, near.weights, self.copies,
                counts.of_codes, counts.of_documents, counts.of_topics, sizes,
                self.alpha, self.smoothing, stream_keys(seed, sweep, 1, 1)[0], sums,
            )  # fmt: skip

        yield from averaged_fits(
            dictionary, counts, sums, sweep_once, self.sweeps, self.warm_up, self.smoothing
        )
