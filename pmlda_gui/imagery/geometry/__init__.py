"""The geometry of recordings: true shape, and positions on the Earth.

`recording_geometry` gives each ping of a recording its place, heading and distances;
`project` lays images and memberships of one or several lines on a common map.
"""

from pmlda_gui.imagery.geometry.outlines import coverage, track_line
from pmlda_gui.imagery.geometry.pings import PingGeometry, SwathLayout, ping_geometry
from pmlda_gui.imagery.geometry.project import Line, ProjectedMap, project
from pmlda_gui.imagery.geometry.quality import PingLimits, bad_pings
from pmlda_gui.imagery.geometry.recorded import recording_geometry
from pmlda_gui.imagery.geometry.reference import MapGrid, grid_over, to_degrees, utm_crs

__all__ = [
    "Line",
    "MapGrid",
    "PingGeometry",
    "PingLimits",
    "ProjectedMap",
    "SwathLayout",
    "bad_pings",
    "coverage",
    "grid_over",
    "ping_geometry",
    "project",
    "recording_geometry",
    "to_degrees",
    "track_line",
    "utm_crs",
]
