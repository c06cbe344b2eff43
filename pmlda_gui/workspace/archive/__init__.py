"""FILE.pmlda: a workspace on disk, as a zip of JSON and plain arrays.

`save` and `load` are the doors; `take` and `write` are the two halves of saving,
for those who copy on one thread and write on another.
"""

from __future__ import annotations

from pmlda_gui.workspace.archive.contents import Loaded, Snapshot, load, locate, save, take, write

__all__ = ["Loaded", "Snapshot", "load", "locate", "save", "take", "write"]
