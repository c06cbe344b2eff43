"""`pmlda-gui project`: recordings and memberships on one map, and what cannot be placed."""

from __future__ import annotations

import json

import numpy as np
import pytest
import rasterio

from pmlda_gui.cli import main
from pmlda_gui.imagery.geometry import SwathLayout
from pmlda_gui.imagery.readers import open_image
from pmlda_gui.imagery.scenes.recordings import MadePing, MadeRecording, xtf_bytes
from tests.imagery.synthetic_files import write_raster
from tests.imagery.synthetic_surveys import CRS, seabed, survey

SLANT = SwathLayout(100, 100, 0.25, ground=False)
HEIGHT = 4.0


def write_line(path, **changes):
    """A recording of slant range, 25 m a side and 4 m above the bottom."""
    line = survey(pings=200, **changes)
    picture = line.picture(SLANT, HEIGHT) * 1000 + 5
    headings = line.navigation.heading
    pings = [
        MadePing(
            row[:100][::-1].astype("<u2"),
            row[100:].astype("<u2"),
            slant_range=25.0,
            position=tuple(place),
            heading=float(heading),
        )
        for row, place, heading in zip(picture, line.navigation.positions, headings, strict=True)
    ]
    path.write_bytes(xtf_bytes(MadeRecording(pings)))
    return path


@pytest.fixture
def lines(tmp_path):
    folder = tmp_path / "lines"
    folder.mkdir()
    write_line(folder / "line_1.xtf")
    write_line(folder / "line_2.xtf", start=(15.0, -18.0), seed=3)
    return folder


def truth_of(raster):
    columns, rows = np.meshgrid(np.arange(raster.width) + 0.5, np.arange(raster.height) + 0.5)
    size, top, left = raster.res[0], raster.bounds.top, raster.bounds.left
    return seabed(left + columns * size, top - rows * size)


def test_several_recordings_lie_on_one_map(lines, tmp_path, capsys):
    out = tmp_path / "map"
    assert main(["project", str(lines), "--out", str(out), "--pixel", "0.5"]) == 0
    assert "map_image.tif" in capsys.readouterr().out
    with rasterio.open(out / "map_image.tif") as raster:
        assert raster.crs.to_wkt() == CRS
        assert raster.res == (0.5, 0.5)
        image = raster.read(1)
        seen = np.isfinite(image)
        truth = truth_of(raster)
    assert seen.sum() * 0.25 > 3500
    assert np.corrcoef(image[seen], truth[seen])[0, 1] > 0.9
    found = json.loads((out / "map_lines.geojson").read_text())
    assert [each["properties"]["kind"] for each in found["features"]] == ["track", "coverage"] * 2
    assert found["features"][0]["geometry"]["coordinates"][0] == pytest.approx(
        [-68.0, 48.0], abs=0.1
    )


def test_memberships_of_segment_lie_on_the_same_map(lines, tmp_path):
    results, out = tmp_path / "results", tmp_path / "map"
    results.mkdir()
    for path in sorted(lines.iterdir()):
        image = open_image(path)
        share = np.where(image.valid, np.clip(image.pixels / 2000, 0, 1), np.nan).astype(np.float32)
        for what, planes in (("memberships", [share, 1 - share]), ("uncertainty", [share / 9] * 2)):
            write_raster(
                results / f"{path.stem}_{what}.tif",
                np.stack(planes),
                "GTiff",
                nodata=np.nan,
                descriptions=("sand", "rock"),
            )
    assert (
        main(
            ["project", str(lines), "--out", str(out), "--results", str(results), "--pixel", "0.5"]
        )
        == 0
    )
    with rasterio.open(out / "map_memberships.tif") as raster:
        assert raster.descriptions == ("sand", "rock")
        memberships, truth = raster.read(), truth_of(raster) / 2
    seen = np.isfinite(memberships).all(axis=0)
    assert memberships.sum(axis=0)[seen] == pytest.approx(np.ones(seen.sum()), abs=1e-3)
    # Within what half a metre of seabed changes.
    assert np.sqrt(np.mean((memberships[0] - truth)[seen] ** 2)) < 0.05
    with rasterio.open(out / "map_uncertainty.tif") as raster:
        assert raster.read(2)[seen] == pytest.approx(memberships[0][seen] / 9, abs=1e-4)
    with rasterio.open(out / "map_labels.tif") as raster:
        labels = raster.read(1)
    assert set(np.unique(labels)) == {1, 2, 255}
    assert ((labels == 255) == ~seen).all()


def test_a_recording_that_cannot_be_placed_is_listed_and_the_others_are_mapped(
    lines, tmp_path, capsys
):
    ping = MadePing(np.arange(50, dtype="<u2"), np.arange(50, dtype="<u2"), position=(0.0, 0.0))
    (lines / "lost.xtf").write_bytes(xtf_bytes(MadeRecording([ping] * 20)))
    assert main(["project", str(lines), "--out", str(tmp_path / "map")]) == 3
    told = capsys.readouterr().err
    assert "left out: The recording has no positions" in told
    assert (tmp_path / "map" / "map_image.tif").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--crs", "EPSG:4326"], "EPSG:4326 is not in metres"),
        (["--crs", "nowhere"], "nowhere is not a coordinate system"),
        (["--pixel", "0"], "makes no map"),
        (["--results", "elsewhere"], "holds no line_1_memberships.tif"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(lines, tmp_path, capsys, options, said):
    assert main(["project", str(lines), "--out", str(tmp_path / "map"), *options]) == 2
    assert said in capsys.readouterr().err
