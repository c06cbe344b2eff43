"""The paper's experiments and our own, each a figure plate with its numbers.

Every experiment is a module with a function `run(study) -> Outcome`; they are loaded
when asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.experiments.study import Outcome, Study
from pmlda_gui.imagery.image import Image

__all__ = ["EXPERIMENTS", "applicable", "run_experiment"]

EXPERIMENTS = (
    "unified",
    "generating",
    "subimages",
    "complete",
    "scaling",
    "superpixels",
    "fuzzifier",
    "sunset",
    "quality",
)
"""Every experiment by name, in the order of the paper."""

_NEEDS_COLOUR, _NEEDS_TRUTH = "sunset", "quality"


def applicable(images: Sequence[Image]) -> tuple[str, ...]:
    """The experiments that can be run on these images; all of them if there are none.

    The sunset features need colours, and quality needs scenes whose truth is known.
    """
    if not images:
        return EXPERIMENTS
    colour = all(image.is_colour for image in images)
    unfit = {_NEEDS_TRUTH} if colour else {_NEEDS_TRUTH, _NEEDS_COLOUR}
    return tuple(name for name in EXPERIMENTS if name not in unfit)


def run_experiment(name: str, study: Study) -> Outcome:
    """Run the experiment of that name."""
    if name not in EXPERIMENTS:
        raise PmldaError(
            f"There is no experiment {name!r}: choose one of {', '.join(EXPERIMENTS)}, or all."
        )
    outcome: Outcome = importlib.import_module(f"{__name__}.{name}").run(study)
    return outcome
