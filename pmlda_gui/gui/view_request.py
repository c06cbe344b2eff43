"""What the worker is asked to paint: estimate, image, topics and visible part; no Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pmlda_gui.workspace.session import TopicLook
from pmlda_gui.workspace.shown_topics import (
    ShownTopic,
    arrange,
    default_topic,
    given_looks,
    looks_of,
)

__all__ = ["ShownTopic", "ViewRequest", "arrange", "default_topic", "given_looks", "looks_of"]


@dataclass(frozen=True)
class ViewRequest:
    """What a frame shows: which estimate, of which image, with which topics' looks.

    `scatter` are the numbers of the two features of the scatter, None leaves it out;
    `topics` stand in the order of display.  `visible` are the first and last rows and
    columns of pixels on the screen (ends excluded), None for all; `pixels_per_screen_pixel`
    says how far the picture is zoomed out.
    """

    estimate: str = "mean"
    image: int = 0
    topics: tuple[TopicLook, ...] = ()
    scatter: tuple[int, int] | None = (0, 1)
    visible: tuple[int, int, int, int] | None = None
    pixels_per_screen_pixel: float = 1.0

    @property
    def visible_step(self) -> int:
        """The coarsest step, a power of two, that shows all the screen can show."""
        return 2 ** min(max(int(math.log2(max(self.pixels_per_screen_pixel, 1.0))), 0), 6)
