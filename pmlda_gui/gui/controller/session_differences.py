"""Functions that say what differs between two sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pmlda_gui.gui.controller.presenter import PICTURES, Presenter
from pmlda_gui.workspace.session import Session

if TYPE_CHECKING:
    from pmlda_gui.workspace.topic_matching import FormerTopics
    from pmlda_gui.workspace.undo_states import KeptStates

__all__ = ["chain_of", "new_states", "pictures_of", "preparation_of", "run_of"]


def pictures_of(session: Session) -> tuple[str, ...]:
    """Which kinds of pictures a session shows."""
    chosen = session.view.get("pictures")
    if not isinstance(chosen, tuple):
        return Presenter.DEFAULT_PICTURES
    # Without topics from elsewhere everything is known.
    there = PICTURES if session.given is not None else PICTURES[:-1]
    return tuple(kind for kind in there if kind in chosen) or ("source",)


def preparation_of(session: Session) -> tuple[object, ...]:
    """What decides about documents and words."""
    labels = session.label_file if session.documents.kind == "labels" else None
    return session.images, session.features, session.documents, labels, session.given


def chain_of(session: Session) -> tuple[object, ...]:
    """What no chain can change on its way."""
    return session.sampler, session.seed, session.restarts, session.given


def run_of(session: Session) -> tuple[object, ...]:
    """What no step back leaves to the chain: it brings the run that belongs to it."""
    return preparation_of(session), chain_of(session), session.parameters.topics


def new_states(former: FormerTopics | None = None) -> KeptStates:
    """A place for the runs of a workspace that was just opened, whose topics were these."""
    from pmlda_gui.workspace.undo_states import KeptStates

    return KeptStates(former)
