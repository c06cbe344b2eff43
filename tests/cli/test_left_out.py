"""One bad file among many does not stop a command: the others are done, and the bad ones told."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.cli import LEFT_OUT, main
from pmlda_gui.imagery.scenes import make_scene

QUICK = ["--sweeps", "2", "--document-count", "6", "--features", "mean,std", "--quiet"]


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """A folder with two sound images, a torn one and one that is only called an image."""
    folder = tmp_path / "survey"
    folder.mkdir()
    for number in (1, 2):
        scene = make_scene("demo", (60, 50), seed=number)
        np.save(folder / f"line_{number}.npy", scene.image.pixels)
    torn = (folder / "line_1.npy").read_bytes()[:2000]
    (folder / "line_0.npy").write_bytes(torn)
    return folder


def test_the_others_are_segmented_and_the_bad_ones_listed_at_the_end(survey, tmp_path, capsys):
    out = tmp_path / "results"
    gone = tmp_path / "gone.tif"
    assert main(["segment", str(gone), str(survey), "--out", str(out), *QUICK]) == LEFT_OUT
    report = json.loads((out / "report.json").read_text())
    assert [image["name"] for image in report["images"]] == ["line_1.npy", "line_2.npy"]
    told = capsys.readouterr().err.splitlines()[-2:]
    assert told[0] == (
        "pmlda-gui: left out: gone.tif was not found; check the name and the folder."
    )
    assert told[1].startswith("pmlda-gui: left out: line_0.npy is cut short: ")


def test_if_nothing_can_be_opened_nothing_is_done(survey, tmp_path, capsys):
    out = tmp_path / "results"
    files = [str(survey / "line_0.npy"), str(tmp_path / "gone.tif")]
    assert main(["segment", *files, "--out", str(out), *QUICK]) == 2
    assert "None of the 2 files can be opened" in capsys.readouterr().err
    assert not out.exists()


def test_a_comparison_leaves_bad_files_out_too(survey, tmp_path, capsys):
    out = tmp_path / "compared"
    options = ["--methods", "kmeans", "--features", "mean,std", "--document-count", "6", "--quiet"]
    assert main(["compare", str(survey), "--out", str(out), *options]) == LEFT_OUT
    assert "left out: line_0.npy" in capsys.readouterr().err
    assert (out / "line_2_compared.png").exists()


def test_with_a_truth_for_each_image_none_is_left_out(survey, tmp_path, capsys):
    """Otherwise the truth of one image would be held against another."""
    truth = ["--truth", str(survey / "line_1.npy"), "--truth", str(survey / "line_2.npy")]
    assert main(["compare", str(survey), "--out", str(tmp_path / "out"), *truth]) == 2
    assert "line_0.npy is cut short" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="such names are of POSIX")
def test_an_image_and_folders_with_odd_names_go_through_to_the_report(tmp_path):
    folder = tmp_path / "R&D <i> 'a' \"b\" $(c) `d` %e\nsecond line"
    folder.mkdir()
    path = folder / "line & 'x' \"y\" <b> $z `w` %s.npy"
    np.save(path, make_scene("demo", (60, 50)).image.pixels)
    out = folder / 'out & "quoted" <i>'
    assert main(["segment", str(path), "--out", str(out), *QUICK]) == 0
    assert (out / f"{path.stem}_memberships.tif").exists()
    page = (out / "report.html").read_text()
    assert "line &amp; " in page
    assert "<b> $z" not in page


@pytest.mark.skipif(sys.platform == "win32", reason="such names are of POSIX")
@pytest.mark.parametrize("odd", ["image", "out"])
def test_a_name_that_is_not_utf8_is_told_before_the_work(tmp_path, capsys, odd, monkeypatch):
    base = os.fsencode(tmp_path)
    image = base + (b"/caf\xe9.npy" if odd == "image" else b"/plain.npy")
    out = base + (b"/r\xe9sults" if odd == "out" else b"/results")
    np.save(tmp_path / "plain.npy", make_scene("demo", (60, 50)).image.pixels)
    if odd == "image":
        try:
            os.rename(tmp_path / "plain.npy", image)
        except OSError:
            pytest.skip("this file system does not hold such names")

    def too_late(*_: object) -> None:
        raise AssertionError("the work has begun")

    monkeypatch.setattr("pmlda_gui.workspace.batch.segment.compute", too_late)
    arguments = ["segment", os.fsdecode(image), "--out", os.fsdecode(out), *QUICK]
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert "is not valid UTF-8" in said
    assert said.strip().isprintable()
