"""Soft segmentation of sonar imagery with Partial Membership LDA."""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pmlda_gui.core.chain import Chain
    from pmlda_gui.core.corpus import Corpus
    from pmlda_gui.core.errors import PmldaError
    from pmlda_gui.core.parameters import Parameters
    from pmlda_gui.imagery.image import Image
    from pmlda_gui.imagery.readers import ReadOptions, open_image
    from pmlda_gui.imagery.segmentation import Segmentation
    from pmlda_gui.workspace.batch.segment import segment
    from pmlda_gui.workspace.choices import DocumentChoice, FeatureChoice
    from pmlda_gui.workspace.recipe import Recipe

__version__ = "0.2.0"

__all__ = [
    "Chain",
    "Corpus",
    "DocumentChoice",
    "FeatureChoice",
    "Image",
    "Parameters",
    "PmldaError",
    "ReadOptions",
    "Recipe",
    "Segmentation",
    "__version__",
    "open_image",
    "segment",
]

# Imported when first used: some need the compiler, which a window must not wait for.
_WHERE = {
    "Chain": "core.chain",
    "Corpus": "core.corpus",
    "DocumentChoice": "workspace.choices",
    "FeatureChoice": "workspace.choices",
    "Image": "imagery.image",
    "Parameters": "core.parameters",
    "PmldaError": "core.errors",
    "ReadOptions": "imagery.readers",
    "Recipe": "workspace.recipe",
    "Segmentation": "imagery.segmentation",
    "open_image": "imagery.readers",
    "segment": "workspace.batch.segment",
}

# Whoever uses the package decides where its log goes; without that, nowhere.
logging.getLogger(__name__).addHandler(logging.NullHandler())


# A type checker sees the names above, and that there are no others.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _WHERE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
