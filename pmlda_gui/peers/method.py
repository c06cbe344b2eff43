"""The protocol of a method: it yields better and better fits of the same words.

A fit is a generator, so whoever runs it sees each intermediate result and stops it
by no longer asking; `run_method` does that for callers who only want the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.documents import Documents
from pmlda_gui.imagery.features import Standardisation
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.imagery.words import Words

__all__ = ["Check", "Fit", "Material", "Method", "never_stop", "run_method", "to_segmentations"]

Array = NDArray[np.float64]
Check = Callable[[], None]
"""Called between steps of the work; raises `Cancelled` when the work is to stop."""


def never_stop() -> None:
    """The default check: the method runs to its end."""


@dataclass(frozen=True, eq=False)
class Fit:
    """What a method knows after a step.

    `fraction` of the work is done.  `memberships` (N, K) sum to 1 for each word;
    `means` (K, p) are in standardised units, as the words are, and `variance` is
    theirs.  `trace` is the objective by step.  `proportions` (D, K) and `scaling`
    (D) are None for methods that know no documents, `uncertainty` (N, K) for those
    that know no posterior.
    """

    fraction: float
    memberships: NDArray[np.floating]
    means: Array
    variance: float
    trace: Sequence[float]
    proportions: Array | None = None
    scaling: Array | None = None
    uncertainty: NDArray[np.floating] | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)


class Method(Protocol):
    """A way to segment; `name` is what a command line calls it, `title` what a person does.

    `soft` says whether memberships between 0 and 1 are meant as such, or are only the
    doubt about a crisp label.
    """

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def soft(self) -> bool: ...

    def fit(self, words: Words, topics: int, seed: int, check: Check = never_stop) -> Iterator[Fit]:
        """Fit K `topics`; equal seeds give equal fits, and the last one is the result.

        `check` is called within steps, so that a long one too can be stopped.
        """


@dataclass(frozen=True, eq=False)
class Material:
    """The words of some images with what is needed to read the results in their units."""

    words: Words
    documents: tuple[Documents, ...]
    standardisation: Standardisation
    feature_names: tuple[str, ...]
    feature_units: tuple[str, ...]


def run_method(
    method: Method,
    words: Words,
    topics: int,
    seed: int = 0,
    watch: Callable[[Fit], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Fit:
    """The last fit; `watch` is shown each, and `Cancelled` is raised once `cancel` says True."""
    if topics < 2:
        raise PmldaError(f"{method.title} was asked for {topics} topics, but needs at least 2.")
    if len(words.words) < topics:
        raise PmldaError(
            f"There are {len(words.words)} words for {topics} topics: give more pixels or fewer "
            "topics."
        )

    def check() -> None:
        if cancel is not None and cancel():
            raise Cancelled(f"{method.title} was stopped before it was done.")

    last: Fit | None = None
    for last in method.fit(words, topics, seed, check):
        if watch is not None:
            watch(last)
        check()
    assert last is not None
    return last


def to_segmentations(fit: Fit, material: Material) -> list[Segmentation]:
    """The fit as maps, one segmentation for each image."""
    maps = material.words.scatter(fit.memberships)
    spread = None if fit.uncertainty is None else material.words.scatter(fit.uncertainty)
    results, first = [], 0
    for number, documents in enumerate(material.documents):
        mine = slice(first, first + documents.count)
        first += documents.count
        results.append(
            Segmentation(
                memberships=maps[number].astype(np.float32),
                uncertainty=None if spread is None else spread[number].astype(np.float32),
                means=material.standardisation.invert(fit.means),
                variance=fit.variance,
                documents=documents,
                proportions=None if fit.proportions is None else fit.proportions[mine],
                scaling=None if fit.scaling is None else fit.scaling[mine],
                feature_names=material.feature_names,
                feature_units=material.feature_units,
                trace=np.asarray(fit.trace, dtype=np.float64),
                diagnostics=fit.diagnostics,
            )
        )
    return results
