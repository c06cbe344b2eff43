"""Saved pictures: pixels that are not square are drawn in true proportion."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.gui.saved_picture import PictureNotes, draw_picture
from pmlda_gui.gui.shown_pictures import ShownPicture

_SCALE_ROW = 40


@pytest.mark.parametrize("aspect", [1.0, 4.0, 0.25])
def test_a_pixel_is_as_much_higher_than_wide_as_it_is_on_the_ground(qapp, aspect):
    levels = np.zeros((100, 800), np.uint8)
    table = np.zeros((256, 4), np.uint8)
    table[:, 0] = table[:, 3] = 255
    shown = ShownPicture("name", levels, table)
    page = draw_picture(shown, PictureNotes(pixel_size=0.5, aspect=aspect))
    pixels = np.frombuffer(page.constBits(), np.uint8).reshape(page.height(), page.width(), 4)
    red = (pixels[..., 2] == 255) & (pixels[..., 1] == 0)
    height, width = np.ptp(np.argwhere(red), axis=0) + 1
    assert height / width == pytest.approx(100 * aspect / 800, rel=0.02)
    assert width >= 800
    # 0.5 m a pixel: the bar below, as dark as ink, is a round number of metres long.
    ink = (pixels[..., :3] == (46, 38, 27)).all(axis=2)[-_SCALE_ROW:]
    bar = max(int(row.sum()) for row in ink)
    metres = bar * 0.5 * 800 / width
    assert metres == pytest.approx(100.0, rel=0.02)
