"""Four sub-images with sliding-window documents: PM-LDA, LDA and fuzzy c-means."""

from __future__ import annotations

from dataclasses import replace

from pmlda_gui.experiments.comparing import (
    comparison_table,
    mean_error,
    method_panels,
    mixed_share,
)
from pmlda_gui.experiments.panels import image_panel, panel_size
from pmlda_gui.experiments.plate import Row, draw_rows
from pmlda_gui.experiments.study import Outcome, Study
from pmlda_gui.workspace.comparison import default_parameters
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare

__all__ = ["run"]

# The first two pass into one another, the others have boundaries.
SCENES = ("demo", "wide-bands", "crisp-bands", "narrow-patches")
METHODS = ("pmlda", "lda", "fcm")
_TOPICS = 3
_FEATURES = FeatureChoice("paper-sas", 21)
_WINDOWS = DocumentChoice("window", window=48, stride=32)


def run(study: Study) -> Outcome:
    """All sub-images at once, so that they share their topics."""
    height, width = study.shape
    pictures = replace(study, shape=(height * 2 // 3, width * 2 // 3)).pictures(SCENES)
    images = [picture.image for picture in pictures]
    prepared = prepare(images, _FEATURES, _WINDOWS, seed=study.seed)
    results = study.compare(prepared, METHODS, default_parameters(_TOPICS))
    pmlda, lda, fcm = results
    rows = [
        Row(
            picture.name,
            [
                image_panel(picture.image),
                *method_panels(pmlda, number),
                *method_panels(lda, number),
                *method_panels(fcm, number),
            ],
        )
        for number, picture in enumerate(pictures)
    ]
    shares = {
        result.name: [mixed_share(each) for each in result.segmentations] for result in results
    }
    caption = (
        "Sliding windows of 48 pixels as documents, mean and entropy, three topics.  The paper saw "
        "PM-LDA follow the gradual change from ripple to flat sand, fuzzy c-means blur the topics "
        "themselves, and LDA only partition, though as well as PM-LDA where there are no "
        "transitions.  Here the fractions of mixed pixels by image are "
        f"{_listed(shares['pmlda'])} for PM-LDA, {_listed(shares['lda'])} for LDA and "
        f"{_listed(shares['fcm'])} for fuzzy c-means"
    )
    errors = {result.name: mean_error(result, pictures) for result in results}
    within = {result.name: mean_error(result, pictures, True) for result in results}
    if errors["pmlda"] == errors["pmlda"]:
        caption += (
            f"; the membership errors are {errors['pmlda']:.3f}, {errors['lda']:.3f} and "
            f"{errors['fcm']:.3f} overall, {within['pmlda']:.3f}, {within['lda']:.3f} and "
            f"{within['fcm']:.3f} in transitions"
        )
    topics = [f"{k + 1}" for k in range(_TOPICS)]
    drawing = draw_rows(
        "subimages: PM-LDA, LDA and fuzzy c-means",
        caption + ".",
        ["image", *(f"PM-LDA: {k}" for k in topics), "LDA", *(f"FCM: {k}" for k in topics)],
        rows,
        panel_size(images, 150),
    )
    table = comparison_table(
        [picture.name for picture in pictures], [picture.truth for picture in pictures], results
    )
    findings = {f"error {name}": value for name, value in errors.items()}
    findings |= {f"error in transitions {name}": value for name, value in within.items()}
    return Outcome("subimages", drawing, caption + ".", table, findings)


def _listed(shares: list[float]) -> str:
    return ", ".join(f"{share:.0%}" for share in shares)
