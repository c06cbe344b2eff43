"""`pmlda-gui replay` writes the results an operator saw, bit for bit."""

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio

from pmlda_gui.cli import main
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.readers import open_image
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.run_result import result_of
from pmlda_gui.workspace.session import ImageEntry, Session, TopicLook

FEATURES = FeatureChoice(("mean", "std"), window=9)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run]:
    """A workspace in which an operator has steered a run, and that run."""
    folder = tmp_path_factory.mktemp("worked")
    path = folder / "seabed.npy"
    np.save(path, make_scene("demo", (120, 110)).image.pixels)
    image = open_image(path)
    coarse = prepare([image], FEATURES, DocumentChoice("grid", 12), seed=3)
    fine = prepare([image], FEATURES, DocumentChoice("grid", 20), seed=3, previous=coarse)
    running = Run(coarse, Parameters(3), seed=3, threads=2)
    running.sweep(34)
    running.set_parameters(Parameters(4, rate=1.5))
    running.sweep(3)
    running.set_prepared(fine)
    running.sweep(5)
    session = Session(
        images=(ImageEntry.of_file(path),),
        features=FEATURES,
        documents=fine.document_choice,
        parameters=running.parameters,
        seed=3,
        topics=(TopicLook(2, "dark sand", (10, 20, 30)), TopicLook(0, "ripple", (200, 0, 0))),
    )
    archive.save(folder / "work.pmlda", session, running)
    running.close()
    return folder / "work.pmlda", running


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_maps_are_those_of_the_operator_bit_for_bit(
    worked: tuple[Path, Run], tmp_path: Path, capsys: pytest.CaptureFixture[str], threads: str
) -> None:
    path, running = worked
    assert main(["replay", str(path), "--out", str(tmp_path), "--threads", threads]) == 0
    (expected,) = running.segmentations()
    order = [running.topic_ids.index(number) for number in (2, 0, 1, 3)]
    with rasterio.open(tmp_path / "seabed_memberships.tif") as stored:
        np.testing.assert_array_equal(stored.read(), expected.memberships[order])
        assert stored.descriptions == ("dark sand", "ripple", "topic 2", "topic 4")
    journal = json.loads((tmp_path / "journal.json").read_text(encoding="utf-8"))["journal"]
    assert journal == json.loads(json.dumps(running.journal.to_values()))
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (report["settings"]["topics"], report["settings"]["scaling"]) == (4, "learn")
    assert "seabed_memberships.tif" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_topics_that_the_operator_merged_are_one_topic_in_what_is_repeated(
    worked: tuple[Path, Run], tmp_path: Path
) -> None:
    path, running = worked
    loaded = archive.load(path)
    looks = (TopicLook(2, "sand", (1, 2, 3)), TopicLook(0, "ripple", (9, 9, 9), merged_into=2))
    shown = loaded.session.replace(topics=looks)
    merged = tmp_path / "merged.pmlda"
    archive.write(merged, archive.Snapshot(shown, loaded.checkpoint, loaded.journal, loaded.arrays))
    assert main(["replay", str(merged), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    expected = result_of(running, shown)
    (window,) = (each.segmentation for each in expected.images)
    with rasterio.open(tmp_path / "out" / "seabed_memberships.tif") as stored:
        assert stored.descriptions == tuple(expected.topic_names) == ("sand", "topic 2", "topic 4")
        np.testing.assert_array_equal(stored.read(), window.memberships)
    (apart,) = running.segmentations()
    rows = [running.topic_ids.index(number) for number in (2, 0)]
    np.testing.assert_allclose(window.memberships[0], apart.memberships[rows].sum(axis=0))


def test_a_quiet_replay_says_nothing(
    worked: tuple[Path, Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(worked[0]), "--out", str(tmp_path), "--quiet"]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert (tmp_path / "report.html").exists()


def test_a_file_that_is_no_workspace_ends_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.pmlda").write_bytes(b"nothing")
    assert main(["replay", str(tmp_path / "a.pmlda"), "--out", str(tmp_path / "out")]) == 2
    assert "a.pmlda cannot be opened because it is not a workspace" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_missing_image_ends_in_a_sentence(
    worked: tuple[Path, Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = tmp_path / "alone.pmlda"
    moved.write_bytes(worked[0].read_bytes())
    assert main(["replay", str(moved), "--out", str(tmp_path / "out")]) == 2
    assert "seabed.npy is not in" in capsys.readouterr().err


def test_threads_must_be_a_number(
    worked: tuple[Path, Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["replay", str(worked[0]), "--out", str(tmp_path), "--threads", "0"])
    assert "give 1 or more" in capsys.readouterr().err
