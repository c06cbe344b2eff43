"""Features: what is measured around each pixel, and how measurements are made comparable."""

from pmlda_gui.imagery.features.compute import Features, compute_features
from pmlda_gui.imagery.features.feature_input import (
    Levels,
    PixelGroups,
    intensity_ranges,
    middle_part,
    middle_part_window,
)
from pmlda_gui.imagery.features.registry import (
    FEATURES,
    PRESETS,
    USUAL_PRESET,
    Feature,
    Noise,
    Preset,
    measured_by_document,
    wavelengths_of,
)
from pmlda_gui.imagery.features.scales import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    check_scale,
    in_metres,
    lengths_in_words,
    scaled_wavelengths,
    scaled_window,
)
from pmlda_gui.imagery.features.signal_to_noise import signal_to_noise
from pmlda_gui.imagery.features.standardise import (
    Standardisation,
    fit_standardisation,
    fit_words,
    standardise,
    words_to_noise,
)
from pmlda_gui.imagery.features.texture_scale import is_fine_grained

__all__ = [
    "FEATURES",
    "LARGEST_SCALE",
    "PRESETS",
    "SMALLEST_SCALE",
    "USUAL_PRESET",
    "Feature",
    "Features",
    "Levels",
    "Noise",
    "PixelGroups",
    "Preset",
    "Standardisation",
    "check_scale",
    "compute_features",
    "fit_standardisation",
    "fit_words",
    "in_metres",
    "intensity_ranges",
    "is_fine_grained",
    "lengths_in_words",
    "measured_by_document",
    "middle_part",
    "middle_part_window",
    "scaled_wavelengths",
    "scaled_window",
    "signal_to_noise",
    "standardise",
    "wavelengths_of",
    "words_to_noise",
]
