"""Methods held against ground truth at points: four small tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pmlda_gui.experiments.study import Table, table_content
from pmlda_gui.imagery.readers.points import Points
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.peers.point_truth import PointScores, score_points
from pmlda_gui.workspace.comparison import MethodResult
from pmlda_gui.workspace.export.atomic import make_folder, write_whole

__all__ = ["point_scores", "point_tables", "write_point_scores"]


def point_scores(
    segmentations: Sequence[Segmentation], points: Sequence[Points | None]
) -> PointScores:
    """The scores of one method over the points of all images, whose topics are the same."""
    pairs = [
        (found.memberships[:, given.rows, given.columns].T, given.classes)
        for found, given in zip(segmentations, points, strict=True)
        if given is not None
    ]
    memberships = np.concatenate([values for values, _ in pairs])
    return score_points(memberships, [name for _, classes in pairs for name in classes])


def point_tables(
    results: Sequence[MethodResult], points: Sequence[Points | None]
) -> dict[str, Table]:
    """By name: the scores, the class of each topic, points by true and found class, calibration."""
    scores = {each.name: point_scores(each.segmentations, points) for each in results}
    classes = next(iter(scores.values())).classes
    return {
        "points": Table(
            ("method", "points", "accuracy", "kappa", "calibration error", "Brier score"),
            [
                [
                    name,
                    found.points,
                    found.accuracy,
                    found.kappa,
                    found.calibration_error,
                    found.brier,
                ]
                for name, found in scores.items()
            ],
        ),
        "topics_to_classes": Table(
            ("method", "topic", "class", *(f"membership in {name}" for name in classes)),
            [
                [name, topic + 1, found.classes[place], *map(float, found.overlap[:, topic])]
                for name, found in scores.items()
                for topic, place in enumerate(found.class_of)
            ],
        ),
        "confusion": Table(
            ("method", "true class", *(f"found {name}" for name in classes)),
            [
                [name, true, *map(int, counts)]
                for name, found in scores.items()
                for true, counts in zip(found.classes, found.confusion, strict=True)
            ],
        ),
        "calibration": Table(
            ("method", "from", "to", "points", "mean membership", "share right"),
            [
                [name, each.low, each.high, each.points, each.mean_membership, each.share_right]
                for name, found in scores.items()
                for each in found.bins
            ],
        ),
    }


def write_point_scores(
    folder: Path, results: Sequence[MethodResult], points: Sequence[Points | None]
) -> list[Path]:
    """Write each of the tables as a CSV file; gives the paths."""
    tables = point_tables(results, points)
    make_folder(folder)
    return [
        write_whole(folder / f"{name}.csv", table_content(table)) for name, table in tables.items()
    ]
