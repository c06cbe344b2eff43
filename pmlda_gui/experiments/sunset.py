"""Pictures of dusk with 15 normalised-cut superpixels: PM-LDA against LDA."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmlda_gui.core.errors import PmldaError
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

SCENES = ("dusk", "dusk-low-sun", "dusk-haze")
METHODS = ("pmlda", "lda")
_TOPICS, _SUPERPIXELS = 3, 15
_FEATURES = FeatureChoice("paper-sunset")


def run(study: Study) -> Outcome:
    """All pictures at once, so that they share their topics."""
    height, width = study.shape
    pictures = replace(study, shape=(width * 2 // 3, height * 2 // 3)).pictures(SCENES)
    images = [picture.image for picture in pictures]
    grey = [image.name for image in images if not image.is_colour]
    if grey:
        raise PmldaError(
            f"{grey[0]} has no colours, which the sunset features need: give colour pictures."
        )
    prepared = prepare(images, _FEATURES, DocumentChoice("ncut", _SUPERPIXELS), seed=study.seed)
    results = study.compare(prepared, METHODS, default_parameters(_TOPICS))
    pmlda, lda = results
    rows = [
        Row(
            picture.name,
            [
                image_panel(picture.image, prepared.documents[number]),
                *method_panels(pmlda, number),
                *method_panels(lda, number),
            ],
        )
        for number, picture in enumerate(pictures)
    ]
    shares = [
        float(np.mean([mixed_share(each) for each in result.segmentations])) for result in results
    ]
    caption = (
        "Fifteen normalised-cut superpixels, the paper's sunset features, three topics.  The paper "
        "saw memberships that follow how far the sky is coloured by the sun, where LDA can only "
        f"cut.  Here {shares[0]:.0%} of the pixels are mixed with PM-LDA and {shares[1]:.0%} in "
        "doubt with LDA"
    )
    errors = {result.name: mean_error(result, pictures) for result in results}
    if not np.isnan(errors["pmlda"]):
        caption += (
            f"; against the truth the membership errors are {errors['pmlda']:.3f} and "
            f"{errors['lda']:.3f}"
        )
    drawing = draw_rows(
        "sunset: PM-LDA and LDA on pictures of dusk",
        caption + ".",
        ["image", *(f"PM-LDA: {k + 1}" for k in range(_TOPICS)), "LDA"],
        rows,
        panel_size(images, 220),
    )
    table = comparison_table(
        [picture.name for picture in pictures], [picture.truth for picture in pictures], results
    )
    findings = {f"error {name}": value for name, value in errors.items()}
    findings |= {"mixed pmlda": shares[0], "mixed lda": shares[1]}
    return Outcome("sunset", drawing, caption + ".", table, findings)
