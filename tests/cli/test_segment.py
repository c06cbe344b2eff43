"""`pmlda-gui segment`: the whole job from the command line, also when it is interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyogrio
import pytest
import rasterio

from pmlda_gui.cli import build_parser, main
from pmlda_gui.imagery.features import PRESETS
from pmlda_gui.imagery.readers import open_images
from pmlda_gui.imagery.readers.gdal import opened
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.batch.options import settings_from

REAL_DATA = Path(__file__).parents[2].parent / "shared" / "data"
PER_IMAGE = ("_memberships.tif", "_uncertainty.tif", "_labels.tif", "_polygons.gpkg", ".png")
PER_RUN = ("topics.csv", "report.json", "journal.json", "style.qml", "report.html")
QUICK = ["--sweeps", "4", "--document-count", "10", "--features", "mean,std"]


@pytest.fixture
def lines(tmp_path):
    """Two images of one survey in a folder."""
    folder = tmp_path / "lines"
    folder.mkdir()
    for number in (1, 2):
        scene = make_scene("demo", (60, 50), seed=number)
        np.save(folder / f"line_{number}.npy", scene.image.pixels)
    return folder


def expected_files(stems):
    return sorted([f"{stem}{ending}" for stem in stems for ending in PER_IMAGE] + list(PER_RUN))


def test_a_folder_of_images_becomes_a_folder_of_results(lines, tmp_path, capsys):
    out = tmp_path / "results"
    assert main(["segment", str(lines), "--out", str(out), *QUICK]) == 0
    assert sorted(path.name for path in out.iterdir()) == expected_files(["line_1", "line_2"])
    printed = capsys.readouterr()
    assert str(out / "report.html") in printed.out.splitlines()
    assert "4 sweeps" in printed.err
    assert "words/s" in printed.err
    assert "Features were measured in windows of 31 pixels." in printed.err


def test_features_are_measured_in_the_bands_asked_for(tmp_path):
    bands = np.stack([make_scene("demo", (60, 50), seed=n).image.pixels for n in (1, 2, 3)])
    profile = {"driver": "GTiff", "count": 3, "height": 60, "width": 50, "dtype": "float32"}
    place = {"crs": "EPSG:32618", "transform": (2, 0, 9, 0, -2, 9)}
    with rasterio.open(tmp_path / "three.tif", "w", **profile, **place) as file:
        file.write(bands)
        file.descriptions = ("level", "depth", "slope")
    out = tmp_path / "out"
    asked = ["segment", str(tmp_path / "three.tif"), "--out", str(out), "--bands", "3,depth"]
    assert main([*asked, "--quiet", *QUICK]) == 0
    head = (out / "topics.csv").read_text().splitlines()[0]
    for name in ("mean[1]", "std[1]", "mean[2]", "std[2]"):
        assert name in head
    report = json.loads((out / "report.json").read_text())
    assert report["images"][0]["bands"] == ["slope", "depth"]


def test_every_option_reaches_the_run(lines, tmp_path):
    options = {
        "--topics": "4",
        "--rate": "0.2",
        "--alpha": "0.5",
        "--scaling": "30",
        "--fuzzifier": "1.5",
        "--proportions": "uniform",
        "--documents": "window",
        "--document-count": "9",
        "--window": "30",
        "--stride": "20",
        "--features": "mean,entropy",
        "--feature-scale": "0.5",
        "--sampler": "paper",
        "--sweeps": "3",
        "--chains": "2",
        "--seed": "7",
        "--threads": "1",
        "--estimate": "map",
    }
    arguments = [part for pair in options.items() for part in pair]
    out = tmp_path / "results"
    assert main(["segment", str(lines), "--out", str(out), "--quiet", *arguments]) == 0
    report = json.loads((out / "report.json").read_text())
    for option, value in options.items():
        stored = report["settings"][option.removeprefix("--").replace("-", "_")]
        if option == "--proportions":
            assert stored == [0.25] * 4
        elif option == "--features":
            assert stored == ["mean", "entropy"]
        else:
            assert str(stored) == value or float(stored) == float(value), option
    assert len(report["chains"]) == 2
    assert [feature["name"] for feature in report["features"]] == ["mean", "entropy"]
    assert len(report["topics"]) == 4
    journal = json.loads((out / "journal.json").read_text())["journal"]
    assert journal["start"]["parameters"]["scaling"] == 30.0
    assert journal["start"]["sampler"] == "paper"
    assert journal["start"]["preparation"]["features"]["scale"] == 0.5


def test_what_is_chosen_automatically_is_told_with_its_reason(tmp_path, capsys):
    scene = make_scene("demo", (240, 220), seed=1)
    np.save(tmp_path / "line.npy", scene.image.pixels)
    out = tmp_path / "results"
    arguments = [str(tmp_path / "line.npy"), "--out", str(out), "--quiet", "--sweeps", "2"]
    automatic = ["--topics", "auto", "--feature-scale", "auto"]
    assert main(["segment", *arguments, *automatic]) == 0
    report = json.loads((out / "report.json").read_text())
    assert report["settings"]["topics"] == len(report["topics"]) == 3
    assert report["settings"]["feature_scale"] == 1.0
    scale, topics = report["warnings"][:2]
    assert scale.startswith("Scale 1, as before: ")
    assert topics.startswith("3 topics: the features vary clearly more than their noise in 2 ways")
    printed = capsys.readouterr().err
    assert f"pmlda-gui: {scale}" in printed
    assert f"pmlda-gui: {topics}" in printed


def test_quiet_says_nothing_but_warnings(lines, tmp_path, capsys):
    assert main(["segment", str(lines), "--out", str(tmp_path / "r"), "--quiet", *QUICK]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert all(line.startswith("pmlda-gui: ") for line in printed.err.splitlines())


def test_a_label_map_beside_the_image_divides_it(lines, tmp_path):
    labels = np.repeat(np.arange(5, dtype=np.uint8), 12)[:, None] * np.ones((1, 50), np.uint8)
    np.save(tmp_path / "drawn.npy", labels)
    out = tmp_path / "results"
    arguments = ["--documents", str(tmp_path / "drawn.npy"), "--sweeps", "3", "--quiet"]
    assert main(["segment", str(lines / "line_1.npy"), "--out", str(out), *arguments]) == 0
    described = pyogrio.read_info(out / "line_1_polygons.gpkg", layer="documents")
    assert described["features"] == 5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--topics", "1"], "topics is 1"),
        (["--features", "colourfulness"], "no feature or preset called 'colourfulness'"),
        (["--documents", "voronoi"], "neither one of slic"),
    ],
)
def test_a_mistake_ends_in_one_sentence_and_writes_nothing(
    lines, tmp_path, capsys, arguments, sentence
):
    out = tmp_path / "results"
    assert main(["segment", str(lines), "--out", str(out), "--quiet", *arguments]) == 2
    printed = capsys.readouterr().err
    assert sentence in printed
    assert len(printed.splitlines()) == 1
    assert not out.exists() or list(out.iterdir()) == []


def test_a_read_only_folder_ends_in_one_sentence(lines, tmp_path, capsys):
    (tmp_path / "taken").write_bytes(b"")
    out = tmp_path / "taken" / "results"
    assert main(["segment", str(lines), "--out", str(out), "--quiet", *QUICK]) == 2
    assert "cannot be created" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_an_interrupted_run_still_writes_what_there_is(lines, tmp_path):
    out = tmp_path / "results"
    script = (
        "import sys, os, signal\n"
        "from pmlda_gui.workspace.batch import chains\n"
        "from pmlda_gui.cli import main\n"
        "report = chains.Sampling._report\n"
        "def announced(self, number, done, run, seconds):\n"
        "    print('sweeping', flush=True)\n"
        "    report(self, number, done, run, seconds)\n"
        "chains.Sampling._report = announced\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    arguments = ["segment", str(lines), "--out", str(out), "--quiet", "--sweeps", "1000000"]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for _ in range(20):
        assert process.stdout.readline() == "sweeping\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "stopped early" in errors
    assert sorted(path.name for path in out.iterdir()) == expected_files(["line_1", "line_2"])
    with opened(out / "line_1_memberships.tif") as raster:
        assert np.isfinite(raster.read()).all()


@pytest.mark.skipif(not REAL_DATA.is_dir(), reason="the real imagery is not here")
@pytest.mark.parametrize(
    "name",
    ["paper/sunset.jpg", "sas/sas_00.png", "sss/strip_00.png", "xtf/auv_16bit.xtf"],
)
def test_real_imagery_of_every_kind_is_segmented(name, tmp_path):
    path = REAL_DATA / name
    if not path.is_file():
        path = sorted(path.parent.glob("strip_*.png"))[0]
    features = ["--features", "lightness" if path.suffix == ".jpg" else "mean,std"]
    arguments = ["--quiet", "--documents", "grid", "--seconds", "0.5", *features]
    assert main(["segment", str(path), "--out", str(tmp_path), *arguments]) == 0
    maps = ("image.tif", "labels.tif", "lines.geojson", "memberships.tif", "uncertainty.tif")
    expected = expected_files([path.stem])
    if path.suffix == ".xtf":
        expected = sorted([*expected, *(f"map_{name}" for name in maps)])
    assert sorted(each.name for each in tmp_path.iterdir()) == expected


@pytest.mark.skipif(not REAL_DATA.is_dir(), reason="the real imagery is not here")
def test_results_lie_exactly_where_a_real_survey_does(tmp_path):
    source = REAL_DATA / "geotiff" / "backscatter_caris.tiff"
    arguments = ["--quiet", "--documents", "grid", "--seconds", "0.5", "--features", "mean"]
    assert main(["segment", str(source), "--out", str(tmp_path), *arguments]) == 0
    (image,) = open_images([source])
    for ending in ("_memberships.tif", "_uncertainty.tif", "_labels.tif"):
        with (
            rasterio.open(source) as before,
            rasterio.open(tmp_path / f"{source.stem}{ending}") as after,
        ):
            assert after.crs == before.crs
            assert after.transform == before.transform
            assert after.shape == before.shape
            maps = after.read(1, masked=True)
        assert not (~np.ma.getmaskarray(maps) & ~image.valid).any()
    described = pyogrio.read_info(tmp_path / f"{source.stem}_polygons.gpkg", layer="topics")
    assert described["crs"] == f"EPSG:{before.crs.to_epsg()}"


@pytest.mark.parametrize("name", ["topics", "rate", "fuzzifier"])
def test_help_and_manual_state_the_defaults_that_hold(name: str) -> None:
    default = f"{getattr(settings_from().recipe.parameters, name):g}"
    option = f"--{name.replace('_', '-')}"
    (commands,) = (each.choices for each in build_parser()._actions if each.dest == "command")
    (stated,) = (each for each in commands["segment"]._actions if option in each.option_strings)
    assert stated.help.endswith(f"({default})")
    manual = Path(__file__).parents[2] / "docs" / "segment.md"
    (row,) = (line for line in manual.read_text().splitlines() if line.startswith(f"| `{option} "))
    assert row.endswith(f"| {default} |")


def test_help_and_manual_state_how_many_documents_fit_each_texture() -> None:
    usual, fine = (PRESETS[name].documents for name in ("seabed", "seabed-fine"))
    (commands,) = (each.choices for each in build_parser()._actions if each.dest == "command")
    (stated,) = (each for each in commands["segment"]._actions if each.dest == "document_count")
    assert stated.help.endswith(f"({usual}, or {fine} if texture is fine)")
    manual = Path(__file__).parents[2] / "docs" / "segment.md"
    assert f"| {usual}, or {fine} with `seabed-fine` |" in manual.read_text()
