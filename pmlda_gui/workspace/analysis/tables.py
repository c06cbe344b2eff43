"""Profiles, regions and measurements as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any

from pmlda_gui.workspace.analysis.ground import Measured
from pmlda_gui.workspace.analysis.profile import Profile
from pmlda_gui.workspace.analysis.region import RegionReport
from pmlda_gui.workspace.shapes import Shape

__all__ = ["measurement_table", "profile_table", "region_table", "transition_table"]


def profile_table(profile: Profile, topics: Sequence[str]) -> bytes:
    """One row a sample: the distance, and each topic's membership with its deviation."""
    header = [f"distance [{profile.unit}]"]
    for name in topics:
        header += [name, f"deviation of {name}"]
    rows = (
        [distance, *(value for pair in zip(means, spreads, strict=True) for value in pair)]
        for distance, means, spreads in zip(
            profile.distances, profile.means.T, profile.deviation.T, strict=True
        )
    )
    return _table(header, rows)


def transition_table(profiles: Iterable[Profile], topics: Sequence[str]) -> bytes:
    """One row a transition of any of the profiles."""
    header = [
        "profile", "from", "to", "unit", "centre", "width 10-90 %", "at least",
        "deviation", "lowest", "highest", "smallest that can be told", "other topics up to",
    ]  # fmt: skip
    rows = (
        [
            profile.shape.name,
            topics[each.transition.before],
            topics[each.transition.after],
            profile.unit,
            each.transition.centre,
            each.transition.width,
            "no" if each.transition.is_whole else "yes",
            each.deviation,
            each.low,
            each.high,
            profile.smallest,
            each.transition.third,
        ]
        for profile in profiles
        for each in profile.transitions
    )
    return _table(header, rows)


def region_table(regions: Iterable[RegionReport], topics: Sequence[str]) -> bytes:
    """One row a region, and one for the rest of its image."""
    header = ["region", "part", "unit", "area", "mapped area", "pixels"]
    for name in topics:
        header += [f"mean of {name}", f"deviation of {name}", f"{name} leads"]
    rows = []
    for region in regions:
        for part, found in (("region", region.inside), ("rest of the image", region.rest)):
            if found is None:
                continue
            first = part == "region"
            row: list[Any] = [region.shape.name, part, region.unit]
            row += [region.area, region.mapped_area, region.pixels] if first else ["", "", ""]
            for values in zip(found.means, found.deviation, found.leads, strict=True):
                row += values
            rows.append(row)
    return _table(header, rows)


def measurement_table(measurements: Iterable[tuple[Shape, Measured]]) -> bytes:
    """One row a measurement."""
    header = ["measurement", "unit", "length", "bearing [degrees]", "north", "area"]
    rows = (
        [shape.name, found.unit, found.length, found.bearing,
         "true" if found.is_true else "up in the image", found.area]
        for shape, found in measurements
    )  # fmt: skip
    return _table(header, rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_text(name) for name in header])
    writer.writerows([_text(value) for value in row] for row in rows)
    return text.getvalue().encode()


def _text(value: Any) -> str:
    """A value as CSV holds it: empty where it is not known."""
    if value is None:
        return ""
    if isinstance(value, str):
        # A name that a spreadsheet would take for a formula stays a name.
        return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t") else value
    return f"{value:.6g}" if math.isfinite(value) else ""
