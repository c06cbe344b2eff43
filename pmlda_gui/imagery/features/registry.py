"""Every feature by name, with what it measures, and the presets that combine them.

Descriptions are one sentence each, for tooltips.  Features that mix linearly
with the seabed's memberships are marked; the model assumes that they do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features import colour, entropy, gabor, lacunarity, slope, statistics
from pmlda_gui.imagery.features.feature_input import FeatureSource
from pmlda_gui.imagery.features.ripple import filtering

__all__ = [
    "FEATURES",
    "PRESETS",
    "USUAL_PRESET",
    "Feature",
    "Noise",
    "Preset",
    "in_band",
    "measured_by_document",
    "resolve",
    "wavelengths_of",
]

Noise = Literal["differences", "cells"]
"""Where the noise of words is found: in differences of distant words, or within cells."""


@dataclass(frozen=True)
class Feature:
    """A named feature: `compute` gives one value a pixel, (height, width), in `unit`.

    `mixes` tells whether the feature of a mixture is (nearly) the mixture of features;
    `wavelengths` are those of the waves it measures, in pixels.  `needs_documents` tells
    whether it is measured document by document.  `band` is the number of the only band it is
    asked for in, None for all.
    """

    name: str
    unit: str
    description: str
    compute: Callable[[FeatureSource], NDArray[np.float64]]
    mixes: bool = True
    wavelengths: tuple[float, ...] = ()
    needs_documents: bool = False
    band: int | None = None


@dataclass(frozen=True)
class Preset:
    """Features that are used together.

    They are meant for windows of `window` pixels a side and for so many `documents`, which
    hold a few dozen windows each; `noise` says how their words are whitened.
    """

    name: str
    features: tuple[str, ...]
    description: str
    window: int = 21
    documents: int = 50
    noise: Noise = "cells"


def _wave_strength(source: FeatureSource, index: int, fine: bool) -> NDArray[np.float64]:
    """The root of the waves' amplitude.

    The scatter of an amplitude grows with it, that of its root hardly does, and the
    model takes noise to be alike everywhere: otherwise a rough seabed is read as a
    mixture of its own roughest and smoothest places.
    """
    bank = source.fine_gabor if fine else source.gabor
    energy: NDArray[np.float64] = bank.energies[index]
    # Sums over windows leave rounding below zero where there is no wave.
    return np.sqrt(np.maximum(energy, 0.0))


def _anisotropy(source: FeatureSource, fine: bool) -> NDArray[np.float64]:
    return source.fine_gabor.anisotropy if fine else source.gabor.anisotropy


_INTENSITY = "image unit"
_ROOT = "root of image unit"
_RATIO = "ratio"

_FEATURES = (
    Feature(
        "mean",
        _INTENSITY,
        "How bright the seabed is on average in the window.",
        statistics.local_mean,
    ),
    Feature(
        "std",
        _INTENSITY,
        "How much the brightness varies in the window, as its standard deviation.",
        statistics.local_standard_deviation,
    ),
    Feature(
        "entropy",
        "bit",
        "How evenly the brightness in the window spreads over 256 levels.",
        entropy.local_entropy,
    ),
    *(
        Feature(
            f"lacunarity_{box}",
            _RATIO,
            f"How gappy the seabed is when looked at in boxes of {box} pixels; 1 is even.",
            partial(lacunarity.local_lacunarity, box=box),
            mixes=False,
        )
        for box in (3, 7, 13)
    ),
    *(
        Feature(
            f"gabor_{wavelength:g}",
            _ROOT,
            f"How strong waves of about {wavelength:g} pixels {'' if fine else 'typically '}are in "
            "any direction: the root of their amplitude.",
            partial(_wave_strength, index=index, fine=fine),
            mixes=False,
            wavelengths=(wavelength,),
        )
        for fine, wavelengths in ((False, gabor.WAVELENGTHS), (True, gabor.FINE_WAVELENGTHS))
        for index, wavelength in enumerate(wavelengths)
    ),
    Feature(
        "anisotropy",
        _RATIO,
        "Whether the texture has one direction (towards 1) or none (0).",
        partial(_anisotropy, fine=False),
        mixes=False,
        wavelengths=gabor.WAVELENGTHS,
    ),
    Feature(
        "fine_anisotropy",
        _RATIO,
        "Whether texture of 2 to 10 pixels has one direction (towards 1) or none (0).",
        partial(_anisotropy, fine=True),
        mixes=False,
        wavelengths=gabor.FINE_WAVELENGTHS,
    ),
    Feature(
        "slope",
        "image unit per pixel",
        "How steeply the value rises across the window, for depths beside backscatter.",
        slope.local_slope,
        mixes=False,
    ),
    Feature(
        "ripple",
        _INTENSITY,
        "How strongly the seabed answers a filter shaped like its document's own ripples.",
        filtering.ripple_response,
        needs_documents=True,
    ),
    Feature(
        "lightness",
        "L*",
        "How light the colour is, smoothed over 3 x 3 pixels.",
        partial(colour.lab_channel, channel=0),
    ),
    Feature(
        "green_red",
        "a*",
        "Where the colour lies between green (negative) and red (positive), smoothed.",
        partial(colour.lab_channel, channel=1),
    ),
    Feature(
        "blue_yellow",
        "b*",
        "Where the colour lies between blue (negative) and yellow (positive), smoothed.",
        partial(colour.lab_channel, channel=2),
    ),
    Feature("blue", "share", "How much blue there is, smoothed.", colour.smooth_blue),
    Feature(
        "lightness_gradient",
        "L* per pixel",
        "How quickly the picture lightens downwards.",
        colour.lightness_gradient,
    ),
    Feature(
        "log_blue",
        "ln share",
        "The logarithm of blue, which tells dark blues apart.",
        colour.logarithm_of_blue,
        mixes=False,
    ),
)

_PRESETS = (
    Preset(
        "seabed",
        ("mean", "std", "gabor_3", "gabor_6", "gabor_12", "gabor_24", "anisotropy"),
        "Brightness, how it varies, waves of four lengths, and whether they share a direction.",
        window=31,
        noise="differences",
    ),
    Preset(
        "seabed-fine",
        ("mean", "gabor_2.5", "gabor_5", "gabor_10", "fine_anisotropy"),
        "The same with shorter waves, for texture of only a few pixels.",
        window=9,
        documents=300,
    ),
    Preset("paper-sas", ("mean", "entropy"), "The paper's features of sonar sub-images."),
    Preset(
        "paper-sas-ripple",
        ("mean", "entropy", "ripple"),
        "The paper's features of whole sonar images, with the ripple filter.",
    ),
    Preset(
        "paper-sunset",
        ("lightness", "green_red", "blue_yellow", "blue", "lightness_gradient", "log_blue"),
        "The paper's features of sunset pictures.",
    ),
)

FEATURES: dict[str, Feature] = {feature.name: feature for feature in _FEATURES}
PRESETS: dict[str, Preset] = {preset.name: preset for preset in _PRESETS}
USUAL_PRESET = PRESETS["seabed"]
"""For imagery of usual texture, and whose window features chosen one by one have."""


def resolve(names_or_preset: str | Sequence[str]) -> tuple[Feature, ...]:
    """The features behind a preset's name, one feature's name or several."""
    if isinstance(names_or_preset, str):
        preset = PRESETS.get(names_or_preset)
        names: Sequence[str] = preset.features if preset is not None else (names_or_preset,)
    else:
        names = names_or_preset
    if not names:
        raise PmldaError("No feature was chosen: choose at least one.")
    asked = [_name_and_band(name) for name in names]
    unknown = [name for name, (plain, _) in zip(names, asked, strict=True) if plain not in FEATURES]
    if unknown:
        raise PmldaError(
            f"There is no feature or preset called {unknown[0]!r}: "
            f"choose from {', '.join([*PRESETS, *FEATURES])}."
        )
    if len(set(names)) < len(names):
        raise PmldaError("A feature was chosen twice: choose each once.")
    return tuple(
        FEATURES[plain] if band is None else replace(FEATURES[plain], band=band)
        for plain, band in asked
    )


def in_band(name: str, number: int) -> str:
    """The name of a feature in one of several bands; the first is 1."""
    return f"{name}[{number}]"


def _name_and_band(name: str) -> tuple[str, int | None]:
    """A feature's own name, and the number of the band it is asked for in."""
    match = re.fullmatch(r"(.+)\[([1-9]\d{0,3})\]", name)
    return (name, None) if match is None else (match[1], int(match[2]))


def measured_by_document(names_or_preset: str | Sequence[str]) -> tuple[str, ...]:
    """The names of those features that are measured document by document."""
    return tuple(each.name for each in resolve(names_or_preset) if each.needs_documents)


def wavelengths_of(names_or_preset: str | Sequence[str]) -> tuple[float, ...]:
    """The lengths of all waves that these features measure, in pixels, shortest first."""
    found = {length for each in resolve(names_or_preset) for length in each.wavelengths}
    return tuple(sorted(found))
