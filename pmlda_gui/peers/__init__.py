"""The methods PM-LDA is compared with, on the same words, with the same result.

Each is a small frozen dataclass of its settings with a `fit` that streams; they are
imported when first asked for.
"""

from __future__ import annotations

import importlib

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.peers.method import Method

__all__ = ["PEERS", "peer_named"]

_WHERE = {
    "fcm": ("fuzzy_c_means", "FuzzyCMeans"),
    "lda": ("lda", "LatentDirichletAllocation"),
    "slda": ("spatial_lda", "SpatialLda"),
    "kmeans": ("k_means", "KMeans"),
    "gmm": ("gaussian_mixture", "GaussianMixture"),
    "bpm": ("partial_membership", "BayesianPartialMembership"),
    "bfc": ("fuzzy_bayes", "BayesianFuzzyClustering"),
    "unified": ("fuzzy_bayes", "UnifiedModel"),
}
PEERS = tuple(_WHERE)
"""The methods by the names that command lines and menus use."""


def peer_named(name: str) -> Method:
    """The method of that name with the paper's settings, or a sentence that lists all names."""
    if name not in _WHERE:
        raise PmldaError(f"There is no method {name!r}: choose from {', '.join(PEERS)}.")
    module, attribute = _WHERE[name]
    method: Method = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)()
    return method
