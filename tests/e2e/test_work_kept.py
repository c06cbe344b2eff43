"""What an operator made is kept: names on their seabed, results by undo and by bookmarks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import rasterio
from numpy.typing import NDArray
from PySide6.QtWidgets import QCheckBox, QLabel, QSlider

from pmlda_gui.gui.controller.exporting import Exporting
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.dialogs.export import ExportChoice
from pmlda_gui.gui.frame import Snapshot
from pmlda_gui.imagery.scenes import Scene, make_survey
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.replay import replay
from pmlda_gui.workspace.run_result import result_of
from tests.e2e.driver import Script, Stage, drive

pytestmark = pytest.mark.usefixtures("qapp")

NAMES = ("flat", "ripple", "rock")
ENOUGH_SWEEPS = 60


@pytest.fixture(scope="module")
def survey() -> tuple[Scene, ...]:
    return make_survey(2, "demo", (200, 180), seed=1)


@pytest.fixture(scope="module")
def files(survey: tuple[Scene, ...], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The images of a survey in files."""
    folder = tmp_path_factory.mktemp("survey")
    paths = [folder / f"line_{number}.npy" for number in range(len(survey))]
    for path, scene in zip(paths, survey, strict=True):
        np.save(path, scene.image.pixels)
    return paths


def frame(stage: Stage) -> Snapshot:
    snapshot = stage.controller.presenter.snapshot
    assert snapshot is not None
    return snapshot


def swept(stage: Stage, sweeps: int = ENOUGH_SWEEPS) -> Callable[[], bool]:
    """Whether the present run has done so many sweeps."""
    return lambda: (
        not stage.controller.is_preparing
        and not stage.controller.chain.starting
        and stage.sweeps >= sweeps
    )


def at_rest(stage: Stage) -> Callable[[], bool]:
    """Whether the chain rests and every pixel of its maps has been made."""
    return lambda: (
        stage.ready()
        and not stage.controller.is_preparing
        and not (stage.controller.chain.running or stage.controller.chain.starting)
        and frame(stage).complete
    )


def maps(stage: Stage) -> dict[str, NDArray[np.uint8]]:
    shown = frame(stage)
    return {topic.name: shown.pictures.maps[row] for row, topic in enumerate(shown.topics)}


def name_the_topics(stage: Stage, truth: Scene) -> None:
    """Call each topic by the seabed it lies on."""
    for row, levels in enumerate(frame(stage).pictures.maps):
        likeness = [np.corrcoef(levels.ravel(), each.ravel())[0, 1] for each in truth.memberships]
        stage.window.topics.list.item(row).setText(NAMES[int(np.argmax(likeness))])


def assert_names_sit_on_their_seabed(stage: Stage, truth: Scene, after: str) -> None:
    """Each name by the correlation of its map with the truth.

    More topics than there are seabeds share one of them, so that less is asked for.
    """
    found = maps(stage)
    for number, name in enumerate(NAMES):
        levels = found[name].ravel()
        likeness = [np.corrcoef(levels, each.ravel())[0, 1] for each in truth.memberships]
        told = f"{name} after {after}: {np.round(likeness, 2)}"
        assert int(np.argmax(likeness)) == number, told
        assert likeness[number] > (0.75 if len(found) == len(NAMES) else 0.4), told


def topics(stage: Stage, number: int) -> None:
    stage.find(QSlider, "topics").setValue(number)


def test_names_stay_on_their_seabed(survey: tuple[Scene, ...], files: list[Path]) -> None:
    def run_on(stage: Stage, sweeps: int = ENOUGH_SWEEPS) -> Script:
        stage.trigger("run_chain")
        yield swept(stage, sweeps)
        stage.trigger("pause_chain")
        yield at_rest(stage)

    def script(stage: Stage) -> Script:
        yield stage.ready
        yield from run_on(stage)
        name_the_topics(stage, survey[0])
        yield at_rest(stage)
        yield lambda: set(maps(stage)) == set(NAMES)
        assert_names_sit_on_their_seabed(stage, survey[0], "naming")

        for number in (4, 3, 2, 3):
            topics(stage, number)
            yield from run_on(stage, stage.sweeps + ENOUGH_SWEEPS)
            assert len(frame(stage).topics) == number
            if number >= 3:
                assert_names_sit_on_their_seabed(stage, survey[0], f"K = {number}")
        stage.trigger("restart_chain")
        yield from run_on(stage)
        assert_names_sit_on_their_seabed(stage, survey[0], "restarting")
        stage.window.findChild(Files).add([files[1]])
        yield lambda: len(stage.controller.session.images) == 2
        yield from run_on(stage)
        assert_names_sit_on_their_seabed(stage, survey[0], "adding an image")
        stage.controller.show_image(1)
        yield lambda: at_rest(stage)() and frame(stage).image == 1
        assert_names_sit_on_their_seabed(stage, survey[1], "adding an image, on that")
        stage.controller.show_image(0)
        for _ in range(2):
            stage.trigger("undo")
            yield at_rest(stage)
            yield lambda: at_rest(stage)() and frame(stage).image == 0
            assert_names_sit_on_their_seabed(stage, survey[0], "undoing")

    assert drive([str(files[0])], script) == 0


