"""The settings of the program, in one checked JSON file.

`settings()` is the store in use; `settings_in` puts another in its place for a while,
so that a test or a demo neither reads nor changes anybody's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pmlda_gui.workspace.folders import config_folder
from pmlda_gui.workspace.settings.migration import old_settings_file
from pmlda_gui.workspace.settings.schema import SCHEMA
from pmlda_gui.workspace.settings.store import FILE_NAME, SettingsStore

__all__ = ["SCHEMA", "SettingsStore", "settings", "settings_in"]

_in_use: list[SettingsStore] = []


def settings() -> SettingsStore:
    """The settings of the present user."""
    if not _in_use:
        _in_use.append(SettingsStore(config_folder() / FILE_NAME, old_settings_file()))
    return _in_use[-1]


@contextmanager
def settings_in(folder: Path) -> Iterator[SettingsStore]:
    """Use the settings of this folder instead, until the block ends."""
    store = SettingsStore(folder / FILE_NAME)
    _in_use.append(store)
    try:
        yield store
    finally:
        _in_use.remove(store)
