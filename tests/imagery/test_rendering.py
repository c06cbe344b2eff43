"""Soft maps as pictures: exact at the corners, soft between, and honest where nothing is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.display import INVALID_COLOUR, colour_table
from pmlda_gui.imagery.rendering import (
    composite,
    label_picture,
    membership_levels,
    membership_picture,
    outlined,
)

COLOURS = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255]], dtype=np.uint8)


def maps(*rows):
    """Memberships of a row of pixels, one row an argument, as maps (K, 1, width)."""
    return np.array(rows, dtype=np.float32).T[:, None, :]


def test_memberships_fill_the_levels_from_none_to_full():
    levels = membership_levels(np.array([0.0, 0.5, 1.0, np.nan, 1.0001]))
    assert levels.tolist() == [0, 128, 255, 0, 255]


def test_a_map_is_drawn_in_the_colours_of_its_table_and_gaps_in_none_of_them():
    table = colour_table("cividis")
    picture = membership_picture(np.array([[0.0, 1.0, np.nan]]), table)
    assert picture[0, 0].tolist() == table[0].tolist()
    assert picture[0, 1].tolist() == table[255].tolist()
    assert tuple(picture[0, 2]) == INVALID_COLOUR


def test_a_pure_pixel_has_its_topics_colour_in_the_composite():
    colours = np.array([[200, 30, 90], [17, 128, 64], [1, 2, 250]], dtype=np.uint8)
    picture = composite(maps((1, 0, 0), (0, 1, 0), (0, 0, 1)), colours)
    assert np.array_equal(picture[0], colours)


def test_a_half_and_half_pixel_is_brighter_than_half_of_each_colour():
    # Light adds before the screen's gamma, so an even mixture lies well above 127.
    picture = composite(maps((0.5, 0.5, 0)), COLOURS)
    assert 180 < picture[0, 0, 0] < 192
    assert picture[0, 0, 0] == picture[0, 0, 1]


def test_pixels_without_memberships_stand_out_in_the_composite():
    picture = composite(maps((np.nan,) * 3), COLOURS, invalid=(1, 2, 3))
    assert picture[0, 0].tolist() == [1, 2, 3]


def test_a_composite_needs_a_colour_for_each_topic():
    with pytest.raises(PmldaError, match="2 topics but 3 colours"):
        composite(maps((0.5, 0.5)), COLOURS)


@given(st.lists(st.floats(0.01, 1), min_size=3, max_size=3))
def test_a_composite_lies_between_its_colours(shares):
    normalised = np.array(shares) / sum(shares)
    picture = composite(maps(normalised), COLOURS)
    assert (np.diff(picture[0, 0][np.argsort(normalised)].astype(int)) >= 0).all()


def test_labels_are_drawn_in_their_colours_and_gaps_apart():
    picture = label_picture(np.array([[0, 2, -1]]), COLOURS, invalid=(9, 9, 9))
    assert picture[0].tolist() == [[255, 0, 0], [0, 0, 255], [9, 9, 9]]


def test_outlines_cover_as_much_as_asked_and_leave_the_picture_alone():
    picture = np.zeros((1, 3, 3), dtype=np.uint8)
    drawn = outlined(picture, np.array([[0.0, 0.5, 1.0]]), (200, 100, 0))
    assert drawn[0].tolist() == [[0, 0, 0], [100, 50, 0], [200, 100, 0]]
    assert not picture.any()
