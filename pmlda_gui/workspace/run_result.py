"""The result of a run with the operator's names and colours, for the exporters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.analysis.answers import answers_of
from pmlda_gui.workspace.export import ImageResult, Result
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.session import Colour, Session
from pmlda_gui.workspace.shown_topics import arrange, merged
from pmlda_gui.workspace.unknown_words import about_given, unknown_of_image
from pmlda_gui.workspace.vocabulary import NO_CODES, TopicCodes

__all__ = ["LEAST_SWEEPS", "result_from", "result_of"]

LEAST_SWEEPS = 20
"""A result that rests on fewer sweeps under its settings says so."""


def result_of(run: Run, session: Session) -> Result:
    """The run's present result as the session shows it: named, coloured, ordered, merged.

    The same for the window and for whoever repeats its work.
    """
    run.finish_sweep()
    topics = arrange(run.topic_ids, session.topics)
    given, smoothness = run.prepared.given, run.parameters_in_effect.smoothness
    found = [merged(each, topics) for each in run.segmentations(session.estimate)]
    if given is not None:
        found = [
            replace(each, unknown=unknown_of_image(run.prepared, number, given, smoothness))
            for number, each in enumerate(found)
        ]
    codes = {look.id: look.codes for look in session.topics}
    result = result_from(
        run,
        session,
        found,
        [topic.name for topic in topics],
        [topic.colour for topic in topics],
        [codes.get(topic.identity, NO_CODES) for topic in topics],
    )
    if given is not None:
        said = (*result.warnings, *about_given(result, given))
        result = replace(result, asked=given.told, warnings=said)
    if not session.shapes:
        return result
    answers = answers_of(run, session.shapes, [topic.members for topic in topics])
    return replace(result, answers=answers, warnings=(*result.warnings, *answers.unanswered))


def result_from(
    run: Run,
    session: Session,
    segmentations: Sequence[Segmentation],
    names: Sequence[str],
    colours: Sequence[Colour],
    codes: Sequence[TopicCodes] = (),
) -> Result:
    """These segmentations of the run's images, whose topics have these names, colours and codes.

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
        recipe=run.as_sampled(session.recipe),
        journal=run.journal.before(run.sweeps),
        diagnosis=diagnosis,
        traces=[run.trace.logit_log_joint],
        qualities=[run.best_quality],
        chosen_chain=0,
        steps={},
        sweeps=run.sweeps,
        seconds={},
        warnings=tuple(warnings),
        sweeps_under_settings=run.sweeps_under_settings,
        topic_names=tuple(names),
        colours=np.array(colours, np.uint8),
        codes=tuple(codes),
    )
