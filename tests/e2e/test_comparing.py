"""Methods compared in the window, through the real `main()`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QComboBox, QLabel

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.compare import comparison_job
from pmlda_gui.gui.compare.export import ComparisonExport
from pmlda_gui.gui.compare.methods import OFFERED
from pmlda_gui.gui.compare.window import CompareWindow
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.comparison import run_named
from pmlda_gui.workspace.session import TopicLook
from tests.e2e.driver import PATIENCE, Script, Stage, drive
from tests.gui.small_scenes import small_prepared
from tests.gui.synthetic_methods import REASON, fcm_fails, lda_is_endless

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(autouse=True, scope="module")
def methods_compiled() -> None:
    """Kernels of the methods compared are compiled now, so that no test waits for that."""
    for name in ("fcm", "lda", "kmeans"):
        run_named(small_prepared(), name, Parameters(3))


@pytest.fixture(scope="module")
def image_files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two small synthetic scenes in files."""
    folder = tmp_path_factory.mktemp("images")
    for name, shape, seed in (("first", (70, 80), 0), ("second", (60, 90), 3)):
        np.save(folder / f"{name}.npy", make_scene("demo", shape, seed=seed).image.pixels)
    return [str(folder / "first.npy"), str(folder / "second.npy")]


class Comparison:
    """The window of the comparison in the hands of an operator."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    @property
    def window(self) -> CompareWindow:
        return self._stage.find(CompareWindow, "compare_window")

    def tick(self, *methods: str) -> None:
        for name in OFFERED:
            box = self._stage.find(QCheckBox, f"compare_method_{name}")
            if box.isChecked() != (name in methods):
                box.click()

    def enabled(self, name: str) -> bool:
        return self._stage.find(QAbstractButton, name).isEnabled()

    def status(self, method: str) -> str:
        label = self._stage.window.findChild(QLabel, f"compare_status_{method}")
        return "" if label is None else label.text()

    def view(self, name: str) -> PictureView:
        return self._stage.find(PictureView, f"compare_view_{name}")

    def shape(self, name: str) -> tuple[int, ...] | None:
        """Height and width of a picture, None where there is none."""
        view = self._stage.window.findChild(PictureView, f"compare_view_{name}")
        picture = None if view is None else view._image.image
        return None if picture is None else picture.shape[:2]

    def has_picture(self, name: str) -> bool:
        return self.shape(name) is not None


def opened(stage: Stage) -> Iterator[object]:
    """Open the window of the comparison, and wait until it is ready."""
    yield stage.ready
    stage.trigger("compare_methods")
    yield lambda: Comparison(stage).enabled("compare_run")


def test_an_operator_compares_looks_at_both_images_and_exports(
    image_files: list[str], tmp_path: Path
) -> None:
    def script(stage: Stage) -> Script:
        yield from opened(stage)
        comparison, controller = Comparison(stage), stage.controller
        stage.press("run")
        yield lambda: stage.sweeps > 3
        comparison.tick("pmlda", "fcm", "lda")
        stage.press("compare_run")
        assert not controller.chain.running, "the chain rests"
        yield lambda: comparison.has_picture("lda_all")
        yield lambda: comparison.enabled("compare_run")
        assert controller.chain.running, "the chain goes on"
        for method in ("pmlda", "fcm", "lda"):
            assert comparison.status(method).endswith(" s"), comparison.status(method)
            for row in ("0", "1", "2", "all"):
                assert comparison.has_picture(f"{method}_{row}")
                assert comparison.view(f"{method}_{row}").isVisible()
        assert comparison.window.status.text() == "All 3 methods are done."

        images = stage.find(QComboBox, "compare_image")
        images.setCurrentIndex(1)
        images.activated.emit(1)
        yield lambda: {comparison.shape("image"), comparison.shape("fcm_1")} == {(60, 90)}

        ripple, sand = TopicLook(1, "ripple", (1, 2, 3)), TopicLook(0, "sand", (9, 9, 9), 1)
        controller.do("Name and merge topics", topics=(ripple, sand))
        assert not comparison.view("fcm_2").isVisible()
        yield lambda: comparison.has_picture("fcm_0")
        assert comparison.view("fcm_0").accessibleName() == "Fuzzy c-means, m = 1.5, ripple"

        controller.findChild(ComparisonExport).export(tmp_path / "out")
        yield lambda: "5 files were written" in comparison.window.message_bar.text
        controller.do("Choose rate", parameters=replace(controller.session.parameters, rate=3.0))
        assert "settings have changed" in comparison.window.message_bar.text

        stage.window.images.remove_requested.emit(1)
        yield lambda: not comparison.window.columns.isVisible()
        assert comparison.window.status.text() == ""

    assert drive(image_files, script) == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [
        "comparison.csv", "first_compared.png", "first_compared.svg",
        "second_compared.png", "second_compared.svg",
    ]  # fmt: skip
    assert "ripple" in (tmp_path / "out" / "first_compared.svg").read_text(encoding="utf-8")


def test_a_chain_that_has_gone_far_enough_is_shown_as_it_is(image_files: list[str]) -> None:
    def script(stage: Stage) -> Script:
        yield from opened(stage)
        comparison = Comparison(stage)
        stage.press("run")
        yield lambda: stage.sweeps > 150
        comparison.tick("pmlda")
        stage.press("compare_run")
        yield lambda: comparison.status("pmlda") not in ("", "waiting", "0 %")
        assert comparison.status("pmlda").startswith("sweep ")
        assert int(comparison.status("pmlda").split()[1]) > 150
        assert comparison.has_picture("pmlda_all")
        yield lambda: comparison.view("image").accessibleName().endswith("documents")
        yield lambda: comparison.window.status.text() == "The method is done."

    assert drive(image_files[:1], script) == 0


def test_cancelling_keeps_what_is_done_and_frees_the_chain(
    image_files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison_job, "run_named", lda_is_endless)

    def script(stage: Stage) -> Script:
        yield from opened(stage)
        comparison = Comparison(stage)
        comparison.tick("fcm", "lda")
        stage.press("run")
        yield lambda: stage.sweeps > 1
        stage.press("compare_run")
        yield lambda: comparison.has_picture("fcm_0")
        yield lambda: comparison.status("lda").endswith("%")
        stage.press("compare_cancel")
        assert comparison.enabled("compare_run")
        assert comparison.status("lda") == "stopped"
        assert comparison.window.status.text() == "Stopped: 1 of 2 methods are done."
        assert stage.controller.chain.running
        assert stage.controller.jobs.wait(PATIENCE), "the thread ends"

    assert drive(image_files[:1], script) == 0


@pytest.mark.parametrize("way", ["window", "program"])
def test_closing_while_methods_run_leaves_nothing_behind(
    image_files: list[str], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(comparison_job, "run_named", lda_is_endless)

    def script(stage: Stage) -> Script:
        yield from opened(stage)
        comparison = Comparison(stage)
        comparison.tick("lda")
        stage.press("compare_run")
        yield lambda: comparison.status("lda").endswith("%")
        window = comparison.window
        if way == "program":
            stage.window.close()
            assert not window.isVisible()
        else:
            window.close()
            assert "compare" not in stage.controller.jobs.names
            assert stage.controller.jobs.wait(PATIENCE), "the thread ends"

    assert drive(image_files[:1], script) == 0
    assert not [each for each in QApplication.topLevelWidgets() if isinstance(each, CompareWindow)]


def test_a_method_that_fails_says_so_and_the_chain_the_operator_started_is_left_alone(
    image_files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison_job, "run_named", fcm_fails)

    def script(stage: Stage) -> Script:
        yield from opened(stage)
        comparison = Comparison(stage)
        comparison.tick("fcm", "kmeans")
        stage.press("run")
        stage.press("compare_run")
        stage.press("run")
        stage.press("pause")
        yield lambda: comparison.has_picture("kmeans_all") and comparison.enabled("compare_run")
        assert not stage.controller.chain.running
        failure = stage.find(QLabel, "compare_failure_fcm")
        assert failure.text() == REASON
        assert "1 of 2 methods are done" in comparison.window.status.text()

    assert drive(image_files[:1], script) == 0
