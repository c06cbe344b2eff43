"""The provenance of a result: program, version, seed and recipe."""

from __future__ import annotations

import hashlib
import json

from pmlda_gui import __version__
from pmlda_gui.workspace.export.result import Result

__all__ = ["PROGRAM", "program_tags", "provenance_tags", "recipe_hash"]

PROGRAM = "pmlda-gui"
# What changes how long a run takes, or where it begins, but not what is asked of it.
_NOT_RECIPE = ("threads", "seconds", "seed")


def program_tags() -> dict[str, str]:
    """The program and its version, as tags of a raster."""
    return {
        "TIFFTAG_SOFTWARE": f"{PROGRAM} {__version__}",
        "PROGRAM": PROGRAM,
        "VERSION": __version__,
    }


def provenance_tags(result: Result) -> dict[str, str]:
    """What a run adds to these: its seed, and the hash of what was asked of it."""
    return {"SEED": str(result.recipe.seed), "RECIPE": recipe_hash(result)}


def recipe_hash(result: Result) -> str:
    """The SHA-256 of all that was asked for; equal for runs that differ in their seed alone."""
    asked = {name: value for name, value in result.settings.items() if name not in _NOT_RECIPE}
    names = list(result.images[0].segmentation.feature_names)
    recipe = {"settings": asked, "feature_names": names}
    text = json.dumps(recipe, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
