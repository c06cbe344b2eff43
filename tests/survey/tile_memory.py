"""What measuring one tile of the usual size takes, in bytes, in a process of its own: SOURCE."""

from __future__ import annotations

import sys
from pathlib import Path

from pmlda_gui.imagery.features import PRESETS
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.readers import ReadOptions
from pmlda_gui.survey.measuring import Measure, measure_tile
from pmlda_gui.survey.sources import indexed
from pmlda_gui.workspace.choices import FeatureChoice
from pmlda_gui.workspace.tiled_preparation import TILE_ROWS, surroundings


def held(what: str) -> int:
    """Bytes of this process: VmRSS now, VmHWM at most since it was last asked to forget."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (each for each in status.splitlines() if each.startswith(what))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    path = Path(sys.argv[1])
    preset = PRESETS["seabed"]
    choice = FeatureChoice(preset.features, window=preset.window)
    source, target = indexed(path, ReadOptions()), path.with_suffix(".npz")
    asked = Measure(choice, ((0.0, 1.0),), 3, 3)
    margin = (source.shape[0] - TILE_ROWS) // 2
    tile = Window(margin, margin, TILE_ROWS, TILE_ROWS)
    around = surroundings(tile, choice, source.shape)
    assert around.height >= TILE_ROWS + margin, "the tile has all its surroundings"
    # Libraries and kernels are loaded before it counts.
    measure_tile(source, Window(0, 0, 64, 64), asked, target)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = held("VmRSS")
    measure_tile(source, tile, asked, target)
    print(held("VmHWM") - before)
