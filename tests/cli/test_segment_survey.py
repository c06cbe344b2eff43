"""`pmlda-gui segment` on a folder of recordings: one gain, one map, and what is left out."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import rasterio

from pmlda_gui.cli import main
from pmlda_gui.imagery.scenes.recorded_seabed import SONARS, recorded_seabed
from pmlda_gui.imagery.scenes.recordings import xtf_bytes

QUICK = ["--quiet", "--documents", "grid", "--document-count", "6", "--sweeps", "3"]
QUICK += ["--topics", "2", "--features", "mean,std", "--threads", "1"]


def write_lines(folder, count, pings=60):
    folder.mkdir()
    for number in range(count):
        line = recorded_seabed(SONARS["steps"], pings, seed=number, start=15.0 * number)
        (folder / f"line_{number:02}.xtf").write_bytes(xtf_bytes(line))
    return folder


def test_a_folder_of_twenty_recordings_with_one_broken_gives_nineteen_results(tmp_path, capsys):
    lines, out = write_lines(tmp_path / "lines", 20, 30), tmp_path / "out"
    broken = lines / "line_07.xtf"
    broken.write_bytes(broken.read_bytes()[:1100])
    assert main(["segment", str(lines), "--out", str(out), *QUICK]) == 3
    told = [text for text in capsys.readouterr().err.splitlines() if "left out" in text]
    assert len(told) == 1
    assert "line_07.xtf" in told[0]
    assert len(list(out.glob("line_*_memberships.tif"))) == 19
    shapes = set()
    for name in ("image", "memberships", "labels", "uncertainty"):
        with rasterio.open(out / f"map_{name}.tif") as raster:
            shapes.add((raster.shape, raster.transform, raster.crs.to_epsg()))
    assert len(shapes) == 1
    assert shapes.pop()[2] == 32619
    found = json.loads((out / "map_lines.geojson").read_text())["features"]
    assert sum(each["properties"]["kind"] == "track" for each in found) == 19


def test_memberships_on_the_map_add_up_and_can_be_left_out(tmp_path):
    lines, out = write_lines(tmp_path / "lines", 2, 120), tmp_path / "out"
    assert main(["segment", str(lines), "--out", str(out), *QUICK]) == 0
    with rasterio.open(out / "map_memberships.tif") as raster:
        planes = raster.read()
    seen = np.isfinite(planes[0])
    assert seen.sum() > 1000
    np.testing.assert_allclose(planes[:, seen].sum(axis=0), 1.0, atol=1e-3)
    without = tmp_path / "without"
    assert main(["segment", str(lines), "--out", str(without), "--no-map", *QUICK]) == 0
    assert not list(without.glob("map_*"))


def test_a_recording_without_positions_is_segmented_and_the_map_says_why_it_lacks_it(
    tmp_path, capsys
):
    lines = write_lines(tmp_path / "lines", 1)
    nowhere = recorded_seabed(SONARS["steps"], 60)
    pings = [replace(ping, position=(0.0, 0.0)) for ping in nowhere.pings]
    (lines / "nowhere.xtf").write_bytes(xtf_bytes(replace(nowhere, pings=pings)))
    out = tmp_path / "out"
    assert main(["segment", str(lines), "--out", str(out), *QUICK]) == 0
    assert (out / "nowhere_memberships.tif").is_file()
    assert (out / "map_memberships.tif").is_file()
    assert "not on the map: The recording has no positions" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--reduce", "0"], "reduction factor 0"),
        (["--gain", "no_such_file.json"], "no_such_file.json"),
        (["--limit-pixels", "1000"], "limit"),
        (["--feature-window", "4"], "window"),
    ],
)
def test_options_of_reading_are_checked_in_a_sentence(tmp_path, capsys, options, sentence):
    lines = write_lines(tmp_path / "lines", 1, 20)
    arguments = ["segment", str(lines), "--out", str(tmp_path / "out"), *QUICK, *options]
    assert main(arguments) in (2, 3)
    assert sentence in capsys.readouterr().err


def test_the_limit_holds_for_the_sum_however_files_are_named(tmp_path, capsys):
    lines = write_lines(tmp_path / "lines", 3, 20)
    files = [str(path) for path in sorted(lines.iterdir())]
    one = 20 * 2 * 400
    asked = ["--out", str(tmp_path / "out"), "--limit-pixels", str(one), *QUICK, "--as-sampled"]
    assert main(["segment", files[0], *asked]) == 0
    for named in ([str(lines)], files):
        assert main(["segment", *named, *asked]) == 2
        assert "--reduce" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_only_the_area_of_interest_is_measured_and_mapped(tmp_path):
    lines = write_lines(tmp_path / "lines", 1, 120)
    area = tmp_path / "area.geojson"
    ring = [[-68.0, 47.9], [-67.9, 47.9], [-67.9, 48.1], [-68.0, 48.1]]
    area.write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}))
    out = tmp_path / "out"
    assert main(["segment", str(lines), "--out", str(out), "--area", str(area), *QUICK]) == 0
    with rasterio.open(out / "line_00_memberships.tif") as raster:
        seen = np.isfinite(raster.read(1))
    # The line runs north along 68 W: port lies outside.
    assert not seen[:, : seen.shape[1] // 2 - 2].any()
    assert seen[:, seen.shape[1] // 2 + 2 :].mean() > 0.8
