"""Saved runs for undo: restore a run, its topics and its maps as they were.

A chain learns from a few thousand words and maps follow from its draws, so a state takes
about a megabyte, where the maps themselves would take hundreds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmlda_gui.core.checkpoint import Checkpoint
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.hints import same_hints
from pmlda_gui.workspace.journal import Journal
from pmlda_gui.workspace.preparation import Prepared, prepare
from pmlda_gui.workspace.replay import begun_sweeps
from pmlda_gui.workspace.session import Session
from pmlda_gui.workspace.strokes import Stroke, painted
from pmlda_gui.workspace.topic_matching import FormerTopics
from pmlda_gui.workspace.topic_numbering import TopicNumbering

if TYPE_CHECKING:
    from pmlda_gui.core.parameters import Parameters
    from pmlda_gui.imagery.image import Image
    from pmlda_gui.workspace.run import Run

__all__ = ["MOST_BYTES", "KeptStates", "RunState", "give_hints", "resume_state", "state_of"]

MOST_BYTES = 256 * 2**20
"""What the states kept for undo may take together; the oldest are let go first."""


@dataclass(frozen=True, eq=False)
class RunState:
    """A run between two kernel calls, without what waited for its next sweep.

    `images` are those it was on, None if it was read from a file.
    """

    checkpoint: Checkpoint
    journal: Journal
    images: tuple[Image, ...] | None = None

    @property
    def nbytes(self) -> int:
        """What its arrays take."""
        return sum(array.nbytes for array in self.checkpoint.arrays.values())


def state_of(run: Run) -> RunState:
    """The run as it is; call it on the thread that owns the run."""
    checkpoint = run.checkpoint()
    journal = run.journal.before(begun_sweeps(checkpoint))
    return RunState(checkpoint, journal, run.prepared.images)


def resume_state(
    state: RunState, prepared: Prepared, parameters: Parameters, threads: int | None = None
) -> Run:
    """The run as it was; `prepared` and `parameters`, if they are others, wait for its next sweep.

    The images of `prepared` must be those of the state.
    """
    from pmlda_gui.workspace.run import Run

    if state.images is not None and not prepared.is_of(state.images):
        raise PmldaError("The kept run is on other images: start a new run.")
    made = state.journal.preparation
    fitting = prepared
    if prepared.preparation != made:
        labels = state.journal.labels_of(made)
        fitting = prepare(
            prepared.images, made.features, made.documents, labels, made.seed, prepared,
            given=state.journal.topics_of(made),
        )  # fmt: skip
    run = Run.resume(fitting, state.checkpoint, state.journal.copy(), threads)
    if fitting is not prepared:
        run.set_prepared(prepared)
    run.set_parameters(parameters)
    return run


def give_hints(run: Run, strokes: tuple[Stroke, ...]) -> None:
    """Let the run have what was painted, unless it has it or its sampler knows no hints."""
    if not run.takes_hints:
        return
    wanted = painted(strokes, [image.shape for image in run.prepared.images])
    if not same_hints(wanted, run.hints):
        run.set_hints(wanted)


class _Kept:
    """The state that belongs to a session, once it has been taken."""

    def __init__(self, session: Session, state: RunState | None = None) -> None:
        self.session = session
        self.state = state
        self.given_up = False


Awaited = tuple[_Kept, ...]


class KeptStates:
    """States by the session they belong to, for undo, redo and going back to a result.

    Sessions are told apart as objects: undo brings back the very one that was there.
    The window's thread says what is to be kept and asks for it; states are taken, and
    runs made from them, on the thread that owns the run, which may come to that later.
    """

    def __init__(self, former: FormerTopics | None = None, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        # The runs of a workspace know the same topics, those of steps undone included; but
        # those under topics from elsewhere know these, whose numbers are others.
        self._formers = {"": FormerTopics() if former is None else former}
        self._lock = threading.Lock()
        self._kept: list[_Kept] = []
        self._run: Run | None = None

    # -- on the window's thread --------------------------------------------------------------

    def expect(self, session: Session) -> None:
        """The present run belongs to this session, and is to be kept before it changes."""
        with self._lock:
            self._kept = [each for each in self._kept if each.session is not session]
            self._kept.append(_Kept(session))

    def put(self, session: Session, state: RunState) -> None:
        """Have this state for a session that is about to begin."""
        with self._lock:
            self._kept.append(_Kept(session, state))

    def keep_only(self, sessions: Iterable[Session]) -> None:
        """Let go what belongs to none of these: no step leads there any more."""
        wanted = {id(session) for session in sessions}
        with self._lock:
            self._kept = [each for each in self._kept if id(each.session) in wanted]

    def has(self, session: Session) -> bool:
        """Whether a state is kept, or about to be, for this session."""
        with self._lock:
            return any(each.session is session and not each.given_up for each in self._kept)

    @property
    def nbytes(self) -> int:
        """What all states take together."""
        with self._lock:
            states = {id(each.state): each.state for each in self._kept if each.state}
        return sum(state.nbytes for state in states.values())

    @property
    def awaited(self) -> Awaited:
        """What is to be taken of the present run, before another begins."""
        with self._lock:
            return tuple(each for each in self._kept if each.state is None and not each.given_up)

    # -- on the thread of the run ------------------------------------------------------------

    def take(self, awaited: Awaited, run: Run | None) -> None:
        """Take the state of the run for those that still wait for theirs."""
        with self._lock:
            expecting = [each for each in awaited if each.state is None and not each.given_up]
        if not expecting:
            return
        state = None if run is None else state_of(run)
        with self._lock:
            for each in expecting:
                each.state, each.given_up = state, state is None
            self._trim()

    def _trim(self) -> None:
        """Drop the oldest until all fit into memory."""
        sizes = {id(each.state): each.state.nbytes for each in self._kept if each.state}
        for each in self._kept:
            if sum(sizes.values()) <= self._most_bytes:
                break
            if each.state is not None:
                sizes.pop(id(each.state), None)
                each.state, each.given_up = None, True
        self._kept = [each for each in self._kept if not each.given_up]

    def state_for(self, session: Session) -> RunState | None:
        """The state of a session, if it is still kept."""
        with self._lock:
            return next((each.state for each in self._kept if each.session is session), None)

    def begin(
        self, prepared: Prepared, session: Session, kept_for: Session, awaited: Awaited = ()
    ) -> Run:
        """The run that is `kept_for` a session, or a new one whose topics are recognised.

        It is to sample under the settings of `session`.  The run before it is kept for those
        that wait for that.
        """
        from pmlda_gui.workspace.run import Run

        self.take(awaited, self._run)
        before, state = self._run, self.state_for(kept_for)
        if before is not None:
            before.numbering.note(before.topic_record)
        if state is not None and (state.images is None or prepared.is_of(state.images)):
            self._run = resume_state(state, prepared, session.parameters)
            self._run.numbering = TopicNumbering(self._former_of(session))
            give_hints(self._run, session.strokes)
        else:
            self._run = Run(
                prepared,
                session.parameters,
                session.sampler,
                session.seed,
                former=self._former_of(session),
                hints=painted(session.strokes, [image.shape for image in prepared.images]),
            )
        self._run.entries = session.images
        return self._run

    def adopt(self, run: Run, session: Session) -> Run:
        """Let this run of the session be the one whose states are kept."""
        run.entries = session.images
        self._run, self._formers[_given(session)] = run, run.numbering.former_topics
        return run

    def _former_of(self, session: Session) -> FormerTopics:
        return self._formers.setdefault(_given(session), FormerTopics())


def _given(session: Session) -> str:
    return "" if session.given is None else session.given.digest
