"""The names of the members of an archive, and their size limits."""

from __future__ import annotations

import re

__all__ = [
    "FORMAT",
    "MANIFEST",
    "MEMBER_NAME",
    "MOST_DIMENSIONS",
    "MOST_JSON_BYTES",
    "MOST_MEMBERS",
    "VERSION",
    "allowed_bytes",
    "is_storable",
]

FORMAT = "pmlda-gui workspace"
# 2: numbers of topics in the journal, restarts, and the runs of bookmarks.
# 3: vocabulary codes of topics, which topics are held, and profiles, regions, measurements.
VERSION = 3
MANIFEST = "workspace.json"

# Folder, folder, name: no roots, no drives, no dots that lead upwards.
MEMBER_NAME = re.compile(
    r"(?:[A-Za-z0-9_-]{1,80}/){0,2}[A-Za-z0-9_-][A-Za-z0-9_.-]{0,120}\.(?:json|npy)"
)
MOST_MEMBERS = 4000
MOST_JSON_BYTES = 64 * 2**20
MOST_DIMENSIONS = 4

# What is large in a workspace are samples, which hardly compress; maps compress well
# but not a hundredfold.  Small archives may do as they like.
_MOST_EXPANSION = 100
_FREE_BYTES = 64 * 2**20
_MOST_BYTES = 64 * 2**30


def allowed_bytes(file_size: int) -> int:
    """How many bytes an archive of this size may unpack to."""
    return min(_MOST_EXPANSION * file_size + _FREE_BYTES, _MOST_BYTES)


def is_storable(kind: str, item_size: int) -> bool:
    """Whether arrays of this numpy kind and item size (bytes) are kept: plain numbers only."""
    return kind in "biuf" and item_size <= 8
