"""What is on the screen follows the chain, the zoom and the sampler."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QComboBox, QLabel, QSlider

from pmlda_gui.gui.controller.panel_binding import HARD_DOCUMENTS
from pmlda_gui.imagery.scenes import make_scene
from tests.e2e.driver import Script, Stage, drive

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def image_file(tmp_path: Path) -> Path:
    path = tmp_path / "seabed.npy"
    np.save(path, make_scene("demo", (200, 180)).image.pixels)
    return path


def caption(stage: Stage) -> str:
    """The words over the picture of the uncertainty."""
    view = stage.window.grid.view("uncertainty_view")
    shown = [each for each in view.findChildren(QLabel) if each.property("role") == "caption"]
    return "".join(each.text() for each in shown if not each.isHidden())


def test_uncertainty_says_that_it_is_not_known_until_it_is(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        assert caption(stage) == "no map yet: Run (F5)"
        stage.press("run")
        yield lambda: caption(stage) == "not known yet"
        yield lambda: stage.sweeps > 20 and caption(stage) == ""
        stage.trigger("estimate_map")
        yield lambda: caption(stage) == "of the posterior mean only"
        stage.trigger("estimate_mean")
        yield lambda: caption(stage) == ""

    assert drive([str(image_file)], script) == 0


def test_at_rest_every_pixel_is_made_and_the_window_says_so_while_it_is_not(
    image_file: Path,
) -> None:
    said: set[str] = set()

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.controller.ticked.connect(lambda: said.add(stage.window.activity.text()))
        stage.press("run")
        yield lambda: stage.sweeps > 30
        stage.press("pause")
        yield lambda: stage.controller.presenter.snapshot.complete
        yield lambda: stage.window.activity.text() == ""
        answers: list[np.ndarray] = []
        question = lambda run: run.segmentations()[0].memberships  # noqa: E731
        stage.controller.chain.ask(question, answers.append)
        yield lambda: bool(answers)

        def shown_as_exported() -> bool:
            shown = (stage.controller.presenter.snapshot.pictures.maps - 1.0) / 254
            return bool(np.abs(shown - answers[0]).max() <= 1 / 254)

        # The maps of the last sweep take a moment; once they are there, nothing changes any more.
        yield shown_as_exported
        swept = stage.sweeps
        yield lambda: stage.window.activity.text() == ""
        assert stage.sweeps == swept
        assert shown_as_exported()

    assert drive([str(image_file)], script) == 0
    assert said <= {"", "Refining the maps to every pixel…"}


def test_the_worker_hears_which_part_is_visible(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        grid = stage.window.grid
        yield lambda: stage.sweeps > 5 and stage.controller.presenter.snapshot.sharp
        view = grid.view("composite_view")
        view.set_range(QRectF(10, 20, 30, 30))
        view.range_changed.emit(view.visible_range)
        worker = stage.controller.chain._worker

        def seen() -> bool:
            top, bottom, left, right = worker._look.visible
            return 0 < bottom - top < 100 and 0 < right - left < 150

        yield seen
        before = stage.sweeps
        yield lambda: stage.sweeps > before + 5
        assert stage.controller.presenter.snapshot.step == 1
        grid.fit()
        yield lambda: not seen()

    assert drive([str(image_file)], script) == 0


def test_the_papers_samplers_take_hard_documents_and_fast_brings_the_others_back(
    image_file: Path,
) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        history = stage.controller.history
        slider = stage.find(QSlider, "smoothness")
        slider.setValue(slider.value() + 2)
        soft = history.session
        stage.press("run")
        yield lambda: stage.sweeps > 5
        samplers = stage.find(QComboBox, "sampler")
        for name in ("paper", "least-squares"):
            samplers.setCurrentIndex(samplers.findData(name))
            assert history.session == soft.replace(
                sampler=name,
                parameters=replace(soft.parameters, smoothness=0.0, coupling=0.0),
                features=replace(soft.features, lattice=1),
            )
            assert not slider.isEnabled()
            said = [each.text() for each in stage.window.message_bar.findChildren(QLabel)]
            assert HARD_DOCUMENTS in said
            yield lambda name=name: _shown(stage) == (name, 1) and stage.sweeps > 2
        samplers.setCurrentIndex(samplers.findData("fast"))
        assert history.session == soft
        yield lambda: _shown(stage)[0] == "fast" and stage.sweeps > 5
        stage.trigger("undo")
        assert history.session.sampler == "least-squares"
        yield lambda: _shown(stage) == ("least-squares", 1) and stage.sweeps > 2

    assert drive([str(image_file)], script) == 0


def _shown(stage: Stage) -> tuple[str, int]:
    """The sampler of the chain on the screen, and every how many rows it learns from."""
    snapshot = stage.controller.presenter.snapshot
    return ("", 0) if snapshot is None else (snapshot.figures.sampler, snapshot.figures.stride)