def test_a_name_whose_topic_is_gone_is_told_and_comes_back(
    survey: tuple[Scene, ...], files: list[Path]
) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.trigger("run_chain")
        yield swept(stage)
        name_the_topics(stage, survey[0])
        yield lambda: set(maps(stage)) == set(NAMES)
        label = stage.find(QLabel, "missing_names")
        assert label.isHidden()
        topics(stage, 2)
        yield lambda: len(frame(stage).topics) == 2 and not label.isHidden()
        (gone,) = set(NAMES) - set(maps(stage))
        assert gone in label.text()
        assert not any(name in label.text() for name in maps(stage))
        assert gone in stage.window.message_bar.text
        stage.trigger("undo")
        yield lambda: set(maps(stage)) == set(NAMES) and label.isHidden()

    assert drive([str(files[0])], script) == 0


def other_documents(stage: Stage) -> None:
    slider = stage.find(QSlider, "document_count")
    slider.setValue(slider.value() - 10)


def other_features(stage: Stage) -> None:
    slider = stage.find(QSlider, "feature_window")
    slider.setValue(slider.value() + 3)


def test_a_step_back_brings_the_run_as_it_was(files: list[Path]) -> None:
    steps: dict[str, Callable[[Stage], object]] = {
        "more topics": lambda stage: topics(stage, 4),
        "fewer topics": lambda stage: topics(stage, 2),
        "restart": lambda stage: stage.trigger("restart_chain"),
        "documents": other_documents,
        "features": other_features,
        "an image more": lambda stage: stage.window.findChild(Files).add([files[1]]),
        "no image": lambda stage: stage.window.images.remove_requested.emit(0),
    }

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.trigger("run_chain")
        yield swept(stage)
        stage.trigger("pause_chain")
        yield at_rest(stage)
        stage.window.topics.list.item(0).setText("first of all")
        yield lambda: "first of all" in maps(stage)
        for name, step in steps.items():
            yield at_rest(stage)
            before, sweeps, session = maps(stage), stage.sweeps, stage.controller.session
            run = frame(stage).run
            step(stage)
            yield lambda session=session: stage.controller.session is not session
            if name != "no image":
                stage.trigger("run_chain")
                yield (
                    lambda run=run, sweeps=sweeps: (
                        swept(stage, 3)() and (frame(stage).run, stage.sweeps) != (run, sweeps)
                    )
                )
                stage.trigger("pause_chain")
                yield at_rest(stage)
            run = stage.controller.chain._number
            stage.trigger("undo")
            assert stage.controller.session == session, name
            yield (
                lambda run=run: (
                    stage.controller.presenter.snapshot is not None
                    and frame(stage).run > run
                    and at_rest(stage)()
                )
            )
            assert stage.sweeps == sweeps, name
            after = maps(stage)
            assert list(after) == list(before), name
            for topic, levels in before.items():
                np.testing.assert_array_equal(after[topic], levels, err_msg=f"{topic}, {name}")
        stage.trigger("run_chain")
        yield swept(stage, stage.sweeps + 5)

    assert drive([str(files[0])], script) == 0


