"""Takes topics from a run or a workspace, for use elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features import measured_by_document
from pmlda_gui.workspace.archive import load
from pmlda_gui.workspace.given_topics import levels_for
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.replay import resume
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.session import Session
from pmlda_gui.workspace.shown_topics import looks_of
from pmlda_gui.workspace.topic_distances import averaged_distances, reference_distances
from pmlda_gui.workspace.topic_set import ENDING, TopicSet, read_topics

__all__ = ["topics_from_file", "topics_of"]


def topics_from_file(path: Path, threads: int | None = None) -> TopicSet:
    """The topics in a `.topics` file, or those that a workspace has found."""
    if path.suffix.casefold() == ENDING:
        return read_topics(path)
    loaded = load(path)
    if loaded.journal is None:
        raise PmldaError(f"{path.name} holds no run, so it has no topics: run the chain first.")
    run = resume(loaded, threads)
    try:
        return topics_of(run, loaded.session)
    finally:
        run.close()


def topics_of(run: Run, session: Session) -> TopicSet:
    """The run's topics: the mean of its draws, in the operator's order and with their names."""
    run.finish_sweep()
    prepared, at = run.prepared, run.mean_draw
    if prepared.pixels_per_cell != 1:
        raise PmldaError("Topics of reduced images cannot be used elsewhere.")
    if by_document := measured_by_document(prepared.feature_choice.names):
        raise PmldaError(
            f"The feature {by_document[0]} is measured in whole documents, so its topics cannot be "
            "used on other images: choose other features."
        )
    looks = looks_of(run.topic_ids, session.topics)
    rows = [run.topic_ids.index(look.id) for look in looks]
    means, parameters = at.means[rows], run.parameters_in_effect
    # Topics that are held belong where they were found, and so does what is far from them.
    known = prepared.given
    how, count = prepared.standardisation, len(prepared.feature_names)
    mixing = np.eye(count) if how.mixing is None else how.mixing
    sizes = {image.pixel_size for image in prepared.images}
    return TopicSet(
        features=prepared.feature_choice,
        feature_names=prepared.feature_names,
        levels=levels_for(prepared.images, prepared.given),
        centre=_row(how.centre),
        scale=_row(how.scale),
        limit=float(how.limit) if np.isfinite(how.limit) else None,
        mixing=tuple(_row(each) for each in mixing),
        noise=float(how.noise),
        means=tuple(_row(each) for each in means),
        variance=float(at.variance),
        parameters=parameters,
        document_count=prepared.document_choice.count,
        looks=tuple(replace(look, id=place, merged_into=None) for place, look in enumerate(looks)),
        distances=known.distances
        if known is not None and set(run.topic_ids) == set(parameters.held)
        else _reference(prepared, means, at.variance, parameters.smoothness),
        pixel_size=sizes.pop() if len(sizes) == 1 else None,
        source=tuple(image.name for image in prepared.images),
        guide=_guide(prepared),
    )


def _reference(
    prepared: Prepared, means: np.ndarray, variance: float, smoothness: float
) -> tuple[float, ...]:
    """How far the words of the run's own images lie from every mixture of its topics."""
    deviation = prepared.averaging(smoothness)
    return reference_distances(
        [
            averaged_distances(
                prepared.standardised(number)[:, field.labels >= 0],
                field.labels >= 0,
                means,
                variance,
                deviation,
            )
            for number, field in enumerate(prepared.fields)
        ]
    )


def _guide(prepared: Prepared) -> tuple[tuple[float, ...], ...]:
    """What words are compared by before they are averaged; nothing where they are not."""
    guide = prepared.standardisation.guide
    return () if guide is None else tuple(_row(each) for each in guide)


def _row(values: np.ndarray) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
