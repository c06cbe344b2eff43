"""Open files read again with other options, and the bottom track dragged."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.gui.controller.rereading import as_recorded, in_rows, waterfall_of
from pmlda_gui.gui.dialogs.bottom_track import BottomTrackDialog
from pmlda_gui.gui.dialogs.open_options import OpenOptionsDialog
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.imagery.readers import probe
from pmlda_gui.imagery.readers.options import ReadOptions
from pmlda_gui.imagery.scenes.recorded_seabed import SONARS, recorded_seabed
from pmlda_gui.imagery.scenes.recordings import xtf_bytes
from pmlda_gui.workspace.session import ImageEntry, Session


@pytest.fixture
def line(tmp_path):
    path = tmp_path / "line.xtf"
    path.write_bytes(xtf_bytes(recorded_seabed(SONARS["even"], 120)))
    return path


def test_the_dialog_shows_how_a_file_was_read_and_changes_nothing_by_itself(qtbot, line, tmp_path):
    options = ReadOptions(
        channels=(1, 0),
        correct_slant_range=True,
        gain_table=tmp_path / "gain.json",
        layback=12.5,
        reduce=2,
        square_pixels=False,
        bottom_track=((3.0, 4.0),),
    )
    dialog = OpenOptionsDialog(probe(line), present=options)
    qtbot.addWidget(dialog)
    assert dialog.options == options


def test_bands_may_be_several_and_nonsense_keeps_the_dialog_open(qtbot, tmp_path):
    path = tmp_path / "image.npy"
    np.save(path, np.ones((20, 30), dtype=np.float32))
    dialog = OpenOptionsDialog(probe(path), present=ReadOptions())
    qtbot.addWidget(dialog)
    dialog.more.several.setText("1, depth")
    assert dialog.options.bands == (1, "depth")
    dialog.more.several.setText("1,,2")
    dialog.open()
    dialog.accept()
    assert dialog.isVisible()


def test_the_waterfall_shows_water_and_the_track_found(line):
    found = waterfall_of(ImageEntry(line), lambda *_: None, lambda: False)
    sonar = SONARS["even"]
    assert found.levels.shape == (120, 2 * sonar.samples)
    assert np.median(found.track) * sonar.range / sonar.samples == pytest.approx(4.0, abs=0.3)
    water = found.levels[:, found.port : found.port + 30].mean()
    assert water < found.levels[:, found.port + 100 : found.port + 130].mean()
    assert not found.bad.any()


def test_a_drag_moves_the_line_on_both_sides_and_points_close_by_are_one(qtbot):
    track = np.full(100, 20.0)
    bad = np.arange(100) > 90
    picture = np.zeros((100, 120), np.uint8)
    dialog = BottomTrackDialog("line.xtf", picture, 60, track, bad)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.is_on_line(40.0, 50.0)
    assert dialog.is_on_line(80.0, 50.0)
    assert not dialog.is_on_line(60.0, 50.0)
    dialog._box.dragged.emit(50.0, 90.0, False)
    dialog._box.dragged.emit(50.0, 91.0, True)
    assert dialog.points == ((50.0, 31.0),)
    assert dialog.heights[50] == 31
    assert dialog.is_on_line(29.0, 50.0)
    dialog._remove_all()
    assert (dialog.heights == track).all()


def test_points_are_kept_in_the_session_and_are_those_of_the_recording():
    points = ((10.0, 42.0), (20.0, 44.5))
    entry = ImageEntry(Path("/a/line.xtf"))
    entry = replace(entry, options=ReadOptions(bottom_track=points))
    session = Session(images=(entry,))
    assert Session.from_values(session.to_values()) == session
    assert as_recorded(in_rows(points, 4), 4) == points


def test_an_open_file_is_read_again_with_other_options_and_undone(flows, tmp_path):
    path = tmp_path / "image.npy"
    np.save(path, np.random.default_rng(0).gamma(4.0, size=(80, 90)).astype(np.float32))
    flows.open(path)
    (entry,) = flows.controller.session.images
    flows.files.rereading.read_again(entry, ReadOptions(reduce=2))
    flows.until(lambda: flows.controller.session.images[0].options.reduce == 2)
    flows.until(lambda: flows.controller.shown_image.shape == (40, 45))
    flows.settle()
    flows.trigger("undo")
    assert flows.controller.session.images == (entry,)
    flows.until(lambda: flows.controller.shown_image.shape == (80, 90))
    flows.settle()


def test_options_that_cannot_be_read_leave_the_session_as_it_was(flows, first):
    (entry,) = flows.controller.session.images
    flows.files.rereading.read_again(entry, ReadOptions(band=9))
    flows.settle()
    assert flows.controller.session.images == (entry,)


def test_pixels_that_are_not_square_are_drawn_in_true_proportion(qtbot):
    view = PictureView("picture", "Picture")
    qtbot.addWidget(view)
    view.resize(400, 430)
    view.show()
    view.set_picture(np.zeros((100, 100), np.uint8))
    view.set_pixel_size(0.1, 0.4)
    view.fit()
    shown, canvas = view.visible_range, view._canvas
    across, down = canvas.width() / shown.width(), canvas.height() / shown.height()
    assert across / down == pytest.approx(0.25, rel=0.02)
