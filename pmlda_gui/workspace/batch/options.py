"""The options of the command line and of `segment`: the same names, as values or as text.

They are checked here once, before any image is read, and turned into `Settings`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack, get_type_hints

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.documents import Kind
from pmlda_gui.imagery.features import PRESETS
from pmlda_gui.imagery.features.windows import check_window
from pmlda_gui.workspace.batch.settings import Part, Settings
from pmlda_gui.workspace.choices import (
    DOCUMENT_KINDS,
    DocumentChoice,
    FeatureChoice,
    choices_of,
)
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.recipe import Recipe
from pmlda_gui.workspace.topic_set import TopicSet

__all__ = [
    "AUTOMATIC",
    "FurtherOptions",
    "Options",
    "settings_from",
    "settings_from_names",
    "settings_with",
]

AUTOMATIC = "auto"
"""The name for what is chosen by looking at the images."""
_LENGTH = ("sweeps", "seconds", "chains", "threads")


class FurtherOptions(TypedDict, total=False):
    """What may be asked for beside the number of topics; what is left out has its usual value.

    `rate` is that of the scaling, `alpha` one number or one a topic; `scaling` is "learn" or a
    number, `proportions` "learn", "uniform" or one number a topic.  `smoothness` and `coupling`
    are those of documents, and words are learned from on every `lattice`-th row and column (0:
    half a window); unless they are given, these three are the usual for the sampler `fast`, and
    what the paper has for the others: hard documents, every pixel.

    `documents` is one of DOCUMENT_KINDS, a file with a label map, or label maps (height, width),
    and `document_count` their number in each image, by default one that fits the features;
    `window` and `stride` (pixels) are those of sliding windows.  `features` is a preset, names,
    or AUTOMATIC, `feature_window` the side of their window in pixels, by default the preset's,
    and `feature_scale` multiplies their window and the lengths of their waves: AUTOMATIC if the
    features are, else 1, unless it is given.

    `sampler`, `seed` and `estimate` are those of `Recipe`, `sweeps`, `seconds`, `chains` and
    `threads` those of `Settings`.  `topics_from` are topics found before, or a file with them:
    they are held, and bring their features and the model with them.  `hints` is a file of hints
    (see `hint_files`).
    """

    rate: float
    alpha: float | str | Sequence[float]
    scaling: float | str
    fuzzifier: float
    proportions: str | Sequence[float]
    smoothness: float | None
    coupling: float | None
    lattice: int | None
    documents: str | Path | NDArray[np.integer] | Sequence[NDArray[np.integer]]
    document_count: int | None
    window: int | None
    stride: int | None
    features: str | Sequence[str]
    feature_window: int | None
    feature_scale: float | str | None
    sampler: str
    sweeps: int | None
    seconds: float | None
    chains: int
    seed: int
    threads: int | None
    estimate: str
    topics_from: str | Path | TopicSet | None
    hints: str | Path | None


class Options(FurtherOptions, total=False):
    """All that may be asked for; `topics` is their number or AUTOMATIC."""

    topics: int | str


def settings_from_names(values: Mapping[str, Any]) -> Settings:
    """Settings from names and values, or a sentence about a name there is not."""
    known = sorted(get_type_hints(Options))
    for name in values:
        if name not in known:
            raise PmldaError(f"There is no setting {name!r}: choose from {', '.join(known)}.")
    return settings_from(**values)


def settings_with(recipe: Recipe, values: Mapping[str, Any]) -> Settings:
    """Settings of a recipe; the values say how long to sample, and nothing else."""
    for name in values:
        if name not in _LENGTH:
            raise PmldaError(
                f"A recipe was given, and {name} as well: change the recipe itself; beside it only "
                f"{', '.join(_LENGTH)} can be given."
            )
    return Settings(recipe, **values)


def settings_from(**options: Unpack[Options]) -> Settings:
    """Settings from options, or a sentence about what cannot be."""
    given = _given(options)
    documents, label_file, label_maps = _documents(options)
    features, usual_count, automatic = _features(options)
    if given is not None:
        found_by = given.recipe
        features, usual_count, automatic = found_by.features, found_by.documents.count, frozenset()
    parameters, count = _parameters(options, given), options.get("document_count")
    if given is None and options.get("topics") == AUTOMATIC:
        automatic |= {"topics"}
    recipe = Recipe(
        features=features,
        documents=DocumentChoice(
            documents,
            usual_count if count is None else count,
            options.get("window"),
            options.get("stride"),
        ),
        label_file=label_file,
        parameters=parameters,
        sampler=options.get("sampler", "fast"),
        seed=options.get("seed", 0),
        estimate=options.get("estimate", "mean"),
    )
    return Settings(
        recipe,
        automatic,
        options.get("sweeps"),
        options.get("seconds"),
        options.get("chains", 1),
        options.get("threads"),
        given,
        label_maps,
        _hints(options),
    )


def _hints(options: Options) -> Path | None:
    """The file of hints, if any."""
    asked = options.get("hints")
    if asked is None:
        return None
    if options.get("sampler", "fast") != "fast":
        raise PmldaError(f"The sampler {options.get('sampler')!r} knows no hints: choose 'fast'.")
    if not Path(asked).is_file():
        raise PmldaError(f"There is no file of hints {asked}: give a GeoPackage or label raster.")
    return Path(asked)


def _usual(options: Options, usual: float, papers: float) -> float:
    """What is usual, or the paper's for a sampler of the paper's."""
    return usual if options.get("sampler", "fast") == "fast" else papers


# -- topics found before ---------------------------------------------------------------------


def _given(options: Options) -> TopicSet | None:
    """The given topics, if any; what contradicts them is refused."""
    given = options.get("topics_from")
    if given is None:
        return None
    if options.get("sampler", "fast") != "fast":
        raise PmldaError("Topics from a file are supported by the sampler 'fast' only.")
    if not isinstance(given, TopicSet):
        from pmlda_gui.workspace.topic_source import topics_from_file

        given = topics_from_file(Path(given), options.get("threads"))
    if (
        _number_or_automatic("topics", options.get("topics", 3), int) not in (None, 3, given.count)
        or options.get("features", AUTOMATIC) != AUTOMATIC
        or options.get("feature_scale") not in (None, given.features.scale)
    ):
        raise PmldaError(
            "The number of topics and the features come from the topics "
            "file: leave out topics, features and feature_scale."
        )
    return given


# -- measure and divide ----------------------------------------------------------------------


def _documents(options: Options) -> tuple[Kind, Path | None, tuple[NDArray[np.int32], ...]]:
    """The kind of documents, and the file or the arrays of those that are drawn."""
    asked = options.get("documents", "slic")
    kind = next((each for each in DOCUMENT_KINDS if isinstance(asked, str) and each == asked), None)
    if (options.get("window") or options.get("stride")) and kind != "window":
        raise PmldaError(
            "A window or stride was given, but the documents are no sliding windows: "
            "choose documents 'window' or leave them out."
        )
    if kind is not None:
        return kind, None, ()
    if isinstance(asked, str | Path):
        return "labels", Path(asked), ()
    maps = [asked] if isinstance(asked, np.ndarray) and asked.ndim == 2 else list(asked)
    return "labels", None, tuple(np.asarray(each) for each in maps)


def _features(options: Options) -> tuple[FeatureChoice, int, frozenset[Part]]:
    """What is measured, the number of documents that fits it, and what is still to be chosen."""
    asked = options.get("features", AUTOMATIC)
    features, documents = FeatureChoice(), DocumentChoice()
    automatic: set[Part] = set()
    if not isinstance(asked, str):
        features = FeatureChoice(tuple(asked))
    elif asked == AUTOMATIC:
        automatic.add("features")
    elif asked in PRESETS:
        features, documents = choices_of(PRESETS[asked])
    else:
        features = FeatureChoice(tuple(name.strip() for name in asked.split(",")))
    window, scale = options.get("feature_window"), options.get("feature_scale")
    if window is not None:
        check_window(window)
    elif automatic:
        automatic.add("window")
    if automatic and options.get("document_count") is None:
        automatic.add("documents")
    if scale is None:
        # Whoever chose the features chose their lengths with them.
        ours = options.get("sampler", "fast") == "fast"
        scale = AUTOMATIC if "features" in automatic and ours else 1.0
    scale = _number_or_automatic("feature_scale", scale, float)
    if scale is None:
        automatic.add("scale")
    lattice = options.get("lattice")
    features = FeatureChoice(
        features.names,
        features.window if window is None else window,
        scale=1.0 if scale is None else scale,
        lattice=int(_usual(options, 0, 1)) if lattice is None else lattice,
    )
    return features, documents.count, frozenset(automatic)


# -- sample ----------------------------------------------------------------------------------


def _parameters(options: Options, given: TopicSet | None) -> Parameters:
    """The parameters of the model."""
    if given is None:
        asked = _number_or_automatic("topics", options.get("topics", 3), int)
    else:
        asked = given.count
    topics = DEFAULT_PARAMETERS.topics if asked is None else int(asked)
    alpha = _numbers("alpha", options.get("alpha", DEFAULT_PARAMETERS.alpha))
    scaling = options.get("scaling", "learn")
    fixed = options.get("proportions", "learn")
    one_each = len(alpha) > 1
    if isinstance(fixed, str) and fixed == "learn":
        proportions = None
    elif isinstance(fixed, str) and fixed == "uniform":
        proportions = (1.0 / max(topics, 1),) * topics
    else:
        proportions, one_each = _numbers("proportions", fixed), True
    if asked is None and one_each:
        raise PmldaError(
            "Alpha or the proportions have a number for each topic, but how many topics there "
            "are is to be chosen automatically: give the number of topics."
        )
    fuzzifier = options.get("fuzzifier", DEFAULT_PARAMETERS.fuzzifier)
    smoothness, coupling = options.get("smoothness"), options.get("coupling")
    if given is not None:
        own = given.parameters
        fuzzifier, smoothness, coupling = own.fuzzifier, own.smoothness, own.coupling
    if smoothness is None:
        smoothness = _usual(options, DEFAULT_PARAMETERS.smoothness, 0.0)
    if coupling is None:
        coupling = _usual(options, DEFAULT_PARAMETERS.coupling, 0.0)
    return Parameters(
        topics=topics,
        alpha=alpha[0] if len(alpha) == 1 else alpha,
        rate=options.get("rate", DEFAULT_PARAMETERS.rate),
        scaling=None if scaling == "learn" else _numbers("scaling", scaling)[0],
        fuzzifier=fuzzifier,
        proportions=proportions,
        smoothness=smoothness,
        coupling=coupling,
        held=() if given is None else tuple(range(given.count)),
    )


# -- numbers as text -------------------------------------------------------------------------


def _number_or_automatic(
    name: str, value: float | str, kind: type[int] | type[float]
) -> float | None:
    """A number, or None for AUTOMATIC; numbers may come as text."""
    if value == AUTOMATIC:
        return None
    try:
        return kind(value)
    except (TypeError, ValueError):
        what = "a whole number" if kind is int else "a number"
        raise PmldaError(
            f"The setting {name} is {value!r}, but must be {what}, or {AUTOMATIC}."
        ) from None


def _numbers(name: str, value: float | str | Sequence[float]) -> tuple[float, ...]:
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
