"""The self-test goes well on a program that works, and notices each thing that does not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.panels.value_control import ValueControl
from pmlda_gui.gui.self_test import checks, files, run_self_test, stage
from pmlda_gui.gui.self_test.screen_checks import likeness, unreadable
from pmlda_gui.gui.self_test.starting import process_age
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.gui.worker import ChainWorker
from pmlda_gui.imagery.scenes import make_scene

Patch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def small_scene(monkeypatch: Patch) -> None:
    """A smaller scene is as good here."""
    small = partial(make_scene, shape=(150, 136))
    monkeypatch.setattr("pmlda_gui.imagery.scenes.make_scene", small)


def tell(qapp: QApplication, capsys: pytest.CaptureFixture[str], *names: str) -> tuple[int, str]:
    """The exit code of these checks, and what they print."""
    code = run_self_test(qapp, None, {name: checks.CHECKS[name] for name in names})
    return code, capsys.readouterr().out


def test_all_goes_well(
    qapp: QApplication, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = run_self_test(qapp, tmp_path / "kept")
    out = capsys.readouterr().out
    assert code == 0, out
    assert [line.split()[0] for line in out.splitlines()[:-1]] == ["ok"] * (1 + len(checks.CHECKS))
    kept = {path.name for path in (tmp_path / "kept").iterdir()}
    assert {"screenshot.png", "results", "work.pmlda"} <= kept


def test_a_folder_that_cannot_be_made_is_told(
    qapp: QApplication, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "a file").touch()
    assert run_self_test(qapp, tmp_path / "a file") == 2
    assert "a file cannot be written to" in capsys.readouterr().out


def no_families(monkeypatch: Patch) -> None:
    monkeypatch.setattr(QFontDatabase, "families", lambda: [])


def boxes(monkeypatch: Patch) -> None:
    monkeypatch.setattr("pmlda_gui.gui.self_test.screen_checks._drawn", lambda letter, font: b"box")


def no_help(monkeypatch: Patch) -> None:
    monkeypatch.setattr(checks, "resource_names", lambda folder, suffix: ())


def nothing_to_import(monkeypatch: Patch) -> None:
    def touch(_thread: object) -> None:
        raise ModuleNotFoundError("No module named 'scipy.left_out'")

    monkeypatch.setattr("pmlda_gui.gui.warm_up.WarmUp.touch_everything", touch)


def no_place_on_earth(monkeypatch: Patch) -> None:
    def write(path: Path) -> Path:
        plain = path.with_suffix(".npy")
        np.save(plain, make_scene("demo", (60, 50)).image.pixels)
        return plain

    monkeypatch.setattr(checks, "write_geotiff", write)


def unreadable_file(monkeypatch: Patch) -> None:
    def open_image(*_arguments: Any) -> None:
        raise PmldaError("GDAL cannot be loaded")

    monkeypatch.setattr("pmlda_gui.gui.controller.background_tasks.open_image", open_image)


def blank_views(monkeypatch: Patch) -> None:
    monkeypatch.setattr(PictureView, "set_picture", lambda *_arguments: None)


def one_superpixel(monkeypatch: Patch) -> None:
    from pmlda_gui.gui.controller import background_tasks

    prepare = background_tasks.prepare

    def coarse(images: Any, features: Any, documents: Any, *rest: Any) -> Any:
        return prepare(images, features, replace(documents, count=1), *rest)

    monkeypatch.setattr(background_tasks, "prepare", coarse)


def views_elsewhere(monkeypatch: Patch) -> None:
    set_range = PictureView.set_range
    corner = QRectF(0, 0, 30, 30)
    monkeypatch.setattr(PictureView, "set_range", lambda view, _area: set_range(view, corner))


def signals_that_leak(monkeypatch: Patch) -> None:
    kept: list[object] = []
    monkeypatch.setattr(sys, "getrefcount", lambda payload: kept.append(payload) or len(kept))


def nothing_written(monkeypatch: Patch) -> None:
    def write(_result: object, folder: Path, *_others: object) -> list[Path]:
        folder.mkdir()
        return []

    monkeypatch.setattr("pmlda_gui.workspace.export.write_results", write)


def compiled_kernels(monkeypatch: Patch) -> None:
    monkeypatch.setattr("pmlda_gui.core.kernel_cache.build_id", lambda: "1.0-abc")
    monkeypatch.setattr("pmlda_gui.core.kernel_compiler.compiled_here", lambda: ("core.slow",))
    monkeypatch.setattr(numba.config, "CPU_NAME", "x86-64-v3")


OPENED = ("GeoTIFF",)


@pytest.mark.parametrize(
    ("fault", "names", "sentence"),
    [
        (no_families, ("fonts",), "FAILED  fonts: this system has no fonts"),
        (boxes, ("fonts",), "FAILED  fonts: no font on this system can draw AWIagi"),
        (no_help, ("resources",), "FAILED  resources: the program's folder icons is missing"),
        (nothing_to_import, ("warm-up",), "ModuleNotFoundError: No module named 'scipy.left_out'"),
        (no_place_on_earth, OPENED, "FAILED  GeoTIFF: its georeference was lost"),
        (unreadable_file, OPENED, "FAILED  GeoTIFF: the program said: GDAL cannot be loaded"),
        (one_superpixel, (*OPENED, "superpixels"), "FAILED  superpixels: 1 superpixels were made"),
        (blank_views, (*OPENED, "picture"), "FAILED  picture: the view does not show the image"),
        (views_elsewhere, (*OPENED, "picture"), "FAILED  picture: the view does not cover"),
        (nothing_written, (*OPENED, "chain", "export"), "FAILED  export: no file …memberships.tif"),
        (signals_that_leak, ("signals",), "FAILED  signals: 5000 signals changed the count"),
        (compiled_kernels, ("kernels",), "FAILED  kernels: 1 kernels were compiled"),
    ],
)
def test_a_fault_is_noticed_and_said(
    fault: Callable[[Patch], None],
    names: tuple[str, ...],
    sentence: str,
    qapp: QApplication,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: Patch,
) -> None:
    fault(monkeypatch)
    code, out = tell(qapp, capsys, *names)
    assert code == 1
    assert sentence in out
    assert out.endswith("The self-test failed.\n")


@pytest.mark.parametrize(
    ("owner", "method", "before", "check", "sentence"),
    [
        (ChainWorker, "begin", (), "GeoTIFF", "FAILED  GeoTIFF: seabed.tif did not open within"),
        (ChainWorker, "set_running", OPENED, "chain", "FAILED  chain: Run gave no map within"),
        (ValueControl, "_take", OPENED, "sliders", "FAILED  sliders: the slider gamma changes"),
    ],
)
def test_what_does_nothing_is_noticed(
    owner: type,
    method: str,
    before: tuple[str, ...],
    check: str,
    sentence: str,
    qapp: QApplication,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: Patch,
) -> None:
    def lose_patience(_stage: stage.Stage) -> str:
        monkeypatch.setattr(stage, "PATIENCE_SECONDS", 1.0)
        return "from here on nothing is waited for"

    monkeypatch.setattr(owner, method, lambda *_arguments: None)
    first = {name: checks.CHECKS[name] for name in before}
    last = {"patience": lose_patience, check: checks.CHECKS[check]}
    assert run_self_test(qapp, None, first | last) == 1
    assert sentence in capsys.readouterr().out


def test_a_damaged_recording_is_noticed(
    qapp: QApplication, capsys: pytest.CaptureFixture[str], monkeypatch: Patch
) -> None:
    def damaged(path: Path) -> Path:
        path.write_bytes(files.write_recording(path).read_bytes()[:2000])
        return path

    monkeypatch.setattr(checks, "write_recording", damaged)
    code, out = tell(qapp, capsys, "recording")
    assert code == 1
    assert "FAILED  recording: the program said" in out


def test_letters_are_told_from_boxes(qapp: QApplication, monkeypatch: Patch) -> None:
    assert unreadable(qapp.font()) == ""
    monkeypatch.setattr(
        "pmlda_gui.gui.self_test.screen_checks._drawn",
        lambda letter, font: b"box" if letter in ("λ", "\uffff") else letter.encode(),
    )
    assert unreadable(qapp.font()) == "λ"


def test_the_age_of_a_process_grows() -> None:
    first = process_age()
    assert 0 < first <= process_age()


def test_likeness_is_low_for_another_picture(qapp: QApplication) -> None:
    ramp = np.tile(np.linspace(0, 255, 120).astype(np.uint8), (100, 1))
    view = PictureView("view", "a view")
    view.resize(300, 260)
    view.show()
    view.set_picture(ramp)
    qapp.processEvents()
    assert likeness(view, ramp) > 0.95
    assert likeness(view, ramp[:, ::-1]) < -0.95
    assert abs(likeness(view, np.ascontiguousarray(ramp.T))) < 0.5
    view.close()
    view.deleteLater()
