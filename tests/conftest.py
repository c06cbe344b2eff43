"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# A busy machine must not fail a test: examples are the same every time, but not their speed.
settings.register_profile("pmlda_gui", deadline=None, derandomize=True)
settings.load_profile("pmlda_gui")
