"""What a run has found, with the operator's names and colours, as the exporters take it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pmlda_gui.imagery.colours import topic_colours
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.export import ImageResult, Result
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.session import Colour, Session, TopicLook
from pmlda_gui.workspace.values import to_values

__all__ = ["LEAST_SWEEPS", "looks_of", "result_from", "result_of"]

LEAST_SWEEPS = 20
"""A result that rests on fewer sweeps under its settings says so."""


def result_of(run: Run, session: Session) -> Result:
    """The run's present result; topics stand in the operator's order, each by itself.

    Topics that are merged on the screen stay apart here, so that nothing that was
    sampled is lost.
    """
    run.finish_sweep()
    looks = looks_of(run.topic_ids, session)
    rows = [run.topic_ids.index(look.id) for look in looks]
    found = [each.reordered(rows) for each in run.segmentations(session.estimate)]
    result = result_from(
        run, session, found, [look.name for look in looks], [look.colour for look in looks]
    )
    return replace(result, codes=tuple(look.codes for look in looks))


def result_from(
    run: Run,
    session: Session,
    segmentations: Sequence[Segmentation],
    names: Sequence[str],
    colours: Sequence[Colour],
) -> Result:
    """These segmentations of the run's images, whose topics have these names and colours.

    They rest on the settings of the last sweep, and those are stated: a change that waits for
    the next sweep is left out, and said to be.
    """
    diagnosis = run.diagnosis()
    warnings = []
    if not diagnosis.maps_settled:
        warnings.append(f"The maps may still change: {diagnosis.verdict}.")
    if run.sweeps_under_settings < LEAST_SWEEPS:
        warnings.append(
            f"Only {run.sweeps_under_settings} sweeps were done under these settings: let the "
            f"chain run for at least {LEAST_SWEEPS}."
        )
    if run.awaits_change:
        warnings.append("Settings changed after the last sweep are not in this result.")
    return Result(
        images=[
            ImageResult(image=image, segmentation=found, shown=image)
            for image, found in zip(run.prepared.images, segmentations, strict=True)
        ],
        settings=_settings(run, session),
        journal=run.journal.before(run.sweeps),
        diagnosis=diagnosis,
        traces=[run.chain.trace.logit_log_joint],
        qualities=[run.chain.best_quality],
        chosen_chain=0,
        steps={},
        sweeps=run.sweeps,
        seconds={},
        warnings=tuple(warnings),
        sweeps_under_settings=run.sweeps_under_settings,
        topic_names=tuple(names),
        colours=np.array(colours, np.uint8),
    )


def looks_of(ids: tuple[int, ...], session: Session) -> list[TopicLook]:
    """The looks of the run's topics in order of display; topics without one come last."""
    known = [look for look in session.topics if look.id in ids]
    unnamed = sorted(set(ids) - {look.id for look in known})
    colours = topic_colours(max(ids) + 1).tolist()
    return known + [
        TopicLook(number, f"topic {number + 1}", tuple(colours[number])) for number in unnamed
    ]


def _settings(run: Run, session: Session) -> dict[str, Any]:
    """What the last sweep sampled under, in the words of the command line."""
    parameters: dict[str, Any] = to_values(run.chain.parameters_in_effect)
    learned = {name: "learn" for name in ("scaling", "proportions") if parameters[name] is None}
    prepared, start = run.prepared, run.journal.start
    return {
        **parameters,
        **learned,
        "documents": prepared.document_choice.kind,
        "document_count": prepared.document_choice.count,
        "window": prepared.document_choice.window,
        "stride": prepared.document_choice.stride,
        "features": to_values(prepared.feature_choice.names),
        "feature_scale": prepared.feature_choice.scale,
        "sampler": session.sampler if start is None else start.sampler,
        "seed": session.seed if start is None else start.seed,
        "estimate": session.estimate,
    }
