"""The operator's choice of features and documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.documents import DEFAULT_COUNT, KINDS, Kind
from pmlda_gui.imagery.features import (
    PRESETS,
    USUAL_PRESET,
    Noise,
    Preset,
    check_scale,
    lengths_in_words,
    scaled_window,
    wavelengths_of,
)
from pmlda_gui.workspace.hashing import array_digest

__all__ = [
    "DOCUMENT_KINDS",
    "DocumentChoice",
    "FeatureChoice",
    "LabelMaps",
    "Preparation",
    "choices_of",
]

DOCUMENT_KINDS = tuple(kind for kind in KINDS if kind != "labels")
"""The kinds of documents that the program makes itself."""

LabelMaps = Sequence[NDArray[np.int32] | None]
"""A label map for each image, None for images without."""

_WIDEST_LATTICE = 1000


@dataclass(frozen=True)
class FeatureChoice:
    """A preset's name or features by name, and the side of their window in pixels.

    Without a window it is the preset's, as is `noise`, which says how words are whitened;
    features by name have those of the usual preset.  `scale` multiplies the window and the
    lengths of the waves: 2 where pixels are half as large as usual.  Words are learned from
    on every `lattice`-th row and column: 0 is half a window, more in large and less in small
    images, and 1 is every pixel.
    """

    names: str | tuple[str, ...] = USUAL_PRESET.name
    window: int = 0
    noise: Noise | None = None
    scale: float = 1.0
    lattice: int = 0

    def __post_init__(self) -> None:
        check_scale(self.scale)
        if self.window == 0:
            object.__setattr__(self, "window", self._preset.window)
        if not 0 <= self.lattice <= _WIDEST_LATTICE:
            raise PmldaError(
                f"The lattice is {self.lattice}, but must lie between 0 and {_WIDEST_LATTICE}."
            )

    @property
    def every_pixel(self) -> bool:
        """Whether every pixel is a word, as in the paper, and not one in each lattice cell."""
        return self.lattice == 1

    @property
    def scaled_window(self) -> int:
        """The side in pixels of the window that is measured."""
        return scaled_window(self.window, self.scale)

    def lengths(self, pixel_size: float | None) -> str:
        """The windows and waves that are measured, in metres too where pixels have a size."""
        waves = wavelengths_of(self.names)
        return lengths_in_words(self.window, waves, self.scale, pixel_size)

    @property
    def noise_window(self) -> int | None:
        """The window beyond which words tell the noise; None where cells tell it."""
        return self.scaled_window if (self.noise or self._preset.noise) == "differences" else None

    @property
    def _preset(self) -> Preset:
        return PRESETS.get(str(self.names), USUAL_PRESET)


@dataclass(frozen=True)
class DocumentChoice:
    """How each image is divided.

    `kind` is one of slic, ncut, texture, window, grid, labels; `count` is the
    number of documents of each image; `window` and `stride` (pixels) are those of
    sliding windows.  For `labels` the maps are given to `prepare`.
    """

    kind: Kind = "slic"
    count: int = DEFAULT_COUNT
    window: int | None = None
    stride: int | None = None


@dataclass(frozen=True)
class Preparation:
    """How words are made; `labels` are digests of label maps, "" for images without.

    `given` is the digest of the topics whose words these are, "" if they are the images' own.
    """

    features: FeatureChoice
    documents: DocumentChoice
    seed: int = 0
    labels: tuple[str, ...] = ()
    given: str = ""

    @classmethod
    def of(
        cls,
        features: FeatureChoice,
        documents: DocumentChoice,
        label_maps: LabelMaps = (),
        seed: int = 0,
        given: str = "",
    ) -> Preparation:
        """The preparation with these label maps."""
        digests = tuple("" if labels is None else array_digest(labels) for labels in label_maps)
        return cls(features, documents, seed, digests if any(digests) else (), given)


def choices_of(preset: Preset) -> tuple[FeatureChoice, DocumentChoice]:
    """A preset's features with the window and the documents they are meant for."""
    return FeatureChoice(preset.name, preset.window), DocumentChoice(count=preset.documents)
