"""The defaults of a new session."""

from __future__ import annotations

from pmlda_gui.core.parameters import Parameters

__all__ = ["DEFAULT_PARAMETERS"]

# The paper's rate is 0.5, and its documents are hard.  Documents that act beyond their
# borders and are coupled to their neighbours leave no seams, and words half a window apart
# make the prior count; docs/features.md has the figures.
DEFAULT_PARAMETERS = Parameters(topics=3, rate=1.0, smoothness=0.7, coupling=1.0)
