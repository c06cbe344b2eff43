"""The window's tests run off screen, with settings of their own, and leave nothing behind."""

from isolation import isolated_settings, nothing_left_behind, pytest_collection_modifyitems

__all__ = ["isolated_settings", "nothing_left_behind", "pytest_collection_modifyitems"]
