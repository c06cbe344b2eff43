"""Sand ripples: their frequency and direction, the filter shaped like them, and their model."""

from pmlda_gui.imagery.features.ripple.estimate import Ripple, estimate_ripples
from pmlda_gui.imagery.features.ripple.filtering import block_filter
from pmlda_gui.imagery.features.ripple.model import RippledSeafloor

__all__ = ["Ripple", "RippledSeafloor", "block_filter", "estimate_ripples"]
