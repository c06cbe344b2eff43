"""Features: what is measured around each pixel, and how measurements are made comparable."""

from pmlda_gui.imagery.features.compute import Features, compute_features
from pmlda_gui.imagery.features.grain import is_fine_grained
from pmlda_gui.imagery.features.registry import (
    FEATURES,
    PRESETS,
    USUAL_PRESET,
    Feature,
    Noise,
    Preset,
)
from pmlda_gui.imagery.features.source import PixelGroups, intensity_range
from pmlda_gui.imagery.features.standardise import (
    Standardisation,
    fit_standardisation,
    fit_words,
    standardise,
)

__all__ = [
    "FEATURES",
    "PRESETS",
    "USUAL_PRESET",
    "Feature",
    "Features",
    "Noise",
    "PixelGroups",
    "Preset",
    "Standardisation",
    "compute_features",
    "fit_standardisation",
    "fit_words",
    "intensity_range",
    "is_fine_grained",
    "standardise",
]
