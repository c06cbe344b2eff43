"""What may be asked of a segmentation: one set of names for the command and for Python.

Values may be given as Python values or as the text of a command line; they are
checked here once, and turned into what the layers below understand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.documents import Kind
from pmlda_gui.imagery.features import PRESETS
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import offered_documents, read_label_map
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import (
    DocumentChoice,
    FeatureChoice,
    choices_of,
    suggest_choices,
)
from pmlda_gui.workspace.run import ESTIMATES

__all__ = ["AUTOMATIC", "DEFAULT_SWEEPS", "DOCUMENT_KINDS", "Settings"]

AUTOMATIC = "auto"
"""The name for features that are chosen by the images' texture."""
DEFAULT_SWEEPS = 120
DOCUMENT_KINDS: tuple[Kind, ...] = ("slic", "ncut", "texture", "window", "grid")
_SAMPLERS = ("fast", "paper", "least-squares")
_MOST_CHAINS = 64

Numbers = float | str | Sequence[float]


@dataclass(frozen=True, eq=False)
class Settings:
    """How to segment; the names are those of the command's options.

    `alpha` is one number or one a topic; `scaling` is "learn" or a number,
    `proportions` "learn", "uniform" or one number a topic.  `documents` is one of
    DOCUMENT_KINDS, a file with a label map, or label maps (height, width), and
    `document_count` their number in each image, None for one that fits the features;
    `window` and `stride` (pixels) are those of sliding windows.  `features` is a
    preset, names, or AUTOMATIC.  `sweeps` counts those over all pixels; `seconds`
    limits the time of all chains together instead.  Chain c starts from `seed` + c.
    """

    topics: int = 3
    rate: float = DEFAULT_PARAMETERS.rate
    alpha: Numbers = 1.0
    scaling: float | str = "learn"
    fuzzifier: float = 1.0
    proportions: str | Sequence[float] = "learn"
    documents: str | Path | NDArray[np.integer] | Sequence[NDArray[np.integer]] = "slic"
    document_count: int | None = None
    window: int | None = None
    stride: int | None = None
    features: str | Sequence[str] = AUTOMATIC
    sampler: str = "fast"
    sweeps: int | None = None
    seconds: float | None = None
    chains: int = 1
    seed: int = 0
    threads: int | None = None
    estimate: str = "mean"

    def __post_init__(self) -> None:
        if self.sweeps is not None and self.seconds is not None:
            raise PmldaError("Sweeps and seconds were both given: choose one to end the run by.")
        _require("sweeps", self.sweeps, self.sweeps is None or self.sweeps >= 1, "at least 1")
        _require("seconds", self.seconds, self.seconds is None or self.seconds > 0, "more than 0")
        _require("chains", self.chains, 1 <= self.chains <= _MOST_CHAINS, f"1 to {_MOST_CHAINS}")
        _require("threads", self.threads, self.threads is None or self.threads >= 1, "at least 1")
        _require("seed", self.seed, 0 <= self.seed < 2**62, "a whole number from 0 on")
        _require("estimate", self.estimate, self.estimate in ESTIMATES, ", ".join(ESTIMATES))
        _require("sampler", self.sampler, self.sampler in _SAMPLERS, ", ".join(_SAMPLERS))
        if (self.window or self.stride) and self.documents != "window":
            raise PmldaError(
                "A window or stride was given, but the documents are no sliding windows: "
                "choose documents 'window' or leave them out."
            )
        self.parameters  # noqa: B018 (checked now rather than after the images are read)

    @classmethod
    def from_names(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from names and values, or a sentence about a name there is not."""
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise PmldaError(f"There is no setting {name!r}: choose from {', '.join(known)}.")
        return cls(**values)

    @property
    def parameters(self) -> Parameters:
        """The settings of the model."""
        alpha = _numbers("alpha", self.alpha)
        if self.scaling == "learn":
            scaling = None
        else:
            (scaling,) = _numbers("scaling", self.scaling)[:1]
        if isinstance(self.proportions, str) and self.proportions == "learn":
            proportions = None
        elif isinstance(self.proportions, str) and self.proportions == "uniform":
            proportions = (1.0 / max(int(self.topics), 1),) * int(self.topics)
        else:
            proportions = _numbers("proportions", self.proportions)
        return Parameters(
            topics=self.topics,
            alpha=alpha[0] if len(alpha) == 1 else alpha,
            rate=self.rate,
            scaling=scaling,
            fuzzifier=self.fuzzifier,
            proportions=proportions,
        )

    @property
    def topics_interchangeable(self) -> bool:
        """Whether the priors treat all topics alike, so that they may be renumbered."""
        parameters = self.parameters
        shares = parameters.proportions or (1.0,)
        return bool(np.ptp(parameters.alpha_vector) == 0 and np.ptp(shares) < 1e-12)

    def choices(
        self, images: Sequence[Image], cancel: Callable[[], bool] | None = None
    ) -> tuple[FeatureChoice, DocumentChoice]:
        """What is measured in these images, and how they are divided."""
        features, documents = FeatureChoice(), DocumentChoice()
        if not isinstance(self.features, str):
            features = FeatureChoice(tuple(self.features))
        elif self.features == AUTOMATIC:
            features, documents = suggest_choices(images, cancel)
        elif self.features in PRESETS:
            features, documents = choices_of(PRESETS[self.features])
        else:
            features = FeatureChoice(tuple(name.strip() for name in self.features.split(",")))
        count = documents.count if self.document_count is None else self.document_count
        return features, DocumentChoice(self._kind, count, self.window, self.stride)

    @property
    def _kind(self) -> Kind:
        named = self.documents if isinstance(self.documents, str) else None
        return next((each for each in DOCUMENT_KINDS if each == named), "labels")

    def label_maps(
        self, images: Sequence[Image], cancel: Callable[[], bool] | None = None
    ) -> tuple[NDArray[np.int32] | None, ...]:
        """The label map of each image, None for each unless the documents are brought along."""
        if self._kind != "labels":
            return (None,) * len(images)
        if isinstance(self.documents, str | Path):
            return _maps_in_file(Path(self.documents), images, cancel)
        brought = self.documents
        given = (
            [brought] if isinstance(brought, np.ndarray) and brought.ndim == 2 else list(brought)
        )
        return tuple(np.asarray(each) for each in given)

    def to_values(self) -> dict[str, Any]:
        """The settings as JSON can hold them."""
        values = asdict(self)
        documents = self.documents
        values["documents"] = (
            str(documents) if isinstance(documents, str | Path) else "label maps given as arrays"
        )
        for name in ("alpha", "proportions", "features"):
            if not isinstance(values[name], str | int | float):
                values[name] = list(values[name])
        return values


def _require(name: str, value: object, holds: bool, expected: str) -> None:
    if not holds:
        raise PmldaError(f"The setting {name} is {value}, but must be {expected}.")


def _numbers(name: str, value: Numbers) -> tuple[float, ...]:
    """One or several numbers, from numbers or from text with commas."""
    if isinstance(value, str):
        parts: Sequence[Any] = value.split(",")
    elif isinstance(value, int | float):
        parts = [value]
    else:
        parts = value
    try:
        return tuple(float(part) for part in parts)
    except (TypeError, ValueError):
        raise PmldaError(
            f"The setting {name} is {value!r}, but must be a number, or several with commas "
            "between them."
        ) from None


def _maps_in_file(
    path: Path, images: Sequence[Image], cancel: Callable[[], bool] | None
) -> tuple[NDArray[np.int32], ...]:
    """The label map in a file, for every image: one beside an image, or the file itself."""
    if not path.is_file():
        raise PmldaError(
            f"The documents {str(path)!r} are neither one of {', '.join(DOCUMENT_KINDS)} nor a "
            "file: choose a kind, or a file with a label map."
        )
    offered = offered_documents(path, cancel)
    labels = offered[0].labels if offered else read_label_map(path, cancel=cancel)
    for image in images:
        if labels.shape != image.shape:
            raise PmldaError(
                f"The label map in {path.name} has {labels.shape[1]} x {labels.shape[0]} pixels, "
                f"but {image.name} has {image.shape[1]} x {image.shape[0]}: give one of its size."
            )
    return (labels,) * len(images)
