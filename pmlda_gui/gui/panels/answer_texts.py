"""Profiles, regions and measurements in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pmlda_gui.workspace.analysis.ground import Measured
    from pmlda_gui.workspace.analysis.profile import MeasuredWidth, Profile
    from pmlda_gui.workspace.analysis.region import Composition, RegionReport

__all__ = [
    "area_text",
    "bearing_text",
    "length_text",
    "measurement_lines",
    "profile_lines",
    "region_lines",
]

_MUCH_OF_OTHERS = 0.2
_MOST_DOCUMENTS = 4


def length_text(length: float, unit: str) -> str:
    """A length with three figures: 3.25 m, 1.2 km, 34 px."""
    if unit == "m" and length >= 1000.0:
        return f"{length / 1000.0:.3g} km"
    return f"{_figure(length)} {unit}"


def area_text(area: float, unit: str) -> str:
    """An area with three figures."""
    if unit == "m" and area >= 1e6:
        return f"{area / 1e6:.3g} km²"
    return f"{_figure(area)} {unit}²" if unit == "m" else f"{_figure(area)} pixels"


def _figure(value: float) -> str:
    return (
        f"{value:,.0f}"
        if abs(value) >= 100.0
        else f"{value:.2g}"
        if abs(value) < 1.0
        else f"{value:.3g}"
    )


def bearing_text(bearing: float, is_true: bool) -> str:
    """A direction in degrees, and from what it is counted."""
    return f"{bearing:05.1f}° {'true' if is_true else 'from up in the image'}"


def profile_lines(profile: Profile, topics: Sequence[str]) -> list[str]:
    """What a profile says: its line, then a line for each transition."""
    lines = [
        f"{length_text(profile.length, profile.unit)}, "
        f"{bearing_text(profile.bearing, profile.is_true)}"
    ]
    lines += [_transition(each, profile, topics) for each in profile.transitions]
    if not profile.transitions:
        lines.append("No transition: one topic leads all along the line.")
    else:
        smallest = length_text(profile.smallest, profile.unit)
        lines.append(f"Any edge below {smallest} can look that wide.")
    return lines


def _transition(found: MeasuredWidth, profile: Profile, topics: Sequence[str]) -> str:
    each, unit = found.transition, profile.unit
    between = f"{topics[each.before]} → {topics[each.after]}"
    width = length_text(each.width, unit)
    if not each.is_whole:
        said = f"at least {length_text(max(found.low, 0.0), unit)} wide, {width} of it seen"
    elif found.low <= 0.0:
        said = f"no wider than {length_text(found.high, unit)} (looks {width})"
    else:
        said = f"{width} wide ({_figure(found.low)} to {_figure(found.high)})"
    other = ""
    if each.third >= _MUCH_OF_OTHERS:
        other = f"; other topics have up to {100 * each.third:.0f} %"
    return f"{between}: {said}, at {length_text(each.centre, unit)}{other}"


def region_lines(region: RegionReport, topics: Sequence[str]) -> list[str]:
    """What a region says: its area, its composition against the rest, its documents."""
    area = area_text(region.area, region.unit)
    if not math.isclose(region.area, region.mapped_area, rel_tol=0.02):
        area += f", {area_text(region.mapped_area, region.unit)} of it mapped"
    lines = [area]
    for topic, name in enumerate(topics):
        rest = "" if region.rest is None else f"; elsewhere {_share(region.rest, topic)}"
        leads = f"leads on {100 * region.inside.leads[topic]:.0f} %"
        lines.append(f"{name}: {_share(region.inside, topic)}, {leads}{rest}")
    count = len(region.documents)
    largest = ", ".join(
        f"{each.document} ({100 * each.of_region:.0f} %)"
        for each in region.documents[:_MOST_DOCUMENTS]
    )
    more = f" and {count - _MOST_DOCUMENTS} more" if count > _MOST_DOCUMENTS else ""
    lines.append(f"{'Document' if count == 1 else 'Documents'} {largest}{more}")
    return lines


def _share(found: Composition, topic: int) -> str:
    return f"{100 * found.means[topic]:.0f} ± {100 * found.deviation[topic]:.0f} %"


def measurement_lines(measured: Measured) -> list[str]:
    """What a measurement says."""
    lines = [f"Length {length_text(measured.length, measured.unit)}"]
    if measured.bearing is not None:
        lines.append(f"Bearing {bearing_text(measured.bearing, measured.is_true)}")
    if measured.area is not None:
        lines.append(f"Area, if closed, {area_text(measured.area, measured.unit)}")
    return lines
