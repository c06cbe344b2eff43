"""The readable part of a run: progress, estimates, maps and diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.chain import Chain
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.diagnostics import Diagnosis, diagnose
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.findings import Findings, look_at
from pmlda_gui.core.ladder import Ladder
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.state import Estimate, Globals
from pmlda_gui.core.trace import Mark, Trace
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.hints import PaintedHint
from pmlda_gui.workspace.maps import ImageMaps, MapMaker, MapSource, Window, thinned
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.recipe import ESTIMATES, Recipe
from pmlda_gui.workspace.topic_matching import TopicRecord, step_for

__all__ = ["MadeMaps", "RunView"]

Asked = TypeVar("Asked", bound=Recipe)
# Halves of fewer draws say nothing; so many pixels are enough to compare maps.
_LEAST_HALF, _PIXELS_COMPARED = 8, 4000


@dataclass(frozen=True, eq=False)
class MadeMaps:
    """The maps of one image, topics in the order of the run: see `Segmentation`."""

    memberships: NDArray[np.float32]
    uncertainty: NDArray[np.float32] | None
    unknown: NDArray[np.float32] | None = None


class RunView:
    """The reading half of a run; nothing here changes what is sampled.

    A run climbs from few words to all of them, so some figures speak of the words that it
    is on now: `words`, `corpus`, `trace` and `sweeps_on_level`.
    """

    _ladder: Ladder
    _maker: MapMaker
    _prepared: Prepared
    _hints: tuple[PaintedHint, ...]

    @property
    def prepared(self) -> Prepared:
        """Images, features, documents and words the run is on, and its estimates belong to."""
        return self._prepared

    @property
    def parameters_in_effect(self) -> Parameters:
        """The parameters of the last sweep, without what waits for the next."""
        return self._ladder.chain.parameters

    def as_sampled(self, asked: Asked) -> Asked:
        """A recipe, or a session, as the last sweep had it, without what waits for the next."""
        return replace(
            asked,
            parameters=self.parameters_in_effect,
            features=self._prepared.feature_choice,
            documents=self._prepared.document_choice,
            sampler=self.sampler,
            seed=self.seed,
        )

    @property
    def hints_in_effect(self) -> tuple[PaintedHint, ...]:
        """The hints of the last sweep, without what waits for the next."""
        return self._hints

    @property
    def sampler(self) -> str:
        """The name of the sampler."""
        return self._ladder.chain.sampler

    @property
    def seed(self) -> int:
        """The seed of all that is random in the chain."""
        return self._ladder.chain.seed

    @property
    def sweeps(self) -> int:
        """Sweeps done on all levels."""
        return self._ladder.sweeps

    @property
    def sweeps_on_level(self) -> int:
        """Sweeps done over the words that the run is on now."""
        return self._ladder.chain.sweeps

    @property
    def full_sweeps(self) -> int:
        """Sweeps over all words that are learned from."""
        return self._ladder.chain.sweeps if self._ladder.finest else 0

    @property
    def sweeps_under_settings(self) -> int:
        """Sweeps that the present result rests on: those since anything last changed."""
        return self._ladder.chain.sweeps_under_target

    @property
    def in_sweep(self) -> bool:
        """Whether a sweep was interrupted, which the next call goes on with."""
        return self._ladder.chain.in_sweep

    @property
    def topic_ids(self) -> tuple[int, ...]:
        """Numbers that stay with their topics when others come and go."""
        return self._ladder.chain.topic_ids

    @property
    def corpus(self) -> Corpus:
        """The words that the run is on now."""
        return self._ladder.chain.corpus

    @property
    def words(self) -> int:
        """How many these are."""
        return self.corpus.size

    @property
    def trace(self) -> Trace:
        """The trace of the words that the run is on now."""
        return self._ladder.chain.trace

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Changes of the target, by the sweep of all levels after which they took effect."""
        before = self._ladder.sweeps_below
        return tuple(Mark(before + mark.sweep, mark.text) for mark in self.trace.marks)

    @property
    def log_joint(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Sweeps of all levels, and the log joint in logit measure per word after each."""
        trace = self.trace
        return self._ladder.sweeps_below + trace.joint_sweeps, trace.logit_log_joint / self.words

    @property
    def last_log_joint(self) -> float:
        """The log joint in logit measure per word after the last sweep."""
        return self.trace.last_logit_log_joint / self.words

    @property
    def mean_draw(self) -> Globals:
        """The mean of the kept draws of topics and documents."""
        return self._ladder.chain.mean_draw

    @property
    def best_quality(self) -> float:
        """The best Q seen since anything last changed."""
        return self._ladder.chain.best_quality

    @property
    def chain(self) -> Chain:
        """The current chain, for diagnostics over several runs."""
        return self._ladder.chain

    @property
    def starts_agreed(self) -> bool:
        """Whether all starts that were tried led to equally good fits."""
        return self._ladder.agreed

    # -- estimates and maps ----------------------------------------------------------------

    def estimate(self, kind: str = "mean") -> Estimate:
        """The estimate of that kind on the words that are learned from."""
        chain = self._ladder.chain
        if kind == "mean":
            return chain.estimate
        if kind == "map":
            return chain.map
        if kind == "paper-map":
            return chain.paper_map
        raise PmldaError(f"There is no estimate {kind!r}: choose {', '.join(ESTIMATES)}.")

    @property
    def learns_from_all(self) -> bool:
        """Whether every pixel is a word of the chain, in hard documents: the paper's model."""
        hard = self._ladder.chain.parameters.hard_documents
        return hard and self._prepared.stride == 1 and self._ladder.finest

    def map_source(self, kind: str = "mean") -> MapSource:
        """What the maps of that kind are made from."""
        chain = self._ladder.chain
        parameters = chain.parameters

        if kind not in ESTIMATES:
            raise PmldaError(f"There is no estimate {kind!r}: choose {', '.join(ESTIMATES)}.")
        by_quality, by_joint = chain.best
        draws = {"mean": chain.draws, "map": (by_quality,), "paper-map": (by_joint,)}[kind]
        return MapSource(
            draws, parameters.fuzzifier, parameters.smoothness, chain.seed, kind,
            self.topic_ids, self._hints,
        )  # fmt: skip

    def maps(
        self,
        kind: str = "mean",
        image: int = 0,
        step: int = 1,
        window: Window | None = None,
        *,
        keep: bool = False,
        cancel: Callable[[], bool] | None = None,
    ) -> ImageMaps | None:
        """The maps of (a part of) an image on every `step`-th row and column.

        With `keep` the draws of the map come along.  None once `cancel` says True.
        """
        if self.learns_from_all and not keep:
            return thinned(self.estimate(kind), self._prepared, image, step, window)
        return self._maker.maps(
            self.map_source(kind), image, step, window, keep=keep, cancel=cancel
        )

    def map_change(self) -> float | None:
        """How far the maps of the earlier half of the kept draws are from those of the later.

        The root mean squared difference of memberships, with the same random numbers for both,
        so that it is the draws that differ; None while there are too few.
        """
        source = self.map_source()
        half = len(source.draws) // 2
        if half < _LEAST_HALF:
            return None
        halves = (source.draws[:half], source.draws[len(source.draws) - half :])
        squares, count = 0.0, 0
        for image in range(len(self._prepared.images)):
            step = self._coarse_step(image)
            earlier, later = (
                self._maker.maps(replace(source, draws=draws), image, step) for draws in halves
            )
            assert earlier is not None
            assert later is not None
            away = earlier.memberships - later.memberships
            squares += float(np.nansum(away**2, dtype=np.float64))
            count += int(np.count_nonzero(~np.isnan(away)))
        return float(np.sqrt(squares / max(count, 1)))

    def _coarse_step(self, image: int) -> int:
        """Every how many rows and columns are enough to see whether maps change."""
        height, width = self._prepared.images[image].shape
        wanted = _PIXELS_COMPARED / len(self._prepared.images)
        return max(1, int(np.sqrt(height * width / wanted)))

    def diagnosis(self) -> Diagnosis:
        """What the current chain says about itself, and its maps."""
        change = None if self.learns_from_all else self.map_change()
        return diagnose(self._ladder.chain, change)

    def findings(self) -> Findings:
        """What is to be said about the topics and documents as they are now."""
        chain = self._ladder.chain
        return look_at(chain.corpus, chain.state, chain.parameters.fuzzifier)

    def segmentations(
        self, kind: str = "mean", made: Sequence[MadeMaps] | None = None
    ) -> list[Segmentation]:
        """The result so far, one for each image; maps that were `made` elsewhere are taken over."""
        found = made or (self._made(kind, each) for each in range(len(self._prepared.images)))
        return [self._segmentation(kind, number, maps) for number, maps in enumerate(found)]

    def _made(self, kind: str, number: int) -> MadeMaps:
        maps = self.maps(kind, number)
        assert maps is not None
        return MadeMaps(maps.memberships, maps.deviation)

    def _segmentation(self, kind: str, number: int, maps: MadeMaps) -> Segmentation:
        prepared, chain, at = self._prepared, self._ladder.chain, self._globals(kind)
        mine = prepared.documents_of(number)
        return Segmentation(
            memberships=maps.memberships,
            uncertainty=maps.uncertainty,
            unknown=maps.unknown,
            means=self.topic_means(kind),
            variance=at.variance,
            documents=prepared.documents[number],
            proportions=at.proportions[mine],
            scaling=at.scaling[mine],
            feature_names=prepared.feature_names,
            feature_units=prepared.feature_units,
            trace=chain.trace.logit_log_joint,
        )

    def topic_means(self, kind: str = "mean") -> NDArray[np.float64]:
        """The means (K, p) of the topics in the features' units."""
        return self._prepared.standardisation.invert(self._globals(kind).means)

    def _globals(self, kind: str) -> Globals:
        """Topics and documents of an estimate."""
        return self.mean_draw if kind == "mean" else self.map_source(kind).draws[0]

    # -- topics and their numbers ------------------------------------------------------------

    def topic_record(self) -> TopicRecord:
        """Where the topics lie now."""
        prepared, maps = self._prepared, []
        for number, image in enumerate(prepared.images):
            found = self.maps("mean", number, step_for(image.shape))
            assert found is not None
            maps.append(found.memberships)
        means = prepared.standardisation.invert(self.mean_draw.means)
        return TopicRecord(
            self.topic_ids, means, prepared.feature_names, prepared.images, tuple(maps)
        )
