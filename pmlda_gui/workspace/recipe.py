"""The recipe of a segmentation: what is measured, divided, sampled and shown.

Window, command line, Python, surveys, reports and topics files describe a job by this one
value.  How a file is read belongs to the image (`ReadOptions`), since each may need its own.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace.choices import DocumentChoice, FeatureChoice
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.serialization import to_values

__all__ = ["ESTIMATES", "MOST_SEED", "SAMPLERS", "Recipe"]

ESTIMATES = ("mean", "map", "paper-map")
SAMPLERS = ("fast", "paper", "least-squares")
"""The names in `core.samplers`, which loads the compiler."""
MOST_SEED = 2**63

# Frozen, so all recipes may share them.
_DEFAULT_FEATURES, _DEFAULT_DOCUMENTS = FeatureChoice(), DocumentChoice()


@dataclass(frozen=True)
class Recipe:
    """How images are segmented; a value that has been checked.

    `features` are measured around every pixel, and `documents` is how images are divided; where
    their kind is "labels", `label_file` holds the label map.  `parameters` are the model's.
    `sampler` is one of `SAMPLERS`, `estimate` one of `ESTIMATES`.  `seed` is that of documents
    and chain: the same recipe gives the same bits.
    """

    features: FeatureChoice = _DEFAULT_FEATURES
    documents: DocumentChoice = _DEFAULT_DOCUMENTS
    label_file: Path | None = None
    parameters: Parameters = DEFAULT_PARAMETERS
    sampler: str = "fast"
    seed: int = 0
    estimate: str = "mean"

    def __post_init__(self) -> None:
        if not 0 <= self.seed < MOST_SEED:
            raise PmldaError(f"The seed is {self.seed}, but must lie between 0 and 2^63 - 1.")
        if self.sampler not in SAMPLERS:
            raise PmldaError(
                f"There is no sampler {self.sampler!r}: choose one of {', '.join(SAMPLERS)}."
            )
        if self.estimate not in ESTIMATES:
            raise PmldaError(
                f"There is no estimate {self.estimate!r}: choose {', '.join(ESTIMATES)}."
            )

    @property
    def recipe(self) -> Recipe:
        """The recipe alone, without what a value that builds on it adds."""
        return Recipe(**{each.name: getattr(self, each.name) for each in fields(Recipe)})

    def to_options(self) -> dict[str, Any]:
        """The recipe in the words of the command line, as JSON can hold it."""
        parameters: dict[str, Any] = to_values(self.parameters)
        if not parameters["held"]:
            del parameters["held"]
        learned = {name: "learn" for name in ("scaling", "proportions") if parameters[name] is None}
        features, documents = self.features, self.documents
        from_file = documents.kind == "labels" and self.label_file is not None
        return {
            **parameters,
            **learned,
            "documents": str(self.label_file) if from_file else documents.kind,
            "document_count": documents.count,
            "window": documents.window,
            "stride": documents.stride,
            "features": to_values(features.names),
            "feature_window": features.window,
            "feature_scale": features.scale,
            "lattice": features.lattice,
            "sampler": self.sampler,
            "seed": self.seed,
            "estimate": self.estimate,
        }
