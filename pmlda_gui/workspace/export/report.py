"""report.json: settings, results and diagnostics of a run, for programs."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pmlda_gui import __version__
from pmlda_gui.workspace.analysis.light import light_of
from pmlda_gui.workspace.change_texts import changes_of
from pmlda_gui.workspace.export.result import Result
from pmlda_gui.workspace.serialization import to_values

__all__ = ["images_described", "report_values", "summary"]

_LIBRARIES = ("numpy", "numba", "scipy", "scikit-image", "rasterio")


def summary(result: Result) -> str:
    """One line: topics, features, documents, sweeps and the verdict."""
    settings = result.settings
    features = ", ".join(result.images[0].segmentation.feature_names)
    return (
        f"{result.topics} topics from {features}; {result.sweeps} sweeps of the "
        f"{settings['sampler']} sampler; {result.diagnosis.verdict}"
    )


def images_described(result: Result) -> list[dict[str, Any]]:
    """The images by name and source, with their size and place."""
    described = []
    for each in result.images:
        image = each.image
        described.append(
            {
                "name": image.name,
                "source": None if image.source is None else str(image.source),
                "height": image.shape[0],
                "width": image.shape[1],
                "valid_share": each.valid_pixels / image.valid.size,
                "pixel_size_metres": image.pixel_size,
                "bands": list(image.band_names),
                "georeference": None
                if image.georeference is None
                else {
                    "crs": image.georeference.crs,
                    "transform": list(image.georeference.transform),
                },
                "documents": None
                if each.segmentation.documents is None
                else each.segmentation.documents.count,
                "topics_from_every": each.reduction,
                "unknown_share": each.segmentation.unknown_fraction,
                "notes": list(image.notes),
            }
        )
    return described


def report_values(result: Result, files: Sequence[str]) -> dict[str, Any]:
    """The report as JSON can hold it; numbers that are not finite become null."""
    diagnosis = result.diagnosis
    segmentation = result.images[0].segmentation
    return {
        "program": "pmlda-gui",
        "version": __version__,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
        "settings": result.settings,
        "seed": result.recipe.seed,
        "images": images_described(result),
        "features": [
            {"name": name, "unit": unit}
            for name, unit in zip(
                segmentation.feature_names, segmentation.feature_units, strict=True
            )
        ],
        "features_measured_in": result.measured_in,
        "topics": [
            {
                "name": name,
                "share": float(share),
                "means": [float(value) for value in means],
                **(to_values(result.codes[topic]) if result.codes else {}),
            }
            for topic, (name, share, means) in enumerate(
                zip(result.topic_names, result.area_fractions, segmentation.means, strict=True)
            )
        ],
        "variance": segmentation.variance,
        "sweeps": result.sweeps,
        "sweeps_under_settings": result.sweeps
        if result.sweeps_under_settings is None
        else result.sweeps_under_settings,
        "changes": [
            {"from_sweep": change.from_sweep, "what": change.what}
            for change in changes_of(result.journal)
        ],
        "seconds": {stage: round(spent, 3) for stage, spent in result.seconds.items()},
        "chains": [
            {"quality": _finite(quality), "log_joint": [_finite(float(value)) for value in trace]}
            for quality, trace in zip(result.qualities, result.traces, strict=True)
        ],
        "chosen_chain": result.chosen_chain + 1,
        "steps_meaning": _steps_meaning(result.recipe.sampler),
        "steps": _all_finite(result.steps),
        "convergence": {
            "light": light_of(diagnosis).colour,
            "verdict": diagnosis.verdict,
            "settled": diagnosis.settled,
            "maps_settled": diagnosis.maps_settled,
            "sweeps_looked_at": diagnosis.sweeps,
            "effective_sample_size": _all_finite(diagnosis.ess),
            "split_r_hat": _all_finite(diagnosis.rhat),
        },
        "warnings": list(result.warnings),
        "files": list(files),
    }


def _steps_meaning(sampler: str) -> str:
    return "density evaluations per draw" if sampler == "fast" else "fraction of proposals accepted"


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            # A frozen program carries the libraries without their descriptions.
            found[name] = "unknown"
    return found


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _all_finite(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: _finite(float(value)) for name, value in values.items()}
