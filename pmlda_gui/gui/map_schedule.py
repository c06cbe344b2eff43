"""Decides which part of the maps to compute next, and how fine.

After a change the first pass is so coarse that it takes next to no time; then finer ones
follow, up to the resolution of the screen, and where the chain rests, every pixel of the
image.  What a pass costs is measured on those before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmlda_gui.gui.canvas import NOTHING, TILE, Area, Canvas
from pmlda_gui.gui.frame import Pictures
from pmlda_gui.gui.frame_renderer import Painter
from pmlda_gui.gui.view_request import ShownTopic, ViewRequest

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["LEAST_DRAWS", "Mapper", "Pass"]

FIRST_SECONDS = 0.02
"""What the first pass after a change may take."""
QUICK_SECONDS = 0.06
"""What a pass may take that is more than twice as fine as the one before."""
LEAST_DRAWS = 5
"""With fewer draws nothing is known about how uncertain the memberships are."""
# Seconds for a pixel until one has been measured, and the weight of the newest measurement.
_SECONDS_PER_PIXEL = 2e-6
_GAIN = 0.3
# What takes as long for few pixels as for many would spoil the figure.
_LEAST_PIXELS_MEASURED = 20_000
# A pass at rest covers at most so many pixels, so that it can be given up quickly.
_PIXELS_AT_REST = 400_000


@dataclass(frozen=True)
class Pass:
    """A pass over part of the image; `first` is one that somebody waits for."""

    area: Area
    step: int
    version: int
    first: bool


class Mapper:
    """Makes the maps of one run, whatever is looked at."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._look = ViewRequest()
        self._painter = Painter()
        self._canvas: Canvas | None = None
        self._target: tuple[object, ...] = ()
        self._source: tuple[object, ...] = ()
        self._version = self._swept = 0
        self._seen = -1
        self._changed: list[Area] = []
        self._seconds_per_pixel = _SECONDS_PER_PIXEL
        self._visible_step = 1
        self._visible = Area(0, 0, 0, 0)
        self._deviates = False

    # -- what to do next ---------------------------------------------------------------------

    def set_view(self, look: ViewRequest) -> None:
        """Which estimate of which image is looked at, and how much of it."""
        self._look = look

    def note_sweeps(self) -> None:
        """The chain has moved on."""
        self._swept += 1

    def next_pass(self, at_rest: bool) -> Pass | None:
        """What to make next, None if there is nothing better to be had.

        `at_rest` says that the chain waits, so that there is time for what is not visible.
        """
        canvas = self._follow()
        needed = 1 if self._run.learns_from_all else self._visible_step
        now = canvas.coarsest(self._visible)
        if now == NOTHING:
            return self._pass(self._visible, self._affordable(FIRST_SECONDS, needed), first=True)
        if now > needed:
            finer = min(now // 2, self._affordable(QUICK_SECONDS, needed))
            return self._pass(self._visible, max(needed, finer))
        if not canvas.is_of(self._visible, self._version):
            return self._pass(self._visible, needed)
        return self._rest_of(canvas) if at_rest else None

    def _pass(self, area: Area, step: int, first: bool = False) -> Pass:
        return Pass(area, step, self._version, first)

    def _affordable(self, seconds: float, finest: int) -> int:
        """The finest step at which the visible part takes no longer than that."""
        step = finest
        while step < TILE and self.predicted(self._visible, step) > seconds:
            step *= 2
        return step

    def predicted(self, area: Area, step: int) -> float:
        """How many seconds a pass should take."""
        return area.pixels / step**2 * self._seconds_per_pixel

    def _rest_of(self, canvas: Canvas) -> Pass | None:
        """The first rows of tiles that are not as fine and new as they can be."""
        stale = ((canvas.steps > 1) | (canvas.versions != self._version)).any(axis=1)
        if not stale.any():
            return None
        first = int(stale.argmax())
        most = max(1, _PIXELS_AT_REST // (TILE * canvas.whole.right))
        end = first + 1
        while end < len(stale) and stale[end] and end - first < most:
            end += 1
        bottom = min(end * TILE, canvas.whole.bottom)
        return self._pass(Area(first * TILE, bottom, 0, canvas.whole.right), 1)

    def _follow(self) -> Canvas:
        """Take note of what is shown and what it is made from."""
        run, look, target = self._run, self._look, self._present_target()
        if target != self._target:
            self._canvas = self._canvas_for(look.image)
            self._target, self._source, self._seen = target, (), -1
        canvas = self._canvas
        assert canvas is not None
        if self._seen != self._swept:
            self._seen = self._swept
            # The chain's own maps change with every word that is visited.
            source = (object(),) if run.learns_from_all else run.map_source(look.estimate).draws
            if not _same(source, self._source):
                self._source = source
                self._version += 1
        self._visible_step = look.visible_step
        self._visible = canvas.whole
        if look.visible is not None:
            self._visible = canvas.tiled(Area(*look.visible))
        return canvas

    def _present_target(self) -> tuple[object, ...]:
        """What the maps are of; the first sweep changes more than any slider does."""
        run, look = self._run, self._look
        parameters = run.parameters_in_effect
        sampled = (parameters, run.hints_in_effect, run.topic_ids, run.sweeps > 0)
        return run.prepared, look.image, look.estimate, *sampled

    @property
    def is_current(self) -> bool:
        """Whether what was made is of what is to be seen now, however old or coarse."""
        return self._present_target() == self._target

    def _canvas_for(self, image: int) -> Canvas:
        """The present canvas, if what it shows may stay until it is painted over."""
        prepared, topics = self._run.prepared, self._run.parameters_in_effect.topics
        canvas = self._canvas
        if canvas is not None and self._target[:2] == (prepared, image):
            inside = canvas.inside
        else:
            inside = prepared.fields[image].labels >= 0
        if (
            canvas is None
            or self._target[1] != image
            or canvas.shares.shape != (topics, *inside.shape)
        ):
            return Canvas(inside, topics)
        if canvas.renew(inside):
            self._changed.append(canvas.whole)
        return canvas

    # -- doing it ----------------------------------------------------------------------------

    def make(self, wanted: Pass, cancel: Callable[[], bool]) -> bool:
        """Make a pass and lay it out; False if `cancel` came in between."""
        assert self._canvas is not None
        began, look = time.perf_counter(), self._look
        maps = self._run.maps(
            look.estimate, look.image, wanted.step, wanted.area.slices, cancel=cancel
        )
        if maps is None:
            return False
        pixels = maps.memberships[0].size
        if pixels >= _LEAST_PIXELS_MEASURED:
            measured = (time.perf_counter() - began) / pixels
            self._seconds_per_pixel += _GAIN * (measured - self._seconds_per_pixel)
        self._canvas.lay(maps, wanted.area, wanted.version, self._visible_step)
        self._deviates = maps.deviation is not None
        if wanted.area not in self._changed:
            self._changed.append(wanted.area)
        return True

    # -- what there is to see ----------------------------------------------------------------

    def paint(self, topics: tuple[ShownTopic, ...]) -> Pictures:
        """The pictures of all that has been made."""
        assert self._canvas is not None
        changed, self._changed = self._changed, []
        return self._painter.paint(self._canvas, topics, changed, self._deviates)

    @property
    def step(self) -> int:
        """The coarsest step of what is visible."""
        assert self._canvas is not None
        return self._canvas.coarsest(self._visible)

    @property
    def sharp(self) -> bool:
        """Whether what is visible is as fine as the screen can show."""
        return self.step <= self._visible_step

    @property
    def complete(self) -> bool:
        """Whether every pixel of the image was made from all that there is."""
        canvas = self._canvas
        return (
            canvas is not None
            and canvas.coarsest(canvas.whole) == 1
            and canvas.is_of(canvas.whole, self._version)
        )


def _same(first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    """Whether two tuples hold the same objects."""
    return len(first) == len(second) and all(a is b for a, b in zip(first, second, strict=True))
