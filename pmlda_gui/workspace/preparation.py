"""Prepares a corpus from images and choices; recomputes only what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.documents import Documents, make_documents
from pmlda_gui.imagery.features import (
    Features,
    Standardisation,
    compute_features,
    fit_words,
    measured_by_document,
)
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.choices import (
    DocumentChoice,
    FeatureChoice,
    LabelMaps,
    choices_of,
)
from pmlda_gui.workspace.given_topics import levels_for, require_same_features
from pmlda_gui.workspace.prepared import Prepared, averaging_of, document_fields, same_objects
from pmlda_gui.workspace.suggestions import suggest_choices

# The choices are needed before the window is painted, and numba takes half a second to load.
if TYPE_CHECKING:
    from pmlda_gui.workspace.topic_set import TopicSet

__all__ = [
    "DocumentChoice",
    "FeatureChoice",
    "Prepared",
    "averaged_for",
    "averaging_of",
    "choices_of",
    "document_fields",
    "prepare",
    "suggest_choices",
]


def averaged_for(
    features: Sequence[Features],
    standardisation: Standardisation,
    images: Sequence[Image],
    window: float,
) -> tuple[Features, ...]:
    """The features of these images averaged over the ground that looks alike.

    `window` is that of the features in pixels of the images.
    """
    from pmlda_gui.imagery.similar_ground import averaged_alike

    return tuple(
        averaged_alike(each, standardisation, image.valid, window)
        for each, image in zip(features, images, strict=True)
    )


def prepare(
    images: Sequence[Image],
    feature_choice: FeatureChoice | None = None,
    document_choice: DocumentChoice | None = None,
    label_maps: LabelMaps | None = None,
    seed: int = 0,
    previous: Prepared | None = None,
    progress: Progress = UNWATCHED,
    given: TopicSet | None = None,
) -> Prepared:
    """Divide the images into documents, compute their features, and join the words.

    Without a choice of features, or of both, what fits the images' texture is taken.
    What `previous` already has for the same images and choices is taken over.  Words are
    made as those of the `given` topics were, if there are any.
    """
    from pmlda_gui.imagery.lattice import lattice_corpus, lattice_stride

    if not images:
        raise PmldaError("There is no image to segment: open at least one.")
    pictures = tuple(images)
    if feature_choice is None:
        feature_choice, documents_that_fit = suggest_choices(pictures, progress.unheard())
        document_choice = document_choice or documents_that_fit
    document_choice = document_choice or DocumentChoice()
    maps = tuple(label_maps) if label_maps is not None else (None,) * len(pictures)
    if len(maps) != len(pictures):
        raise PmldaError(
            f"There are {len(pictures)} images but {len(maps)} label maps: give one for each."
        )
    same_images = previous is not None and previous.is_of(pictures)
    documents = (
        previous.documents
        if previous is not None
        and same_images
        and previous.document_choice == document_choice
        and same_objects(previous.label_maps, maps)
        and previous.seed == seed
        and previous.feature_choice.every_pixel == feature_choice.every_pixel
        else _divide(
            pictures, document_choice, maps, seed, progress.part(0.0, 0.5, "documents"),
            compact=not feature_choice.every_pixel,
        )
    )  # fmt: skip
    depends = bool(measured_by_document(feature_choice.names))
    features = (
        previous.features
        if previous is not None
        and same_images
        and previous.feature_choice == feature_choice
        and previous.given == given
        and (not depends or previous.documents is documents)
        else _measure(
            pictures, feature_choice, documents, given, progress.part(0.5, 0.95, "features")
        )
    )
    if given is None:
        standardisation = fit_words(
            [each.values for each in features],
            [image.valid for image in pictures],
            window=feature_choice.noise_window,
        )
    else:
        require_same_features(given, features[0].names)
        standardisation = given.standardisation
    stride = feature_choice.lattice or lattice_stride(
        feature_choice.scaled_window, sum(int(np.count_nonzero(image.valid)) for image in pictures)
    )
    if stride == 1:
        standardisation = standardisation.as_measured
    averaged = (
        previous.averaged
        if previous is not None
        and previous.features is features
        and previous.standardisation.measures_like(standardisation)
        else averaged_for(features, standardisation, pictures, feature_choice.scaled_window)
    )
    corpus = lattice_corpus(
        [each.values for each in averaged],
        standardisation,
        document_fields(documents),
        stride,
        feature_choice.scaled_window,
    )
    progress.report(1.0, "words")
    prepared = Prepared(
        pictures, feature_choice, document_choice, maps, seed,
        features, averaged, standardisation, documents, corpus, stride,
    )  # fmt: skip
    return prepared if given is None else prepared.under(given)


def _divide(
    images: Sequence[Image],
    choice: DocumentChoice,
    maps: LabelMaps,
    seed: int,
    progress: Progress,
    compact: bool,
) -> tuple[Documents, ...]:
    divided = []
    parts = progress.parts(len(images))
    for image, labels, part in zip(images, maps, parts, strict=True):
        if choice.kind == "labels" and labels is None:
            raise PmldaError(
                f"{image.name} has no label map: choose a file with one, or another kind of "
                "documents."
            )
        divided.append(
            make_documents(
                image,
                choice.kind,
                count=choice.count,
                window=choice.window,
                stride=choice.stride,
                labels=labels,
                seed=seed,
                progress=part,
                compact=compact,
            )
        )
    return tuple(divided)


def _measure(
    images: Sequence[Image],
    choice: FeatureChoice,
    documents: Sequence[Documents],
    given: TopicSet | None,
    progress: Progress,
) -> tuple[Features, ...]:
    levels = levels_for(images, given)
    measured = []
    parts = progress.parts(len(images))
    for image, divided, part in zip(images, documents, parts, strict=True):
        measured.append(
            compute_features(
                image,
                choice.names,
                documents=divided,
                window=choice.window,
                progress=part,
                levels=levels,
                scale=choice.scale,
            )
        )
    return tuple(measured)
