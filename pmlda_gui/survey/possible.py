"""What can be asked of a survey."""

from __future__ import annotations

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.batch.settings import Settings

__all__ = ["require_possible"]

_KINDS = ("slic", "ncut", "texture", "grid")


def require_possible(settings: Settings, all_words: bool) -> None:
    """Refuse settings of single images."""
    recipe = settings.recipe
    if recipe.documents.kind not in _KINDS:
        raise PmldaError(
            f"A survey is divided by one of {', '.join(_KINDS)}: sliding windows and label maps "
            "need images that are read whole."
        )
    if recipe.features.every_pixel or recipe.sampler != "fast":
        raise PmldaError(
            "A survey learns from words on a lattice with the sampler 'fast': every pixel and the "
            "paper's samplers are for single images, which `segment` takes."
        )
    if settings.seconds is not None:
        raise PmldaError(
            "A survey cannot be limited in seconds, since it would then not go on with the same "
            "topics after a break: give a number of sweeps."
        )
    if all_words and (recipe.estimate != "mean" or settings.chains != 1):
        raise PmldaError(
            "With all words there is one chain, and the estimate is the mean: leave out --estimate "
            "and --chains, or --all-words."
        )
