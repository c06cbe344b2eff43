"""Makes the result from the chains: the maps of the best one, and the diagnostics of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.batch.chains import Sampling, ordinal
from pmlda_gui.workspace.batch.hinted import NO_HINTS_GIVEN, Hinted
from pmlda_gui.workspace.batch.settings import Settings
from pmlda_gui.workspace.export import ImageResult, Result
from pmlda_gui.workspace.finding_texts import remarks_on
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.run_view import MadeMaps
from pmlda_gui.workspace.tiled_memberships import FinePass
from pmlda_gui.workspace.tiled_preparation import Reduced
from pmlda_gui.workspace.unknown_words import about_given, unknown_of_image

__all__ = ["gather", "topic_order"]

# Below this share of the area a topic may be nothing but a few odd pixels.
_SMALL_SHARE = 0.005


def gather(
    images: Sequence[Image],
    settings: Settings,
    sampling: Sampling,
    reduced: Reduced | None,
    progress: Progress,
    hinted: Hinted = NO_HINTS_GIVEN,
    made: Sequence[MadeMaps] | None = None,
) -> Result:
    """The best chain's maps, or those `made` elsewhere, with everything that is told about them."""
    recipe, given = settings.recipe, settings.given
    prepared, run = sampling.prepared, sampling.runs[sampling.best]
    diagnosis = sampling.diagnosis()
    found = run.segmentations(recipe.estimate, made)
    order = topic_order(found[0].means, recipe.parameters)
    if hinted.hints:
        order = np.argsort(run.topic_ids)
    known = {
        "verdict": diagnosis.verdict,
        "settled": diagnosis.settled,
        "ess": dict(diagnosis.ess),
        "rhat": dict(diagnosis.rhat),
        "chains": diagnosis.chains,
        "sweeps": run.full_sweeps,
        "quality": run.best_quality,
        "steps": sampling.steps,
    }
    found = [replace(each.reordered(order.tolist()), diagnostics=known) for each in found]
    if given is not None and made is None:
        smoothness = run.parameters_in_effect.smoothness
        found = [
            replace(each, unknown=unknown_of_image(run.prepared, number, given, smoothness))
            for number, each in enumerate(found)
        ]
    fine = None
    if reduced is not None:
        # The draws are those of words that were made for this number of topics.
        fine = FinePass(
            replace(reduced, prepared=run.prepared),
            replace(run.map_source(recipe.estimate), hints=hinted.hints),
            found,
            order,
            settings.threads,
            progress,
            given,
        )
    results = [
        ImageResult(
            image=image,
            segmentation=segmentation,
            shown=shown,
            reduction=1 if reduced is None else reduced.factor,
            full_tiles=None if fine is None else partial(fine.tiles, number),
        )
        for number, (image, segmentation, shown) in enumerate(
            zip(images, found, prepared.images, strict=True)
        )
    ]
    chains = [sampling.runs[number].chain for number in sampling.comparable]
    result = Result(
        images=results,
        recipe=recipe,
        asked=settings.asked(),
        journal=run.journal,
        diagnosis=diagnosis,
        traces=[chain.trace.logit_log_joint for chain in chains],
        qualities=[chain.best_quality for chain in chains],
        chosen_chain=sampling.comparable.index(sampling.best),
        steps=sampling.steps,
        sweeps=run.full_sweeps,
        seconds={},
        topic_names=hinted.topic_names(len(order)),
    )
    if given is not None:
        result = replace(
            result,
            topic_names=tuple(look.name for look in given.looks),
            colours=given.colours,
            codes=tuple(look.codes for look in given.looks),
        )
    warnings = _warnings(result, sampling, run, order)
    if given is not None:
        warnings += about_given(result, given)
    return replace(result, warnings=warnings)


def topic_order(means: NDArray[np.float64], parameters: Parameters) -> NDArray[np.int64]:
    """How topics are numbered: by the mean of the first feature, so that runs agree.

    Topics that are held, or that the operator gave different priors, keep their numbers.
    """
    fixed = parameters.proportions or (1.0,)
    alike = np.ptp(parameters.alpha_vector) == 0 and np.ptp(fixed) < 1e-12
    if parameters.held or not alike:
        return np.arange(len(means))
    return np.argsort(means[:, 0], kind="stable")


def _warnings(result: Result, sampling: Sampling, run: Run, order: NDArray[np.int64]) -> list[str]:
    """What an operator should know before trusting the maps."""
    said: list[str] = []
    if sampling.stopped:
        said.append("The run was stopped early; this is what there was at that moment.")
    if not run.full_sweeps:
        said.append(
            "The run ended before all words were learned from: run longer for maps to rely on."
        )
    elif not result.diagnosis.maps_settled:
        said.append(f"The maps may still change: {result.diagnosis.verdict}.")
    if not run.starts_agreed:
        said.append(
            "Different starts led to different topics; the best was taken, but others are nearly "
            "as good: try fewer topics or other features."
        )
    if result.images[0].reduction > 1:
        step = result.images[0].reduction
        said.append(
            f"The images are large: documents were made on every {ordinal(step)} row and column."
        )
    numbers = np.argsort(order)
    said += remarks_on(run.findings(), [f"Topic {numbers[row] + 1}" for row in range(len(order))])
    for name, share in zip(result.topic_names, result.area_fractions, strict=True):
        if share < _SMALL_SHARE:
            said.append(
                f"The {name} covers {share:.2%} of the area, perhaps nothing but a few odd pixels."
            )
    for each in result.images:
        said += [f"{each.image.name}: {note}" for note in each.image.notes]
        documents = each.segmentation.documents
        if documents is not None and documents.left_out:
            said.append(
                f"{each.image.name}: {documents.left_out * each.reduction**2:,} valid pixels "
                "belong to no document and have no memberships."
            )
    return said
