"""The settings of a segmentation: the same names for command line and Python.

Values may be given as Python values or as the text of a command line; they are
checked here once, and turned into what the layers below understand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.documents import Kind
from pmlda_gui.imagery.features import PRESETS, check_scale
from pmlda_gui.imagery.features.windows import check_window
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import offered_documents, read_label_map
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import (
    DocumentChoice,
    FeatureChoice,
    choices_of,
)
from pmlda_gui.workspace.run import ESTIMATES
from pmlda_gui.workspace.serialization import to_values
from pmlda_gui.workspace.suggestions import suggest_preset
from pmlda_gui.workspace.topic_set import TopicSet, topics_bytes

__all__ = ["AUTOMATIC", "DOCUMENT_KINDS", "Settings", "default_sweeps"]

AUTOMATIC = "auto"
"""The name for what is chosen by looking at the images."""
# Sweeps over a lattice take milliseconds; those over every pixel are far longer.
_SWEEPS_ON_LATTICE, _SWEEPS_OVER_ALL = 500, 120
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
    preset, names, or AUTOMATIC, `feature_window` the side of their window in pixels, None for
    the preset's, and `feature_scale` multiplies their window and the lengths
    of their waves: AUTOMATIC if the features are, else 1, unless it is given.  The number of
    topics may be AUTOMATIC too.  `smoothness`
    and `coupling` are those of documents, and words are learned from on every `lattice`-th
    row and column (0: half a window); None is the usual for `fast`, and what the paper has
    for the other samplers: hard documents, every pixel.  `sweeps` counts those over all
    words; `seconds` limits the time of all chains together instead.  Chain c starts from
    `seed` + c.  `topics_from` are topics found before, or a file with them: they are held,
    and bring their features and the model with them.
    """

    topics: int | str = 3
    rate: float = DEFAULT_PARAMETERS.rate
    alpha: Numbers = 1.0
    scaling: float | str = "learn"
    fuzzifier: float = 1.0
    proportions: str | Sequence[float] = "learn"
    smoothness: float | None = None
    coupling: float | None = None
    lattice: int | None = None
    documents: str | Path | NDArray[np.integer] | Sequence[NDArray[np.integer]] = "slic"
    document_count: int | None = None
    window: int | None = None
    stride: int | None = None
    features: str | Sequence[str] = AUTOMATIC
    feature_window: int | None = None
    feature_scale: float | str | None = None
    sampler: str = "fast"
    sweeps: int | None = None
    seconds: float | None = None
    chains: int = 1
    seed: int = 0
    threads: int | None = None
    estimate: str = "mean"
    topics_from: str | Path | TopicSet | None = None

    def __post_init__(self) -> None:
        if self.topics_from is not None:
            self._take_topics()
        object.__setattr__(self, "topics", _chosen("topics", self.topics, int))
        if self.feature_scale is None:
            # Whoever chose the features chose their lengths with them.
            chosen = self.features != AUTOMATIC or self.sampler != "fast"
            object.__setattr__(self, "feature_scale", 1.0 if chosen else AUTOMATIC)
        scale = _chosen("feature_scale", self.feature_scale or AUTOMATIC, float)
        object.__setattr__(self, "feature_scale", scale)
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
        # Checked now rather than after the images are read.
        if self.feature_window is not None:
            check_window(self.feature_window)
        check_scale(self._known_scale)
        self.parameters  # noqa: B018

    def _take_topics(self) -> None:
        """Read the given topics, and refuse what contradicts them."""
        if self.sampler != "fast":
            raise PmldaError("Topics from a file are supported by the sampler 'fast' only.")
        if not isinstance(self.topics_from, TopicSet):
            from pmlda_gui.workspace.topic_source import topics_from_file

            found = topics_from_file(Path(str(self.topics_from)), self.threads)
            object.__setattr__(self, "topics_from", found)
        given = self.given
        assert given is not None
        if (
            self.topics not in (3, AUTOMATIC, given.count)
            or self.features != AUTOMATIC
            or self.feature_scale not in (None, given.features.scale)
        ):
            raise PmldaError(
                "The number of topics and the features come from the topics "
                "file: leave out topics, features and feature_scale."
            )
        own = given.parameters
        object.__setattr__(self, "topics", given.count)
        object.__setattr__(self, "feature_scale", given.features.scale)
        for name in ("fuzzifier", "smoothness", "coupling"):
            object.__setattr__(self, name, getattr(own, name))

    @property
    def given(self) -> TopicSet | None:
        """The given topics, if any."""
        return self.topics_from if isinstance(self.topics_from, TopicSet) else None

    @classmethod
    def from_names(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from names and values, or a sentence about a name there is not."""
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise PmldaError(f"There is no setting {name!r}: choose from {', '.join(known)}.")
        return cls(**values)

    @property
    def known_topics(self) -> int:
        """The number of topics; the usual one while it is still to be chosen."""
        return self.topics if isinstance(self.topics, int) else DEFAULT_PARAMETERS.topics

    @property
    def _known_scale(self) -> float:
        return self.feature_scale if isinstance(self.feature_scale, float) else 1.0

    @property
    def parameters(self) -> Parameters:
        """The settings of the model."""
        topics = self.known_topics
        alpha = _numbers("alpha", self.alpha)
        if self.scaling == "learn":
            scaling = None
        else:
            (scaling,) = _numbers("scaling", self.scaling)[:1]
        if isinstance(self.proportions, str) and self.proportions == "learn":
            proportions = None
        elif isinstance(self.proportions, str) and self.proportions == "uniform":
            proportions = (1.0 / max(topics, 1),) * topics
        else:
            proportions = _numbers("proportions", self.proportions)
        if self.topics == AUTOMATIC and (len(alpha) > 1 or self._proportions_given):
            raise PmldaError(
                "Alpha or the proportions have a number for each topic, but how many topics there "
                "are is to be chosen automatically: give the number of topics."
            )
        return Parameters(
            topics=topics,
            alpha=alpha[0] if len(alpha) == 1 else alpha,
            rate=self.rate,
            scaling=scaling,
            fuzzifier=self.fuzzifier,
            proportions=proportions,
            smoothness=self._usual("smoothness", DEFAULT_PARAMETERS.smoothness, 0.0),
            coupling=self._usual("coupling", DEFAULT_PARAMETERS.coupling, 0.0),
            held=() if self.given is None else tuple(range(self.given.count)),
        )

    def _usual(self, name: str, usual: float, papers: float) -> float:
        """What was asked for, or else the usual, or the paper's for a sampler of the paper's."""
        asked: float | None = getattr(self, name)
        if asked is not None:
            return asked
        return usual if self.sampler == "fast" else papers

    @property
    def _proportions_given(self) -> bool:
        return not (isinstance(self.proportions, str) and self.proportions in ("learn", "uniform"))

    @property
    def topics_interchangeable(self) -> bool:
        """Whether the priors treat all topics alike, so that they may be renumbered."""
        if self.given is not None:
            return False
        parameters = self.parameters
        shares = parameters.proportions or (1.0,)
        return bool(np.ptp(parameters.alpha_vector) == 0 and np.ptp(shares) < 1e-12)

    def choices(
        self, images: Sequence[Image], progress: Progress = UNWATCHED
    ) -> tuple[FeatureChoice, DocumentChoice]:
        """What is measured in these images, and how they are divided.

        A scale that is still to be chosen is 1.
        """
        if self.given is not None:
            wanted = self.document_count or self.given.document_count
            choice = DocumentChoice(self._kind, wanted, self.window, self.stride)
            return self.given.features, choice
        features, documents = FeatureChoice(), DocumentChoice()
        if not isinstance(self.features, str):
            features = FeatureChoice(tuple(self.features))
        elif self.features == AUTOMATIC:
            features, documents = suggest_preset(images, progress)
        elif self.features in PRESETS:
            features, documents = choices_of(PRESETS[self.features])
        else:
            features = FeatureChoice(tuple(name.strip() for name in self.features.split(",")))
        lattice = int(self._usual("lattice", 0, 1))
        features = replace(features, lattice=lattice)
        count = documents.count if self.document_count is None else self.document_count
        features = replace(features, scale=self._known_scale)
        if self.feature_window is not None:
            features = replace(features, window=self.feature_window)
        return features, DocumentChoice(self._kind, count, self.window, self.stride)

    @property
    def _kind(self) -> Kind:
        named = self.documents if isinstance(self.documents, str) else None
        return next((each for each in DOCUMENT_KINDS if each == named), "labels")

    def label_maps(
        self, images: Sequence[Image], progress: Progress = UNWATCHED
    ) -> tuple[NDArray[np.int32] | None, ...]:
        """The label map of each image, None for each unless the documents come from files."""
        if self._kind != "labels":
            return (None,) * len(images)
        if isinstance(self.documents, str | Path):
            return _maps_in_file(Path(self.documents), images, progress)
        brought = self.documents
        given = (
            [brought] if isinstance(brought, np.ndarray) and brought.ndim == 2 else list(brought)
        )
        return tuple(np.asarray(each) for each in given)

    def to_values(self) -> dict[str, Any]:
        """The settings as JSON can hold them."""
        given = self.given
        values = asdict(_plain(self))
        if given is None:
            del values["topics_from"]
        else:
            values["topics_from"] = ", ".join(given.source) or "topics given"
            values["topics_digest"] = hashlib.sha256(topics_bytes(given)).hexdigest()
            values["features"] = to_values(given.features.names)
        documents = self.documents
        values["documents"] = (
            str(documents) if isinstance(documents, str | Path) else "label maps given as arrays"
        )
        for name in ("alpha", "proportions", "features"):
            if not isinstance(values[name], str | int | float):
                values[name] = list(values[name])
        return values


def _plain(settings: Settings) -> Settings:
    """Settings without the topics they bring, whose values they keep."""
    plain = copy(settings)
    object.__setattr__(plain, "topics_from", None)
    return plain


def default_sweeps(stride: int) -> int:
    """Sweeps that are usually enough, over words on every `stride`-th row and column."""
    return _SWEEPS_OVER_ALL if stride == 1 else _SWEEPS_ON_LATTICE


def _require(name: str, value: object, holds: bool, expected: str) -> None:
    if not holds:
        raise PmldaError(f"The setting {name} is {value}, but must be {expected}.")


def _chosen(name: str, value: float | str, kind: type[int] | type[float]) -> float | str:
    """A number, or AUTOMATIC; numbers may come as text."""
    if value == AUTOMATIC:
        return AUTOMATIC
    try:
        number = kind(value)
    except (TypeError, ValueError):
        number = None
    what = "a whole number" if kind is int else "a number"
    _require(name, repr(value), number is not None, f"{what}, or {AUTOMATIC}")
    assert number is not None
    return number


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
    path: Path, images: Sequence[Image], progress: Progress
) -> tuple[NDArray[np.int32], ...]:
    """The label map in a file, for every image: one beside an image, or the file itself."""
    if not path.is_file():
        raise PmldaError(
            f"The documents {str(path)!r} are neither one of {', '.join(DOCUMENT_KINDS)} nor a "
            "file: choose a kind, or a file with a label map."
        )
    offered = offered_documents(path, progress)
    labels = offered[0].labels if offered else read_label_map(path, progress=progress)
    for image in images:
        if labels.shape != image.shape:
            raise PmldaError(
                f"The label map in {path.name} has {labels.shape[1]} x {labels.shape[0]} pixels, "
                f"but {image.name} has {image.shape[1]} x {image.shape[0]}: give one of its size."
            )
    return (labels,) * len(images)
