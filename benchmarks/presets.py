"""Which features serve PM-LDA best: membership error on synthetic scenes, ARI on labelled strips.

The strips are looked for in the folder named by PMLDA_STRIPS, pairs of NAME.png and
NAME_labels.png; without it only the synthetic scenes are shown.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.tables import show
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.metrics import (
    adjusted_rand_index,
    mean_intersection_over_union,
    membership_error,
    transition_zone,
)
from pmlda_gui.imagery.scenes import SCENES, DuskSpec, make_scene
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from pmlda_gui.workspace.run import Run

__all__ = ["CANDIDATES", "run"]

CANDIDATES: dict[str, tuple[str, ...]] = {
    "mean, entropy": ("mean", "entropy"),
    "mean, std": ("mean", "std"),
    "mean, std, entropy": ("mean", "std", "entropy"),
    "mean, lacunarity 3": ("mean", "lacunarity_3", "lacunarity_7", "lacunarity_13"),
    "mean, gabor": ("mean", "gabor_6", "gabor_12", "gabor_24"),
    "mean, std, gabor": ("mean", "std", "gabor_6", "gabor_12", "gabor_24"),
    "mean, lacunarity_3, gabor": ("mean", "lacunarity_3", "gabor_6", "gabor_12", "gabor_24"),
    "mean, gabor, anisotropy": ("mean", "gabor_6", "gabor_12", "gabor_24", "anisotropy"),
    "mean, anisotropy, gabor_12": ("mean", "anisotropy", "gabor_12"),
    "mean, std, lacunarity_7": ("mean", "std", "lacunarity_7"),
}
_SHAPE = (360, 330)
_SWEEPS = 300


def segment(images: list[Image], names: tuple[str, ...], topics: int, window: int = 21) -> Run:
    """A finished run with default documents and parameters."""
    choice = DocumentChoice("slic", count=max(20, min(200, images[0].valid.size // 1600)))
    run = Run(
        prepare(images, FeatureChoice(names, window), choice),
        replace(DEFAULT_PARAMETERS, topics=topics),
        seed=1,
    )
    run.sweep(_SWEEPS)
    run.close()
    return run


def _strips() -> list[tuple[Image, np.ndarray]]:
    folder = os.environ.get("PMLDA_STRIPS", "")
    if not folder:
        return []
    from pmlda_gui.imagery.readers import open_image, read_label_map

    found = []
    for path in sorted(Path(folder).glob("*_labels.png")):
        image = open_image(path.with_name(path.name.replace("_labels", "")))
        found.append((image, read_label_map(path)))
    return found


def run(quick: bool = False) -> None:
    names = [name for name, spec in SCENES.items() if not isinstance(spec, DuskSpec)]
    scenes = {name: make_scene(name, shape=_SHAPE, seed=3) for name in names[:: 4 if quick else 1]}
    strips = _strips()
    rows = []
    for label, features in CANDIDATES.items():
        errors, zones = [], []
        for scene in scenes.values():
            truth = scene.memberships
            maps = segment([scene.image], features, len(truth)).segmentations()[0].memberships
            errors.append(membership_error(truth, maps))
            zones.append(membership_error(truth, maps, transition_zone(truth)))
        row = [label, float(np.mean(errors)), float(np.max(errors)), float(np.nanmean(zones))]
        for image, labels in strips:
            result = segment([image], features, 3).segmentations()[0].labels
            row.append(
                f"{adjusted_rand_index(labels, result):.2f} "
                f"{mean_intersection_over_union(labels, result):.2f}"
            )
        rows.append(row)
    show(
        "Features for PM-LDA: membership RMSE on synthetic scenes, ARI and mIoU on strips",
        ("features", "mean", "worst", "in transitions", *(i.name for i, _ in strips)),
        rows,
    )
