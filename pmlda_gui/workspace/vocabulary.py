"""Codes for kinds of seabed: CMECS substrates and S-57 natures of surface.

CMECS is the Coastal and Marine Ecological Classification Standard (FGDC-STD-018-2012), of
whose substrate component the units down to groups are listed; NATSUR is the attribute
"nature of surface" of the IHO transfer standard S-57.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pmlda_gui.core.errors import PmldaError

__all__ = ["CMECS", "NATSUR", "NO_CODES", "TopicCodes"]

CMECS: Mapping[str, str] = MappingProxyType(
    {
        "S1": "Geologic Substrate",
        "S1.1": "Rock Substrate",
        "S1.1.1": "Bedrock",
        "S1.1.2": "Megaclast",
        "S1.2": "Unconsolidated Mineral Substrate",
        "S1.2.1": "Coarse Unconsolidated Substrate",
        "S1.2.1.1": "Gravel",
        "S1.2.1.1.1": "Boulder",
        "S1.2.1.1.2": "Cobble",
        "S1.2.1.1.3": "Pebble",
        "S1.2.1.1.4": "Granule",
        "S1.2.1.2": "Gravel Mixes",
        "S1.2.1.2.1": "Sandy Gravel",
        "S1.2.1.2.2": "Muddy Sandy Gravel",
        "S1.2.1.2.3": "Muddy Gravel",
        "S1.2.1.3": "Gravelly",
        "S1.2.1.3.1": "Gravelly Sand",
        "S1.2.1.3.2": "Gravelly Muddy Sand",
        "S1.2.1.3.3": "Gravelly Mud",
        "S1.2.2": "Fine Unconsolidated Substrate",
        "S1.2.2.1": "Slightly Gravelly",
        "S1.2.2.2": "Sand",
        "S1.2.2.3": "Muddy Sand",
        "S1.2.2.4": "Sandy Mud",
        "S1.2.2.5": "Mud",
        "S2": "Biogenic Substrate",
        "S2.1": "Algal Substrate",
        "S2.2": "Coral Substrate",
        "S2.3": "Organic Substrate",
        "S2.4": "Ooze Substrate",
        "S2.5": "Shell Substrate",
        "S2.6": "Worm Substrate",
        "S3": "Anthropogenic Substrate",
    }
)
"""Names of substrates by code."""

NATSUR: Mapping[str, str] = MappingProxyType(
    {
        "1": "mud",
        "2": "clay",
        "3": "silt",
        "4": "sand",
        "5": "stone",
        "6": "gravel",
        "7": "pebbles",
        "8": "cobbles",
        "9": "rock",
        "11": "lava",
        "14": "coral",
        "17": "shells",
        "18": "boulder",
    }
)
"""Names of surfaces by code."""


@dataclass(frozen=True)
class TopicCodes:
    """What a topic is called in each vocabulary, "" where nobody has said."""

    cmecs: str = ""
    natsur: str = ""

    def __post_init__(self) -> None:
        if self.cmecs and self.cmecs not in CMECS:
            raise PmldaError(
                f"There is no CMECS substrate {self.cmecs!r:.40}: choose from the list."
            )
        if self.natsur and self.natsur not in NATSUR:
            raise PmldaError(
                f"There is no nature of surface {self.natsur!r:.40} in S-57: choose from the list."
            )

    @property
    def cmecs_name(self) -> str:
        """The substrate's name, "" without a code."""
        return CMECS.get(self.cmecs, "")

    @property
    def natsur_name(self) -> str:
        """The surface's name, "" without a code."""
        return NATSUR.get(self.natsur, "")


NO_CODES = TopicCodes()
