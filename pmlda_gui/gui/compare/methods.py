"""The methods on offer, what each does in a sentence, and which were chosen last."""

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
    "pmlda": "Pixels mix kinds of seabed, in shares that resemble those of their document.",
    "fcm": "Shares by distance in feature space alone; documents and noise are unknown to it.",
    "lda": "Each pixel is of one kind, which its document makes likely; borders are crisp.",
    "slda": "LDA in which neighbouring pixels settle on common documents of their own.",
    "kmeans": "Each pixel goes to the nearest of K means.",
    "gmm": "Each pixel comes from one of K Gaussians; the maps show the doubt about which.",
    "bpm": "PM-LDA with everything in one document, so that place says nothing.",
    "bfc": "Fuzzy clusters as a Bayesian model, without documents.",
    "unified": "The paper's bridge between fuzzy clusters and PM-LDA, with documents.",
    "flicm": "Fuzzy c-means in which neighbouring pixels speak for or against each share.",
    "sfcm": "Fuzzy c-means whose shares are multiplied with those of the pixels around.",
    "fcm+smooth": "Fuzzy c-means with its maps blurred by half the features' window.",
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
