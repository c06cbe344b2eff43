"""How many superpixels, and how strongly words must resemble them: 20, 48, 200 by four s."""

from __future__ import annotations

import numpy as np

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.experiments.panels import image_panel, mixed, panel_size
from pmlda_gui.experiments.plate import Row, draw_rows
from pmlda_gui.experiments.study import Outcome, Study, Table
from pmlda_gui.peers.scoring import aligned, score
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare

__all__ = ["run"]

COUNTS = (20, 48, 200)
SCALINGS = (1.0, 100.0, 500.0, 1000.0)
_TOPICS = 3


def run(study: Study) -> Outcome:
    """Every combination on one image, with the proportions learned."""
    step = study.steps(len(COUNTS) * len(SCALINGS))
    (picture, *_) = study.pictures(["demo"])
    rows, numbers, findings, reference = [], [], {}, None
    prepared = None
    for count in COUNTS:
        choice = DocumentChoice("slic", count)
        prepared = prepare(
            [picture.image], FeatureChoice(lattice=1), choice, seed=study.seed, previous=prepared
        )
        panels = [image_panel(picture.image, prepared.documents[0])]
        for scaling in SCALINGS:
            step(f"{count} superpixels, s = {scaling:g}")
            chain = study.run(prepared, Parameters(_TOPICS, scaling=scaling))
            found = chain.segmentations()
            reference = reference or [each.memberships for each in found]
            (result,) = aligned(found, reference)
            panels.append(mixed(result.memberships))
            assert result.proportions is not None
            home = prepared.documents[0].labels
            own = np.moveaxis(result.proportions[np.maximum(home, 0)], -1, 0)
            within = float(np.sqrt(np.nanmean((result.memberships - own) ** 2)))
            error = score(picture.truth, result).error if picture.truth else float("nan")
            numbers.append((count, scaling, within, error))
            findings[f"within {count} s={scaling:g}"] = within
            findings[f"error {count} s={scaling:g}"] = error
        rows.append(Row(f"{count} superpixels", panels))
    spread = {
        count: [findings[f"within {count} s={scaling:g}"] for scaling in SCALINGS]
        for count in COUNTS
    }
    told = "; ".join(
        f"{count} superpixels {', '.join(f'{value:.3f}' for value in values)}"
        for count, values in spread.items()
    )
    caption = (
        "Proportions are learned, all topics in their colours.  The paper saw that a large s with "
        "superpixels whose proportions are not estimated well breaks regions up into superpixels, "
        "so that neither more superpixels nor larger s alone give better memberships.  Here the "
        f"memberships differ from their superpixel's proportions (RMS) by: {told}, for s = 1, 100, "
        "500, 1000."
    )
    if picture.truth is not None:
        errors = {key: value for key, value in findings.items() if key.startswith("error")}
        best, worst = min(errors, key=errors.__getitem__), max(errors, key=errors.__getitem__)
        caption += (
            f"  Against the truth the membership error is smallest ({errors[best]:.3f}) with "
            f"{best.removeprefix('error ').replace(' s=', ' superpixels and s = ')} and largest "
            f"({errors[worst]:.3f}) with "
            f"{worst.removeprefix('error ').replace(' s=', ' superpixels and s = ')}."
        )
    drawing = draw_rows(
        "superpixels: number of documents by scaling",
        caption,
        ["image", *(f"s = {scaling:g}" for scaling in SCALINGS)],
        rows,
        panel_size([picture.image]),
        bar=None,
    )
    head = ("superpixels", "scaling", "difference from proportions", "membership error")
    return Outcome("superpixels", drawing, caption, Table(head, numbers), findings)
