"""The folders for settings, state and logs on this system; creates none of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["config_folder", "log_folder", "make_private", "state_folder"]

_NAME = "pmlda-gui"


def config_folder() -> Path:
    """For the settings."""
    if sys.platform == "win32":
        return _local_data() / _NAME
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / _NAME
    return config_home() / _NAME


def config_home() -> Path:
    """Where programs on Linux keep their settings."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def state_folder() -> Path:
    """For what the program remembers between starts."""
    if sys.platform == "win32":
        return _local_data() / _NAME
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / _NAME
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / _NAME


def log_folder() -> Path:
    """For the log files."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Logs" / _NAME
    return state_folder() / "logs"


def _local_data() -> Path:
    return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")


def make_private(folder: Path) -> None:
    """Make a folder that only its user may look into; OSError if that cannot be."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if sys.platform != "win32":
        folder.chmod(0o700)
