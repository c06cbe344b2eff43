"""Makes the frames of a run: maps, figures, scatter and marks."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.gui.frame import ScatterPicture, Snapshot
from pmlda_gui.gui.held_out_look import HeldOutLook
from pmlda_gui.gui.map_schedule import LEAST_DRAWS, Mapper
from pmlda_gui.gui.run_stats import Meter
from pmlda_gui.gui.scatter_points import scatter_picture
from pmlda_gui.gui.view_request import ShownTopic, ViewRequest, arrange

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["Framer"]

SCATTER_SECONDS = 0.25
_DRAWS_AS_ONE = 3


class Framer:
    """Makes the frames of one run, which `number` tells apart from others."""

    def __init__(self, run: Run, number: int) -> None:
        self._run = run
        self._number = number
        self._look = ViewRequest()
        self._scatter: ScatterPicture | None = None
        self._scatter_due = 0.0
        self.mapper = Mapper(run)
        self.meter = Meter(run)
        self.held_out = HeldOutLook()

    def set_view(self, look: ViewRequest) -> None:
        """Paint this from now on, of an image that exists."""
        last = len(self._run.prepared.images) - 1
        self._look = look if look.image <= last else replace(look, image=last)
        self.mapper.set_view(self._look)
        self._scatter_due = 0.0

    def snapshot(self) -> Snapshot:
        """The present frame."""
        run, look, kind = self._run, self._look, self._look.estimate
        topics = arrange(run.topic_ids, look.topics)
        source = run.map_source(kind)
        at = run.mean_draw if kind == "mean" else source.draws[0]
        documents = run.prepared.documents_of(look.image)
        return Snapshot(
            run=self._number,
            image=look.image,
            prepared=run.prepared,
            topic_ids=run.topic_ids,
            topics=topics,
            pictures=self.mapper.paint(topics),
            proportions=_added(at.proportions[documents], topics),
            scaling=at.scaling[documents],
            marks=run.marks,
            figures=self.meter.figures,
            estimate=kind,
            scatter=self._scattered(topics),
            step=self.mapper.step,
            sharp=self.mapper.sharp,
            complete=self.mapper.complete,
            deviation_known=self._deviation_known(len(source.draws)),
        )

    def _deviation_known(self, draws: int) -> bool:
        """Whether draws enough have come that tell something new.

        Before the chain has been diagnosed, after a workspace was opened say, a few draws
        are counted as one.
        """
        counted = draws / _DRAWS_AS_ONE
        return self.meter.figures.sizes.get("memberships", counted) >= LEAST_DRAWS

    def _scattered(self, topics: tuple[ShownTopic, ...]) -> ScatterPicture | None:
        """The scatter, which is made anew less often than the maps."""
        run, chosen = self._run, self._look.scatter
        if chosen is None or max(chosen) >= len(run.prepared.feature_names):
            self._scatter = None
        elif time.perf_counter() >= self._scatter_due:
            estimate = run.estimate(self._look.estimate)
            self._scatter = scatter_picture(run, estimate, topics, chosen)
            self._scatter_due = time.perf_counter() + SCATTER_SECONDS
        return self._scatter


def _added(shares: NDArray[np.float64], topics: tuple[ShownTopic, ...]) -> NDArray[np.float64]:
    """The columns of (D, K) added up to the topics shown, (D, G)."""
    return np.stack([shares[:, list(topic.members)].sum(axis=1) for topic in topics], axis=1)
