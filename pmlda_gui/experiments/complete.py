"""Five complete images at once: PM-LDA, LDA and spatial LDA with the paper's settings."""

from __future__ import annotations

import numpy as np

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.experiments.comparing import (
    comparison_table,
    mean_error,
    method_panels,
    mixed_share,
)
from pmlda_gui.experiments.panels import image_panel, panel_size
from pmlda_gui.experiments.plate import Row, draw_rows
from pmlda_gui.experiments.study import Outcome, Study
from pmlda_gui.imagery.metrics import normalised_mutual_information
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare

__all__ = ["run"]

SCENES = ("demo", "ripple-island", "diagonal-ripple", "widening", "wide-bands")
METHODS = ("pmlda", "lda", "slda")
_PARAMETERS = Parameters(3, alpha=1.0, rate=0.5)
_FEATURES = FeatureChoice("paper-sas-ripple", 21, lattice=1)
_SUPERPIXELS = 200


def run(study: Study) -> Outcome:
    """Two hundred superpixels of each image, mean, entropy and ripple filter."""
    pictures = study.pictures(SCENES)
    images = [picture.image for picture in pictures]
    prepared = prepare(images, _FEATURES, DocumentChoice("slic", _SUPERPIXELS), seed=study.seed)
    results = study.compare(prepared, METHODS, _PARAMETERS)
    rows = [
        Row(
            picture.name,
            [
                image_panel(picture.image, prepared.documents[number]),
                *(panel for result in results for panel in method_panels(result, number)),
            ],
        )
        for number, picture in enumerate(pictures)
    ]
    pmlda, *others = results
    agreement = {
        result.name: float(
            np.mean(
                [
                    normalised_mutual_information(mine.labels, other.labels)
                    for mine, other in zip(pmlda.segmentations, result.segmentations, strict=True)
                ]
            )
        )
        for result in others
    }
    shares = {
        result.name: float(np.mean([mixed_share(each) for each in result.segmentations]))
        for result in results
    }
    caption = (
        "Five images at once with lambda = 0.5 and alpha = 1.  The paper saw the same topics in "
        "the same places with all three methods, but transitions with PM-LDA only, where LDA and "
        "spatial LDA give crisp boundaries.  Here the crisp labels of LDA and spatial LDA agree "
        f"with PM-LDA's to a normalised mutual information of {agreement['lda']:.2f} and "
        f"{agreement['slda']:.2f}, and mixed memberships cover {shares['pmlda']:.0%} of the pixels "
        f"with PM-LDA, {shares['lda']:.0%} with LDA and {shares['slda']:.0%} with spatial LDA "
        "(there they are doubt about the label)"
    )
    errors = {result.name: mean_error(result, pictures) for result in results}
    if not np.isnan(errors["pmlda"]):
        caption += (
            f"; the membership errors are {errors['pmlda']:.3f}, {errors['lda']:.3f} and "
            f"{errors['slda']:.3f}"
        )
    topics = [f"PM-LDA: {k + 1}" for k in range(_PARAMETERS.topics)]
    drawing = draw_rows(
        "complete: PM-LDA, LDA and spatial LDA on five images at once",
        caption + ".",
        ["image", *topics, "LDA", "spatial LDA"],
        rows,
        panel_size(images, 180),
    )
    table = comparison_table(
        [picture.name for picture in pictures], [picture.truth for picture in pictures], results
    )
    findings = {f"error {name}": value for name, value in errors.items()}
    findings |= {f"agreement {name}": value for name, value in agreement.items()}
    return Outcome("complete", drawing, caption + ".", table, findings)