def test_a_bookmark_is_a_result(files: list[Path], tmp_path: Path) -> None:
    workspace, results = tmp_path / "work.pmlda", tmp_path / "results"
    kept: dict[str, NDArray[np.uint8]] = {}
    sweeps = []

    def returned(stage: Stage) -> Script:
        run = stage.controller.chain._number
        stage.window.bookmarks.restore_requested.emit(0)
        yield lambda: at_rest(stage)() and frame(stage).run > run
        assert stage.sweeps == sweeps[0]
        after = maps(stage)
        assert list(after) == list(kept)
        for topic, levels in kept.items():
            np.testing.assert_array_equal(after[topic], levels, err_msg=topic)

    def first(stage: Stage) -> Script:
        yield stage.ready
        stage.trigger("run_chain")
        yield swept(stage)
        stage.trigger("pause_chain")
        yield at_rest(stage)
        stage.window.topics.list.item(0).setText("sand")
        yield lambda: "sand" in maps(stage)
        stage.trigger("keep_bookmark")
        yield lambda: len(stage.controller.session.bookmarks) == 1
        yield at_rest(stage)
        kept.update(maps(stage))
        sweeps.append(stage.sweeps)
        topics(stage, 4)
        slider = stage.find(QSlider, "rate")
        slider.setValue(slider.value() + 20)
        stage.trigger("run_chain")
        yield swept(stage, stage.sweeps + 10)
        stage.trigger("pause_chain")
        yield at_rest(stage)
        stage.window.bookmarks.renamed.emit(0, "the good one")
        stage.window.bookmarks.compare_with_present_requested.emit(0)
        yield lambda: stage.window.pages.currentWidget() is stage.window.swipe
        stage.window.swipe.closed.emit()
        bookmark = stage.controller.session.bookmarks[0]
        from pmlda_gui.workspace.bookmarks import kept_state

        state = kept_state(bookmark, stage.window.findChild(Files).arrays)
        exporting = stage.window.findChild(Exporting)
        exporting.export_kept(ExportChoice(results, "mean"), bookmark.session, state)
        yield lambda: "export" not in stage.controller.jobs.names
        yield from returned(stage)
        stage.trigger("undo")
        yield lambda: at_rest(stage)() and len(frame(stage).topics) == 4
        files_ = stage.window.findChild(Files)
        files_.save_to(workspace)
        yield lambda: files_.path == workspace

    def second(stage: Stage) -> Script:
        yield stage.ready
        yield at_rest(stage)
        assert stage.controller.session.bookmarks[0].name == "the good one"
        yield from returned(stage)
        stage.trigger("run_chain")
        yield swept(stage, sweeps[0] + 5)

    assert drive([str(files[0])], first) == 0
    report = json.loads((results / "report.json").read_text())
    assert report["sweeps"] == sweeps[0]
    assert "sand" in [each["name"] for each in report["topics"]]
    assert drive([str(workspace)], second) == 0


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_what_is_exported_was_sampled_under_the_settings_it_states(
    files: list[Path], tmp_path: Path
) -> None:
    workspace, results = tmp_path / "work.pmlda", tmp_path / "results"

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.trigger("run_chain")
        yield swept(stage)
        stage.find(QCheckBox, "scaling_fixed").click()
        yield swept(stage, stage.sweeps + 2)
        slider = stage.find(QSlider, "scaling")
        slider.setValue(slider.value() + 30)
        slider = stage.find(QSlider, "rate")
        slider.setValue(slider.value() + 30)
        stage.trigger("pause_chain")
        stage.window.findChild(Exporting).export(ExportChoice(results, "mean"))
        saving = stage.window.findChild(Files)
        saving.save_to(workspace)
        yield lambda: saving.path == workspace
        yield lambda: (results / "report.json").exists()
        yield lambda: "export" not in stage.controller.jobs.names

    assert drive([str(files[0])], script) == 0
    report = json.loads((results / "report.json").read_text())
    journal = json.loads((results / "journal.json").read_text())
    assert all(each["sweep"] <= report["sweeps"] for each in journal["journal"]["changes"])
    assert 0 < report["sweeps_under_settings"] <= report["sweeps"]
    assert [each["from_sweep"] for each in report["changes"]]
    assert all(each["from_sweep"] <= report["sweeps"] for each in report["changes"])
    if report["sweeps_under_settings"] < 20:
        assert any("sweeps were done under these settings" in text for text in report["warnings"])
    loaded = archive.load(workspace)
    repeated = replay(loaded, threads=1)
    assert repeated.sweeps == report["sweeps"]
    result = result_of(repeated, loaded.session)
    assert result.settings["scaling"] == report["settings"]["scaling"]
    assert result.settings["rate"] == report["settings"]["rate"]
    (path,) = results.glob("*memberships*.tif")
    with rasterio.open(path) as raster:
        np.testing.assert_array_equal(
            raster.read(), result.images[0].segmentation.memberships.astype(raster.dtypes[0])
        )
    repeated.close()
