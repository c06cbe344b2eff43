"""topics.csv: the topics, in the units of the features."""

from __future__ import annotations

import csv
import io

from pmlda_gui.workspace.export.result import Result
from pmlda_gui.workspace.vocabulary import NO_CODES, TopicCodes

__all__ = ["topics_table"]


def topics_table(result: Result) -> bytes:
    """One row for each topic: its area fraction, its means, and the common variance."""
    segmentation = result.images[0].segmentation
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    means = [
        f"mean of {name} [{unit}]"
        for name, unit in zip(segmentation.feature_names, segmentation.feature_units, strict=True)
    ]
    head = ["topic", "share of area", *means, "variance (standardised)"]
    coded = any(code != NO_CODES for code in result.codes)
    writer.writerow(head + (["CMECS", "CMECS name", "NATSUR", "NATSUR name"] if coded else []))
    shares = result.area_fractions
    for topic, name in enumerate(result.topic_names):
        writer.writerow(
            [
                name,
                f"{shares[topic]:.6g}",
                *(f"{value:.6g}" for value in segmentation.means[topic]),
                f"{segmentation.variance:.6g}",
                *(_names_of(result.codes[topic]) if coded else ()),
            ]
        )
    return text.getvalue().encode()


def _names_of(code: TopicCodes) -> tuple[str, str, str, str]:
    return code.cmecs, code.cmecs_name, code.natsur, code.natsur_name
