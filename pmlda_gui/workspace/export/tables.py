"""topics.csv: what each topic is, in the features' own units."""

from __future__ import annotations

import csv
import io

from pmlda_gui.workspace.export.result import Result

__all__ = ["topics_table"]


def topics_table(result: Result) -> bytes:
    """One row a topic: its share of the area, its means, and the variance they all share."""
    segmentation = result.images[0].segmentation
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    means = [
        f"mean of {name} [{unit}]"
        for name, unit in zip(segmentation.feature_names, segmentation.feature_units, strict=True)
    ]
    writer.writerow(["topic", "share of area", *means, "variance (standardised)"])
    shares = result.shares
    for topic, name in enumerate(result.topic_names):
        writer.writerow(
            [
                name,
                f"{shares[topic]:.6g}",
                *(f"{value:.6g}" for value in segmentation.means[topic]),
                f"{segmentation.variance:.6g}",
            ]
        )
    return text.getvalue().encode()
