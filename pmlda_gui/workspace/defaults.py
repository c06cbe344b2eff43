"""What the program starts from when the operator has said nothing."""

from __future__ import annotations

from pmlda_gui.core.parameters import Parameters

__all__ = ["DEFAULT_PARAMETERS"]

# The paper's rate is 0.5.  Features are measured over overlapping windows, so the words
# of a document are far from independent and outvote that prior: the scaling grows, and
# the topics spread beyond the seabed.  A rate of 30 lowers the error of the memberships
# over the made scenes; docs/features.md has the figures.
DEFAULT_PARAMETERS = Parameters(topics=3, rate=30.0)
