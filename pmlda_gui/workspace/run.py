"""A segmentation under way: a chain on prepared images, its maps, and its journal.

The window and the command line both drive this object, one sweep at a time.
Whatever changes what is sampled goes through it and is written into the journal
with the sweep at which it took effect, so that seed and journal repeat the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.chain import Chain
from pmlda_gui.core.checkpoint import Checkpoint
from pmlda_gui.core.coarse import Ladder
from pmlda_gui.core.crew import Crew
from pmlda_gui.core.diagnostics import Diagnosis, diagnose
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.findings import Findings, look_at
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.samplers import Globals
from pmlda_gui.core.state import Estimate, Info
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.journal import Journal
from pmlda_gui.workspace.maps import ImageMaps, MapMaker, MapSource, Window, thinned
from pmlda_gui.workspace.numbering import Numbering
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.recognising import Sightings, TopicSighting, step_for
from pmlda_gui.workspace.session import ImageEntry

__all__ = ["ESTIMATES", "Run"]

ESTIMATES = ("mean", "map", "paper-map")
# Halves of fewer draws say nothing; so many pixels are enough to compare maps.
_LEAST_HALF, _PIXELS_COMPARED = 8, 4000


class Run:
    """PM-LDA on prepared images, steerable while it runs.

    Topics that lie where those of the `former` sightings lay take over their numbers, unless
    their first numbers are given.
    """

    def __init__(
        self,
        prepared: Prepared,
        parameters: Parameters,
        sampler: str = "fast",
        seed: int = 0,
        threads: int | None = None,
        *,
        former: Sightings | None = None,
        topic_ids: tuple[int, ...] = (),
    ) -> None:
        self._begin(prepared.tuned(parameters.topics), threads)
        self._ladder = Ladder(self._prepared.corpus, parameters, sampler, seed, threads)
        self.journal = Journal()
        if former is not None and former.by_topics:
            topic_ids = self.numbering.begin(former, self.sighting())
        if topic_ids:
            self._ladder.chain.number_topics(topic_ids)
        self.journal.record_start(
            parameters,
            sampler,
            seed,
            prepared.feature_choice,
            prepared.document_choice,
            prepared.label_maps,
            prepared.seed,
            topic_ids,
        )

    def _begin(self, prepared: Prepared, threads: int | None) -> None:
        self._waiting: Prepared | None = None
        self.numbering = Numbering()
        # What its images are called in the session it was begun for, if in any.
        self.entries: tuple[ImageEntry, ...] | None = None
        self._crew = Crew(threads)
        self._set_prepared(prepared)

    def _set_prepared(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._maker = MapMaker(prepared, self._crew)

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
    def full_sweeps(self) -> int:
        """Sweeps over all words that are learned from."""
        return self._ladder.chain.sweeps if self._ladder.finest else 0

    @property
    def _begun(self) -> int:
        """Sweeps done or under way; what changes now takes effect after them."""
        return self.sweeps + self._ladder.chain.in_sweep

    @property
    def topic_ids(self) -> tuple[int, ...]:
        """Numbers that stay with their topics when others come and go."""
        return self._ladder.chain.topic_ids

    @property
    def chain(self) -> Chain:
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
            self._tune(self._waiting or self._prepared)

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
        self._tune(prepared)

    def _tune(self, prepared: Prepared) -> None:
        """Have the words for the newest number of topics at the next sweep."""
        tuned = prepared.tuned(self.parameters.topics)
        # Whoever goes back to what the run is on takes back what waited.
        self._waiting = None if tuned is self._prepared else tuned

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
        chain = self._ladder.chain
        if not chain.in_sweep:
            if chain.parameters.topics != chain.parameters_in_effect.topics:
                self.numbering.topics_change(self.sweeps, self.sighting)
            self._take_up_preparation()
        info = self._ladder.sweep(1, cancel)
        if info.finished and self.numbering.is_due(self.sweeps):
            numbers = self.numbering.look_again(self.sighting())
            if numbers != self.topic_ids:
                self.number_topics(numbers)
        return info

    def _take_up_preparation(self) -> None:
        """Give the chain the corpus that waits, unless it is the one it is on."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.is_made_like(self._prepared):
            self._set_prepared(waiting)
            self._ladder.change_corpus(waiting.corpus)

    def finish_sweep(self) -> None:
        """Go on to the end of a sweep that was interrupted, if one was.

        What is there then is what a repetition finds after as many sweeps.
        """
        if self._ladder.chain.in_sweep:
            self.sweep(1)

    @property
    def sweeps_under_settings(self) -> int:
        """Sweeps that the present result rests on: those since anything last changed."""
        return self._ladder.chain.sweeps_under_target

    @property
    def awaits_change(self) -> bool:
        """Whether a change waits for the next sweep, so that no result rests on it yet."""
        chain = self._ladder.chain
        return chain.parameters != chain.parameters_in_effect or (
            self._waiting is not None and not self._waiting.is_made_like(self._prepared)
        )

    def close(self) -> None:
        """Let the helping threads go."""
        self._ladder.chain.close()
        self._crew.close()

    # -- what there is to see --------------------------------------------------------------

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
        hard = self._ladder.chain.parameters_in_effect.hard_documents
        return hard and self._prepared.stride == 1 and self._ladder.finest

    def map_source(self, kind: str = "mean") -> MapSource:
        """What the maps of that kind are made from."""
        chain = self._ladder.chain
        parameters = chain.parameters_in_effect

        if kind not in ESTIMATES:
            raise PmldaError(f"There is no estimate {kind!r}: choose {', '.join(ESTIMATES)}.")
        by_quality, by_joint = chain.best
        draws = {"mean": chain.draws, "map": (by_quality,), "paper-map": (by_joint,)}[kind]
        return MapSource(draws, parameters.fuzzifier, parameters.smoothness, chain.seed, kind)

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
        return look_at(chain.corpus, chain.state, chain.parameters_in_effect.fuzzifier)

    def segmentations(self, kind: str = "mean") -> list[Segmentation]:
        """The result so far, one for each image."""
        return [self._segmentation(kind, number) for number in range(len(self._prepared.images))]

    def _segmentation(self, kind: str, number: int) -> Segmentation:
        prepared, chain = self._prepared, self._ladder.chain
        maps, at = self.maps(kind, number), self._globals(kind)
        assert maps is not None
        mine = prepared.documents_of(number)
        return Segmentation(
            memberships=maps.memberships,
            uncertainty=maps.deviation,
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
        return self.chain.mean_draw if kind == "mean" else self.map_source(kind).draws[0]

    # -- topics and their numbers ------------------------------------------------------------

    def sighting(self) -> TopicSighting:
        """Where the topics lie now."""
        prepared, maps = self._prepared, []
        for number, image in enumerate(prepared.images):
            found = self.maps("mean", number, step_for(image.shape))
            assert found is not None
            maps.append(found.memberships)
        means = prepared.standardisation.invert(self.chain.mean_draw.means)
        return TopicSighting(
            self.topic_ids, means, prepared.feature_names, prepared.images, tuple(maps)
        )

    def number_topics(self, numbers: tuple[int, ...]) -> None:
        """Give the topics these numbers, and write them into the journal."""
        self._ladder.chain.number_topics(numbers)
        self.journal.record_topic_ids(self.sweeps, numbers)

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
        topics = checkpoint.values.get("parameters", {}).get("topics")
        run._begin(prepared.tuned(topics) if isinstance(topics, int) else prepared, threads)
        run._ladder = Ladder.resume(run._prepared.corpus, checkpoint, threads)
        run.journal = journal
        return run
