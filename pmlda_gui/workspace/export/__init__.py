"""Exports: rasters and polygons for a GIS, pictures, tables and a report.

`write_results` writes all of it; each file appears whole or not at all.
"""

from __future__ import annotations

from pmlda_gui.workspace.export.result import ImageResult, Result, Tile
from pmlda_gui.workspace.export.write import check_targets, write_results

__all__ = ["ImageResult", "Result", "Tile", "check_targets", "write_results"]
