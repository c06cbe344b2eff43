"""The methods PM-LDA is compared with, on the same words, with the same result.

Each is a small frozen dataclass of its settings with a `fit` that streams; they are
imported when first asked for.
"""

from __future__ import annotations

import importlib

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.peers.method import Method

__all__ = ["PEERS", "SMOOTHED_PEERS", "peer_named"]

_WHERE = {
    "fcm": ("fuzzy_c_means", "FuzzyCMeans"),
    "lda": ("lda", "LatentDirichletAllocation"),
    "slda": ("spatial_lda", "SpatialLda"),
    "kmeans": ("k_means", "KMeans"),
    "gmm": ("gaussian_mixture", "GaussianMixture"),
    "bpm": ("bpm", "BayesianPartialMembership"),
    "bfc": ("bfc", "BayesianFuzzyClustering"),
    "unified": ("bfc", "UnifiedModel"),
    "flicm": ("spatial_fuzzy", "Flicm"),
    "sfcm": ("spatial_fuzzy", "SpatialFuzzyCMeans"),
}
_SMOOTHED = "+smooth"
PEERS = tuple(_WHERE)
"""The methods by the names that command lines and menus use."""

SMOOTHED_PEERS = tuple(name + _SMOOTHED for name in PEERS)
"""The same methods with their maps blurred by half the features' window."""


def peer_named(name: str, window: float = 21.0) -> Method:
    """The method of that name with the paper's settings, or a sentence that lists all names.

    `window` is that of the features, in pixels, for methods that smooth by it.
    """
    plain = name.removesuffix(_SMOOTHED)
    if plain not in _WHERE:
        raise PmldaError(
            f"There is no method {name!r}: choose from {', '.join(PEERS)}, or any of them with "
            f"{_SMOOTHED}."
        )
    module, attribute = _WHERE[plain]
    method: Method = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)()
    if plain == name:
        return method
    from pmlda_gui.peers.smoothed import Smoothed

    return Smoothed(method, window)
