"""`pmlda-gui info`: one line a file, a picture, and plain refusals."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from skimage.io import imread

from pmlda_gui.cli import main
from pmlda_gui.imagery.display import INVALID_COLOUR

REAL_DATA = Path(__file__).parents[2].parent / "shared" / "data"
REAL_FILES = sorted(path for path in REAL_DATA.glob("*/*") if path.suffix not in (".csv", ".md"))


@pytest.fixture
def picture_file(tmp_path):
    path = tmp_path / "sand.npy"
    values = np.random.default_rng(0).random((12, 16)).astype(np.float32)
    values[0] = np.nan
    np.save(path, values)
    return path


def test_a_file_is_summed_up_in_one_line(picture_file, capsys):
    assert main(["info", str(picture_file)]) == 0
    assert capsys.readouterr().out == (
        "sand.npy: NPY, 16 x 12, 1 band (shown: sand), float32, 91.7% valid, "
        "pixel size unknown, no georeference, 0 notes\n"
    )


def test_the_picture_shows_what_is_missing(picture_file, tmp_path):
    target = tmp_path / "out.png"
    assert main(["info", str(picture_file), "--picture", str(target)]) == 0
    picture = imread(target)
    assert picture.shape == (12, 16, 3)
    assert (picture[0] == INVALID_COLOUR).all()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.png", "sand.npy"]


def test_a_reduced_reading_states_both_sizes_and_its_note(picture_file, capsys):
    assert main(["info", str(picture_file), "--reduce", "2", "--notes"]) == 0
    first, note = capsys.readouterr().out.splitlines()
    assert "8 x 6 of 16 x 12" in first
    assert "reduced by 2" in note


def test_what_cannot_be_read_is_named_and_the_rest_is_still_described(
    picture_file, tmp_path, capsys
):
    missing = tmp_path / "gone.tif"
    assert main(["info", str(missing), str(picture_file)]) == 2
    captured = capsys.readouterr()
    assert captured.out.startswith("sand.npy: ")
    assert captured.err == "pmlda-gui: gone.tif was not found; check the name and the folder.\n"


@pytest.mark.parametrize("name", ["out.jpg", "no/such/folder/out.png"])
def test_a_picture_that_cannot_be_written_is_refused(picture_file, tmp_path, name, capsys):
    assert main(["info", str(picture_file), "--picture", str(tmp_path / name)]) == 2
    assert "out." in capsys.readouterr().err


def test_one_picture_cannot_show_several_files(picture_file, tmp_path, capsys):
    arguments = ["info", str(picture_file), str(picture_file), "--picture", str(tmp_path / "a.png")]
    assert main(arguments) == 2
    assert "several files" in capsys.readouterr().err


@pytest.mark.skipif(not REAL_FILES, reason="the real imagery is not here")
@pytest.mark.parametrize("path", REAL_FILES, ids=lambda path: path.name)
def test_every_real_file_gets_a_line_and_a_picture(path, tmp_path, capsys):
    target = tmp_path / "out.png"
    assert main(["info", str(path), "--picture", str(target)]) == 0
    assert capsys.readouterr().out.count("\n") == 1
    assert target.stat().st_size > 100


def test_the_command_line_does_not_load_the_window(picture_file):
    script = (
        "import sys; from pmlda_gui.cli import main; main(['info', sys.argv[1]]); "
        "sys.exit('PySide6' in sys.modules or 'pmlda_gui.gui' in sys.modules)"
    )
    command = [sys.executable, "-c", script, str(picture_file)]
    assert subprocess.run(command, capture_output=True).returncode == 0


def test_several_bands_and_the_place_of_a_raster_are_told(tmp_path, capsys):
    from rasterio import open as open_raster

    path = tmp_path / "two.tif"
    profile = {"driver": "GTiff", "count": 2, "height": 8, "width": 8, "dtype": "uint8"}
    place = {"crs": "EPSG:2263", "transform": (10, 0, 980000, 0, -10, 200000)}
    with open_raster(path, "w", **profile, **place) as file:
        file.write(np.ones((2, 8, 8), dtype=np.uint8))
        file.descriptions = ("level", "depth")
    assert main(["info", str(path), "--bands", "2,1"]) == 0
    told = capsys.readouterr().out
    assert "shown: depth, level" in told
    assert "3.048 m pixels" in told, "feet are converted"
    assert "EPSG:2263" in told
    assert "around 40.7155 N 74.0152 W" in told
