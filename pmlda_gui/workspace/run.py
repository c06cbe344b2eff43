"""A segmentation under way: the ladder of chains on prepared images, and its journal.

The window and the command line both drive this object, one sweep at a time.
Whatever changes what is sampled goes through it and is written into the journal
with the sweep at which it took effect, so that seed and journal repeat the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.checkpoint import Checkpoint
from pmlda_gui.core.coarse import Ladder
from pmlda_gui.core.diagnostics import Diagnosis, diagnose
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.state import Estimate, Info
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.journal import Journal
from pmlda_gui.workspace.preparation import Prepared

__all__ = ["ESTIMATES", "Run"]

ESTIMATES = ("mean", "map", "paper-map")
_COARSEST_WORDS = 3000
_STRIDE_STEP = 2


def _levels(prepared: Prepared) -> tuple[list[int], list[NDArray[np.int64]]]:
    """Strides in pixels, coarsest first without 1, and the words on them."""
    strides = []
    stride = _STRIDE_STEP
    while prepared.corpus.size // stride**2 >= _COARSEST_WORDS:
        strides.append(stride)
        stride *= _STRIDE_STEP
    strides.reverse()
    return strides, [prepared.words.subset(each) for each in strides]


class Run:
    """PM-LDA on prepared images, coarse to fine, steerable while it runs."""

    def __init__(
        self,
        prepared: Prepared,
        parameters: Parameters,
        sampler: str = "fast",
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self._prepared = prepared
        self._waiting: Prepared | None = None
        self._strides, levels = _levels(prepared)
        self._ladder = Ladder(prepared.corpus, parameters, sampler, seed, threads, levels=levels)
        self.journal = Journal()
        self.journal.record_start(
            parameters,
            sampler,
            seed,
            prepared.feature_choice,
            prepared.document_choice,
            prepared.label_maps,
            prepared.seed,
        )

    @property
    def prepared(self) -> Prepared:
        """Images, features, documents and words the run is on, and its estimates belong to."""
        return self._prepared

    @property
    def parameters(self) -> Parameters:
        """The newest parameters, in effect from the next sweep."""
        return self._ladder.chain.parameters

    @property
    def sweeps(self) -> int:
        """Sweeps done on all levels."""
        return self._ladder.sweeps

    @property
    def _begun(self) -> int:
        """Sweeps done or under way; what changes now takes effect after them."""
        return self.sweeps + self._ladder.chain.in_sweep

    @property
    def stride(self) -> int:
        """Every how many rows and columns are looked at just now; 1 is every pixel."""
        return 1 if self._ladder.finest else self._strides[self._ladder.level]

    @property
    def topic_ids(self) -> tuple[int, ...]:
        """Numbers that stay with their topics when others come and go."""
        return self._ladder.chain.topic_ids

    @property
    def chain(self) -> Any:
        """The current chain, for plots of its trace and its state."""
        return self._ladder.chain

    @property
    def starts_agreed(self) -> bool:
        """Whether all starts that were tried led to equally good fits."""
        return self._ladder.agreed

    def set_parameters(self, parameters: Parameters) -> None:
        """Take up new parameters at the next sweep."""
        if parameters != self.parameters:
            self.journal.record_parameters(self._begun, parameters)
            self._ladder.chain.parameters = parameters

    def set_prepared(self, prepared: Prepared) -> None:
        """Go on with other documents or features of the same images at the next sweep."""
        if [image.shape for image in prepared.images] != [
            image.shape for image in self._prepared.images
        ]:
            raise PmldaError("A run goes on only with the images it began with: start a new one.")
        self.journal.record_preparation(
            self._begun,
            prepared.feature_choice,
            prepared.document_choice,
            prepared.label_maps,
            prepared.seed,
        )
        self._waiting = prepared

    def sweep(self, n: int = 1, cancel: Callable[[], bool] | None = None) -> Info:
        """Run n sweeps; see `Chain.sweep` for `cancel`."""
        info = self._ladder.sweep(0)
        for _ in range(n):
            info = self._one_sweep(cancel)
            if not info.finished:
                break
        self.journal.sweeps = self.sweeps
        return info

    def _one_sweep(self, cancel: Callable[[], bool] | None) -> Info:
        if not self._ladder.chain.in_sweep:
            self._take_up_preparation()
        return self._ladder.sweep(1, cancel)

    def _take_up_preparation(self) -> None:
        """Give the chain the corpus that waits, unless it is the one it is on."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.is_made_like(self._prepared):
            self._prepared = waiting
            self._strides, levels = _levels(waiting)
            self._ladder.change_corpus(waiting.corpus, levels)

    def close(self) -> None:
        """Let the helping threads go."""
        self._ladder.chain.close()

    # -- what there is to see --------------------------------------------------------------

    def estimate(self, kind: str = "mean") -> Estimate:
        """The estimate of that kind on the words of the current level."""
        chain = self._ladder.chain
        if kind == "mean":
            return chain.estimate
        if kind == "map":
            return chain.map
        if kind == "paper-map":
            return chain.paper_map
        raise PmldaError(f"There is no estimate {kind!r}: choose {', '.join(ESTIMATES)}.")

    def maps(self, values: NDArray[np.floating]) -> list[NDArray[np.float32]]:
        """Values of the current level's words, (n, K), as full-size maps, one for each image.

        On a coarse level each pixel takes the value of the nearest word looked at,
        or where its cell has none, the mean of its document.
        """
        words = self._ladder.words
        if words is None:
            return self._prepared.maps(values)
        full = np.full((self._prepared.corpus.size, values.shape[1]), np.nan, np.float32)
        full[words] = values
        coarse = [_spread(each, self.stride) for each in self._prepared.maps(full)]
        chain = self._ladder.chain
        by_document = np.add.reduceat(values, chain.corpus.offsets[:-1], axis=0)
        by_document = by_document / chain.corpus.document_sizes[:, None]
        fallback = self._prepared.maps(
            np.repeat(by_document, self._prepared.corpus.document_sizes, axis=0)
        )
        return [
            np.where(np.isnan(behind), np.float32(np.nan), np.where(np.isnan(front), behind, front))
            for front, behind in zip(coarse, fallback, strict=True)
        ]

    def diagnosis(self) -> Diagnosis:
        """What the current chain says about itself."""
        return diagnose(self._ladder.chain)

    def segmentations(self, kind: str = "mean") -> list[Segmentation]:
        """The result so far, one for each image."""
        prepared, estimate = self._prepared, self.estimate(kind)
        memberships = self.maps(estimate.memberships)
        uncertainty = (
            [None] * len(memberships)
            if estimate.uncertainty is None
            else self.maps(estimate.uncertainty)
        )
        return [
            Segmentation(
                memberships=memberships[number],
                uncertainty=uncertainty[number],
                means=prepared.standardisation.invert(estimate.means),
                variance=estimate.variance,
                documents=prepared.documents[number],
                proportions=estimate.proportions[prepared.documents_of(number)],
                scaling=estimate.scaling[prepared.documents_of(number)],
                feature_names=prepared.feature_names,
                feature_units=prepared.feature_units,
                trace=self._ladder.chain.trace.logit_log_joint,
            )
            for number in range(len(prepared.images))
        ]

    # -- rest and resumption ---------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        """Everything needed to go on bit for bit with the same preparation.

        Changes that wait for the next sweep are not in it, but they are in the journal.
        """
        return self._ladder.checkpoint()

    @classmethod
    def resume(
        cls,
        prepared: Prepared,
        checkpoint: Checkpoint,
        journal: Journal,
        threads: int | None = None,
    ) -> Run:
        """The run that wrote this checkpoint."""
        run = cls.__new__(cls)
        run._prepared = prepared
        run._waiting = None
        run._strides, levels = _levels(prepared)
        run._ladder = Ladder.resume(prepared.corpus, checkpoint, threads, levels=levels)
        run.journal = journal
        return run


def _spread(coarse: NDArray[np.float32], stride: int) -> NDArray[np.float32]:
    """Give every pixel of (K, height, width) the value of its cell's first pixel."""
    _, height, width = coarse.shape
    cells = coarse[:, ::stride, ::stride]
    return cells.repeat(stride, axis=1)[:, :height].repeat(stride, axis=2)[:, :, :width]
