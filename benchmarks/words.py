"""The words every core benchmark runs on: a synthetic scene, its features, its superpixels."""

from __future__ import annotations

import numpy as np

from pmlda_gui.core import Corpus

__all__ = ["scene_corpus"]


def scene_corpus(quick: bool = False, superpixels: int = 50) -> Corpus:
    """600 x 544 pixels (a tenth of that if quick) with three features each."""
    from pmlda_gui.imagery.documents import make_documents
    from pmlda_gui.imagery.features import compute_features, standardise
    from pmlda_gui.imagery.scenes import make_scene
    from pmlda_gui.imagery.words import build_words

    shape = (190, 172) if quick else (600, 544)
    image = make_scene("demo", shape=shape, seed=1).image
    features = compute_features(image, ("mean", "std", "entropy"), window=21)
    values, *_ = standardise(features.values, image.valid)
    documents = make_documents(image, "slic", count=superpixels)
    words = build_words([np.asarray(values, np.float64)], [documents])
    return Corpus(words.words, words.offsets, words.sources)
