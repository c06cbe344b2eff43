"""Restores the run of a workspace: from its checkpoint, or by repeating its journal.

Both lead to the same chain bit for bit, with any number of threads, because all
that is random is keyed by seed and sweep, and every change is applied at the sweep
at which it took effect.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pmlda_gui.core.checkpoint import Checkpoint
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import open_image
from pmlda_gui.imagery.readers.regular_files import printable
from pmlda_gui.imagery.survey_gain import with_gain_of_survey
from pmlda_gui.workspace.archive.contents import Loaded
from pmlda_gui.workspace.choices import Preparation
from pmlda_gui.workspace.journal import Entry, Journal, Start
from pmlda_gui.workspace.preparation import Prepared, prepare
from pmlda_gui.workspace.session import ImageEntry
from pmlda_gui.workspace.topic_numbering import TopicNumbering
from pmlda_gui.workspace.topic_places import restored_places

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["begun_sweeps", "open_entries", "replay", "require_repeatable", "resume"]

log = logging.getLogger(__name__)

# Preparing usually takes about as long as this share of a run.
_PREPARING = 0.2


def open_entries(
    entries: Sequence[ImageEntry], progress: Progress = UNWATCHED
) -> tuple[Image, ...]:
    """Open the images of a session: files, and scenes that are made.

    The gain of recordings is measured in all of them.
    """
    return with_gain_of_survey([_open(entry, progress) for entry in entries])


def _open(entry: ImageEntry, progress: Progress) -> Image:
    if entry.path is not None:
        return open_image(entry.path, entry.options, progress.unheard())
    from pmlda_gui.imagery.scenes import make_scene

    return make_scene(str(entry.scene)).image


def replay(
    loaded: Loaded,
    threads: int | None = None,
    progress: Progress = UNWATCHED,
    images: Sequence[Image] | None = None,
) -> Run:
    """Repeat the work from seed and journal, to the last sweep that had been finished.

    Once the work is to stop, the run is returned as far as it is.  `images` are those
    of the session, opened here if not given.
    """
    from pmlda_gui.workspace.run import Run

    require_repeatable(loaded)
    journal = _journal_of(loaded)
    start, total = _start_of(journal), journal.sweeps
    log.info("repeating %d sweeps with %d changes", total, len(journal.entries))
    images = open_entries(loaded.session.images, progress) if images is None else images
    with _sentences(loaded):
        prepared = _prepared(
            images, start.preparation, journal, None, progress.part(0.0, _PREPARING)
        )
        run = Run(
            prepared,
            start.parameters,
            start.sampler,
            start.seed,
            threads,
            topic_ids=start.topic_ids,
        )
        # The journal tells the numbers of the topics; here former runs are not known.
        run.numbering.active = False
        for entry in journal.before(total).entries:
            if not _sweep_to(run, entry.sweep, total, progress):
                break
            _apply(run, entry, images, journal, progress)
        _sweep_to(run, total, total, progress)
        former = restored_places(loaded.places, images, loaded.session.topics)
        run.numbering = TopicNumbering(former)
    return run


def resume(
    loaded: Loaded,
    threads: int | None = None,
    images: Sequence[Image] | None = None,
    progress: Progress = UNWATCHED,
) -> Run:
    """The run as it was saved, with the changes that were waiting for its next sweep.

    `images` are those of the session, opened here if not given.
    """
    from pmlda_gui.workspace.run import Run

    journal = _journal_of(loaded)
    checkpoint = loaded.checkpoint
    if checkpoint is None:
        return replay(loaded, threads, progress, images)
    images = open_entries(loaded.session.images, progress) if images is None else images
    with _sentences(loaded):
        past = journal.before(begun_sweeps(checkpoint))
        prepared = _prepared(
            images, past.preparation, journal, None, progress.part(0.0, _PREPARING)
        )
        run = Run.resume(prepared, checkpoint, past, threads)
        former = restored_places(loaded.places, images, loaded.session.topics)
        run.numbering = TopicNumbering(former)
        for entry in journal.entries:
            if entry not in past.entries:
                _apply(run, entry, images, journal, progress)
    return run


def begun_sweeps(checkpoint: Checkpoint) -> int:
    """Sweeps done or under way when the checkpoint was taken."""
    return int(checkpoint.values["ladder"]["sweeps_before"]) + int(checkpoint.values["sweep"])


def _sweep_to(run: Run, sweep: int, total: int, progress: Progress) -> bool:
    """Sweep until so many are done; False if stopped."""
    while run.sweeps < sweep:
        run.sweep(1, progress.is_cancelled)
        done = run.sweeps / total
        progress.tell(_PREPARING * (1.0 - done) + done, "sweeps")
        if progress.cancelled:
            return False
    return True


def _apply(
    run: Run, entry: Entry, images: Sequence[Image], journal: Journal, progress: Progress
) -> None:
    """Let one change wait for the next sweep, as the operator did."""
    if entry.parameters is not None:
        run.set_parameters(entry.parameters)
    if entry.topic_ids is not None:
        run.number_topics(entry.topic_ids)
    if entry.hints is not None:
        run.set_hints(journal.painted(entry.hints, run.prepared))
    if entry.preparation is not None:
        run.set_prepared(
            _prepared(images, entry.preparation, journal, run.prepared, progress.unheard())
        )


def _prepared(
    images: Sequence[Image],
    preparation: Preparation,
    journal: Journal,
    previous: Prepared | None,
    progress: Progress,
) -> Prepared:
    return prepare(
        images,
        preparation.features,
        preparation.documents,
        journal.labels_of(preparation),
        preparation.seed,
        previous,
        progress,
        journal.topics_of(preparation),
    )


def _journal_of(loaded: Loaded) -> Journal:
    if loaded.journal is None:
        raise PmldaError(
            f"{loaded.path.name} holds no run that could be repeated: start one and save again."
        )
    if loaded.missing:
        entry = loaded.missing[0]
        folder = printable(str(entry.path.parent)) if entry.path is not None else ""
        raise PmldaError(f"{entry.name} is not in {folder}: put it back, or say where it is now.")
    return loaded.journal


def _start_of(journal: Journal) -> Start:
    if journal.start is None:
        raise PmldaError("The journal does not say how its run began: start a new run.")
    return journal.start


def require_repeatable(loaded: Loaded) -> None:
    """Refuse a workspace without a run, or whose images are not there or are others now."""
    _journal_of(loaded)
    if loaded.changed:
        raise PmldaError(
            f"{loaded.changed[0].name} has changed since {loaded.path.name} was saved, so the work "
            "cannot be repeated: put the old file back, or start a new run."
        )


@contextmanager
def _sentences(loaded: Loaded) -> Iterator[None]:
    """A checkpoint that a stranger wrote may be wrong in ways nothing else has noticed."""
    try:
        yield
    except PmldaError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise PmldaError(
            f"The run in {loaded.path.name} does not fit its images or is damaged: open the "
            "version before, or start a new run."
        ) from error
