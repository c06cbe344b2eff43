"""Workspaces taken apart and put together again, for tests of what may be wrong in them."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

Members = dict[str, bytes]


def members_of(path: Path) -> Members:
    with zipfile.ZipFile(path) as stored:
        return {name: stored.read(name) for name in stored.namelist()}


def packed(members: Members, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these members, whose list of contents is made to fit."""
    if "workspace.json" in members:
        manifest = json.loads(members["workspace.json"])
        if isinstance(manifest, dict):
            members = members | {
                "workspace.json": json.dumps(manifest | {"members": list(members)}).encode()
            }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as stored:
        for name, data in members.items():
            stored.writestr(zipfile.ZipInfo(name), data, compression)
    return stream.getvalue()


def npy(array: np.ndarray[Any, Any], claimed_shape: tuple[int, ...] | None = None) -> bytes:
    stream = io.BytesIO()
    header = np.lib.format.header_data_from_array_1_0(array)
    if claimed_shape is not None:
        header["shape"] = claimed_shape
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + array.tobytes()


def array_of(content: bytes) -> np.ndarray[Any, Any]:
    return np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
