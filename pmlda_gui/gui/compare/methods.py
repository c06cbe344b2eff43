"""The methods on offer, a sentence about each, and which were chosen last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pmlda_gui.peers import peer_named
from pmlda_gui.workspace.comparison import PMLDA_TITLE
from pmlda_gui.workspace.settings import settings

__all__ = ["DEFAULT_METHODS", "OFFERED", "Offer", "offers", "store_methods", "stored_methods"]

DEFAULT_METHODS = ("pmlda", "fcm", "lda", "slda")
"""Those of the paper's figures."""

_SETTING = "compare/methods"
_SENTENCES = {
    "pmlda": "Pixels mix kinds of seabed, with memberships like those of their document.",
    "fcm": "Memberships follow from distances in feature space, without documents or noise.",
    "lda": "Each pixel is one kind, and its document says which are likely; borders are crisp.",
    "slda": "LDA in which neighbouring pixels find common documents of their own.",
    "kmeans": "Each pixel belongs to the nearest of K means.",
    "gmm": "Each pixel comes from one of K Gaussians; the maps show how certain it is which.",
    "bpm": "PM-LDA with one document for everything, so that position has no effect.",
    "bfc": "Fuzzy clusters as a Bayesian model, without documents.",
    "unified": "The paper's model between fuzzy clusters and PM-LDA, with documents.",
    "flicm": "Fuzzy c-means in which neighbouring pixels raise or lower each membership.",
    "sfcm": "Fuzzy c-means whose memberships are multiplied by those of nearby pixels.",
    "fcm+smooth": "Fuzzy c-means with maps blurred by half the feature window.",
}
OFFERED = tuple(_SENTENCES)
"""The methods a window offers, PM-LDA first; the command line knows more smoothed ones."""


class Offer(NamedTuple):
    """A method as it is offered."""

    name: str
    title: str
    sentence: str


def offers() -> tuple[Offer, ...]:
    """Every method on offer, PM-LDA first."""
    return tuple(Offer(name, _title(name), sentence) for name, sentence in _SENTENCES.items())


def _title(name: str) -> str:
    title = PMLDA_TITLE if name == "pmlda" else peer_named(name).title
    return title[:1].upper() + title[1:]


def stored_methods() -> tuple[str, ...]:
    """The methods chosen last, those of the paper if none were."""
    stored = settings().get(_SETTING)
    return tuple(name for name in OFFERED if name in stored) or DEFAULT_METHODS


def store_methods(names: Sequence[str]) -> None:
    """Remember a choice for the next time."""
    settings().set(_SETTING, tuple(names))
