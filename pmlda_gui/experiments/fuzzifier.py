"""What the fuzzifier does: 48 superpixels with m = 1, 2, 3."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.experiments.comparing import mixed_share
from pmlda_gui.experiments.panels import image_panel, maps, panel_size
from pmlda_gui.experiments.plate import Row, draw_rows
from pmlda_gui.experiments.study import Outcome, Study, Table
from pmlda_gui.peers.scoring import aligned
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare

__all__ = ["run"]

FUZZIFIERS = (1.0, 2.0, 3.0)
_TOPICS, _SUPERPIXELS = 3, 48
# Where no topic has more, a pixel is highly mixed.
_HIGHLY = 0.6


def run(study: Study) -> Outcome:
    """Maps for each fuzzifier, and the fraction of pixels with highly mixed memberships."""
    step = study.steps(len(FUZZIFIERS))
    (picture, *_) = study.pictures(["demo"])
    prepared = prepare(
        [picture.image],
        FeatureChoice(lattice=1),
        DocumentChoice("slic", _SUPERPIXELS),
        seed=study.seed,
    )
    rows, shares, reference = [], [], None
    shown: NDArray[np.uint8] | None = image_panel(picture.image, prepared.documents[0])
    for fuzzifier in FUZZIFIERS:
        step(f"m = {fuzzifier:g}")
        found = study.run(prepared, Parameters(_TOPICS, fuzzifier=fuzzifier)).segmentations()
        reference = reference or [each.memberships for each in found]
        (result,) = aligned(found, reference)
        shares.append(mixed_share(result, _HIGHLY))
        rows.append(Row(f"m = {fuzzifier:g}", [shown, *maps(result.memberships)]))
        shown = None
    rising = all(a < b for a, b in pairwise(shares))
    caption = (
        "48 superpixels.  The paper saw that more highly mixed memberships appear around the "
        f"boundaries as m grows.  Here the fraction of pixels in which no topic has more than "
        f"{_HIGHLY:.0%} {'grows' if rising else 'does not grow'} with m: "
        f"{', '.join(f'{share:.1%}' for share in shares)} for m = 1, 2, 3."
    )
    drawing = draw_rows(
        "fuzzifier: memberships by m",
        caption,
        ["image", *(f"topic {k + 1}" for k in range(_TOPICS))],
        rows,
        panel_size([picture.image], 220),
    )
    findings = {f"highly mixed m={m:g}": share for m, share in zip(FUZZIFIERS, shares, strict=True)}
    table = Table(
        ("fuzzifier", "share of highly mixed pixels"), list(zip(FUZZIFIERS, shares, strict=True))
    )
    return Outcome("fuzzifier", drawing, caption, table, findings)
