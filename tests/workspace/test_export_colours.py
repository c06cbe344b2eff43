"""Topics are told apart by people with any kind of colour vision."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from pmlda_gui.core.parameters import MOST_TOPICS
from pmlda_gui.imagery.topic_palette import TOPIC_COLOURS, hexadecimal, topic_colours

# Linear-light simulations of the three kinds of dichromacy (Machado and others, 2009).
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]
    ),
    "deuteranopia": np.array(
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]
    ),
    "tritanopia": np.array(
        [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]
    ),
}


def lab(colours, vision):
    from skimage.color import rgb2lab

    light = (np.asarray(colours) / 255.0) ** 2.2
    seen = np.clip(light @ VISION[vision].T, 0, 1) ** (1 / 2.2)
    return rgb2lab(seen[None])[0]


@pytest.mark.parametrize("vision", VISION)
def test_no_two_of_the_first_twelve_colours_look_alike(vision):
    seen = lab(TOPIC_COLOURS, vision)
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 18


@pytest.mark.parametrize("vision", VISION)
def test_twelve_colours_are_told_apart_as_the_eye_judges_differences(vision):
    from skimage.color import deltaE_ciede2000

    seen = lab(TOPIC_COLOURS, vision)
    least = min(deltaE_ciede2000(a, b) for a, b in combinations(seen, 2))
    assert least > (15 if vision == "normal" else 11)


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("ground", [(0, 0, 0), (23, 28, 32), (32, 38, 43)])
def test_every_colour_is_told_from_black_and_from_dark_grounds(vision, ground):
    from skimage.color import deltaE_ciede2000

    dark = lab([ground], vision)[0]
    assert min(deltaE_ciede2000(each, dark) for each in lab(TOPIC_COLOURS, vision)) > 15


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("ground", [(255, 255, 255), (242, 244, 246)])
def test_every_colour_is_told_from_light_grounds(vision, ground):
    from skimage.color import deltaE_ciede2000

    light = lab([ground], vision)[0]
    assert min(deltaE_ciede2000(each, light) for each in lab(TOPIC_COLOURS, vision)) > 9


@pytest.mark.parametrize("vision", VISION)
def test_the_first_three_colours_are_far_apart(vision):
    seen = lab(TOPIC_COLOURS[:3], vision)
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 28


def test_as_many_topics_as_there_may_be_have_different_colours():
    colours = topic_colours(MOST_TOPICS)
    assert colours.shape == (MOST_TOPICS, 3)
    assert len(np.unique(colours, axis=0)) == MOST_TOPICS
    assert np.array_equal(colours[:12], np.array(TOPIC_COLOURS))


def test_colours_are_written_as_the_web_does():
    assert hexadecimal(np.array([0, 171, 16], dtype=np.uint8)) == "#00ab10"
