"""`pmlda-gui compare` and `pmlda-gui experiment`: what they write, and what they refuse."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image as Pillow

from pmlda_gui.cli import main

QUICK = ["--quiet", "--features", "mean,std", "--document-count", "8", "--sweeps", "5"]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scene")
    assert main(["scene", "demo", "--out", str(folder), "--size", "48x44"]) == 0
    return folder


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def test_a_plate_and_a_table_with_scores_are_written(scene: Path, tmp_path: Path) -> None:
    arguments = ["--methods", "pmlda,fcm,lda", "--truth", str(scene / "demo_memberships.tif")]
    image = str(scene / "demo.tif")
    assert main(["compare", image, "--out", str(tmp_path), *arguments, *QUICK]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "comparison.csv", "demo_compared.png", "demo_compared.svg",
    ]  # fmt: skip
    rows = rows_of(tmp_path / "comparison.csv")
    assert [row["method"] for row in rows] == ["pmlda", "fcm", "lda"]
    for row in rows:
        assert 0.0 < float(row["membership error"]) < 0.5
        assert 0.0 < float(row["membership error in transitions"]) < 0.6
        assert -1.0 <= float(row["correlation of topic 3"]) <= 1.0
        assert float(row["adjusted Rand index"]) <= 1.0
        assert 0.0 <= float(row["normalised mutual information"]) <= 1.0
        assert 0.0 <= float(row["mean IoU"]) <= 1.0
    with Pillow.open(tmp_path / "demo_compared.png") as plate:
        size = plate.size
    drawn = ElementTree.parse(tmp_path / "demo_compared.svg").getroot()
    assert (int(drawn.get("width", 0)), int(drawn.get("height", 0))) == size
    # Image, three true maps with their mixture, and for three methods five panels each.
    assert len(drawn.findall("{http://www.w3.org/2000/svg}image")) == 5 + 3 * 5 + 1


def test_labels_serve_as_truth_without_transitions(scene: Path, tmp_path: Path) -> None:
    labels = (np.arange(44)[None] // 15).astype(np.uint8).repeat(48, axis=0)
    np.save(tmp_path / "drawn.npy", labels)
    arguments = ["--methods", "kmeans", "--truth", str(tmp_path / "drawn.npy")]
    out = tmp_path / "out"
    assert main(["compare", str(scene / "demo.tif"), "--out", str(out), *arguments, *QUICK]) == 0
    (row,) = rows_of(out / "comparison.csv")
    assert row["membership error in transitions"] == "nan"
    assert float(row["mean IoU"]) > 0.1


def test_points_score_methods_in_tables_of_their_own(scene: Path, tmp_path: Path) -> None:
    import rasterio

    with rasterio.open(scene / "demo_memberships.tif") as file:
        truth = file.read().argmax(axis=0)
    rows, columns = np.mgrid[4:48:6, 4:44:6].reshape(2, -1)
    named = ("sand", "ripple", "rock")
    lines = [f"{r},{c},{named[truth[r, c]]}" for r, c in zip(rows, columns, strict=True)]
    (tmp_path / "points.csv").write_text("\n".join(["row,column,bottom", *lines]))
    arguments = ["--methods", "pmlda,kmeans", "--truth", str(tmp_path / "points.csv")]
    arguments += ["--class-column", "bottom"]
    out = tmp_path / "out"
    assert main(["compare", str(scene / "demo.tif"), "--out", str(out), *arguments, *QUICK]) == 0
    for row in rows_of(out / "points.csv"):
        assert int(row["points"]) == len(lines)
        assert float(row["kappa"]) > 0.1, "better than chance"
        assert 0.0 <= float(row["calibration error"]) <= 1.0
    classes = sorted({line.rsplit(",", 1)[1] for line in lines})
    topics = [row for row in rows_of(out / "topics_to_classes.csv") if row["method"] == "pmlda"]
    assert sorted(row["class"] for row in topics) == classes
    confusion = [row for row in rows_of(out / "confusion.csv") if row["method"] == "kmeans"]
    assert [row["true class"] for row in confusion] == classes
    counted = sum(int(row[f"found {name}"]) for row in confusion for name in classes)
    assert counted == len(lines)
    assert {row["method"] for row in rows_of(out / "calibration.csv")} == {"pmlda", "kmeans"}


def test_without_truth_there_are_no_scores(scene: Path, tmp_path: Path) -> None:
    arguments = ["--methods", "kmeans,gmm", "--topics", "2"]
    image = str(scene / "demo.tif")
    assert main(["compare", image, "--out", str(tmp_path), *arguments, *QUICK]) == 0
    rows = rows_of(tmp_path / "comparison.csv")
    assert list(rows[0]) == ["image", "method", "seconds", "mixed share"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--methods", "pmlda,som"], "no method 'som': choose from pmlda, fcm"),
        (["--truth", "a.tif", "--truth", "b.tif"], "1 images but 2 files of truth"),
    ],
)
def test_a_mistake_ends_in_one_sentence_and_writes_nothing(
    scene: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    out = tmp_path / "out"
    assert main(["compare", str(scene / "demo.tif"), "--out", str(out), *arguments, *QUICK]) == 2
    printed = capsys.readouterr().err
    assert sentence in printed
    assert len(printed.splitlines()) == 1
    assert not list(tmp_path.rglob("*.csv"))


def test_a_truth_of_another_size_is_refused(
    scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "small.npy", np.zeros((5, 6), np.uint8))
    arguments = ["--truth", str(tmp_path / "small.npy"), *QUICK]
    assert main(["compare", str(scene / "demo.tif"), "--out", str(tmp_path), *arguments]) == 2
    assert "has 6 x 5 pixels, but demo.tif has 44 x 48" in capsys.readouterr().err


def test_an_experiment_writes_its_plate_twice_and_its_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiment", "generating", "--out", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "generating.csv", "generating.png", "generating.svg",
    ]  # fmt: skip
    assert "the straight line" in capsys.readouterr().out


def test_an_experiment_runs_on_given_files(scene: Path, tmp_path: Path) -> None:
    arguments = [str(scene / "demo.tif"), "--out", str(tmp_path), "--sweeps", "5", "--quiet"]
    assert main(["experiment", "scaling", *arguments]) == 0
    assert (tmp_path / "scaling.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("mystery", "no experiment 'mystery': choose one of unified"),
        ("quality", "run it without files"),
        ("sunset", "give colour pictures"),
    ],
)
def test_an_experiment_that_cannot_be_done_says_why(
    scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, sentence: str
) -> None:
    image = str(scene / "demo.tif")
    assert main(["experiment", name, image, "--out", str(tmp_path), "--quiet"]) == 2
    assert sentence in capsys.readouterr().err
