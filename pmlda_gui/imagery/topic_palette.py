"""The colours of topics, distinguishable with any kind of colour vision.

The twelve were searched for: the least difference (CIEDE2000) between any two, as seen with
normal vision and with three kinds of colour blindness, is as large as could be found among
colours that are far from black and from white.  After the first four each is the farthest
from those before it, so the first few differ most.  Further topics get darker and lighter
relatives.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["TOPIC_COLOURS", "hexadecimal", "topic_colours"]

# Topic 1 has the first; an operator may choose another, see `workspace.shown_topics`.
TOPIC_COLOURS = (
    (0, 114, 178),
    (240, 168, 48),
    (136, 212, 150),
    (196, 60, 72),
    (119, 68, 102),
    (221, 153, 255),
    (255, 238, 0),
    (68, 34, 221),
    (204, 221, 255),
    (187, 119, 153),
    (238, 34, 0),
    (136, 119, 255),
)
# Each further round of twelve moves towards white or black by this share.
_ROUNDS = (0.0, 0.45, -0.45, 0.7, -0.65, 0.25)


def topic_colours(topics: int) -> NDArray[np.uint8]:
    """Colours of so many topics, (K, 3)."""
    rows = []
    for topic in range(topics):
        share = _ROUNDS[topic // len(TOPIC_COLOURS) % len(_ROUNDS)]
        colour = np.array(TOPIC_COLOURS[topic % len(TOPIC_COLOURS)], dtype=np.float64)
        goal = 255.0 if share > 0 else 0.0
        rows.append(colour + abs(share) * (goal - colour))
    return np.rint(np.array(rows)).astype(np.uint8)


def hexadecimal(colour: NDArray[np.uint8]) -> str:
    """A colour as web pages and QGIS write it, #rrggbb."""
    return "#" + "".join(f"{int(part):02x}" for part in colour)
