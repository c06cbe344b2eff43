"""The plate shows the image, every topic and the composite, and a scale that is true."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image as Pillow

from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.display import colour_table
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.imagery.topic_palette import topic_colours
from pmlda_gui.workspace.export.plates import MISSING, OUTLINE, PAPER, _round_length, draw_plate
from tests.workspace.synthetic_results import UTM, synthetic_image, synthetic_result


def pixels_of(content):
    return np.asarray(Pillow.open(io.BytesIO(content)).convert("RGB"))


def plate(image, segmentation, names=("sand", "ripple", "rock")):
    shares = []
    content = draw_plate(
        image, segmentation, names, topic_colours(len(names)), "line 7", "what was done",
        Progress(lambda share, _: shares.append(share)),
    )  # fmt: skip
    assert len(shares) == len(names) + 2
    return pixels_of(content)


def count(picture, colour):
    return int(np.count_nonzero((picture == np.array(colour)).all(axis=2)))


def crisp(image, topics=3):
    """Every third of the rows is one topic and nothing else."""
    height, width = image.shape
    owner = np.arange(height) * topics // height
    maps = np.zeros((topics, height, width), dtype=np.float32)
    maps[owner, np.arange(height)] = 1
    maps[:, ~image.valid] = np.nan
    return Segmentation(maps, None, np.zeros((topics, 1)), 1.0)


def test_each_topic_fills_its_part_of_a_map_and_of_the_composite():
    image = synthetic_image((60, 60))
    picture = plate(image, crisp(image))
    full, none = colour_table("cividis")[255], colour_table("cividis")[0]
    for colour in topic_colours(3):
        assert count(picture, colour) > 0.1 * 60 * 60
    # Three maps, each a third full: twice as much is empty.
    assert count(picture, none) == pytest.approx(2 * count(picture, full), rel=0.2)
    assert count(picture, MISSING) > 0
    assert count(picture, PAPER) > 0


def test_documents_are_outlined():
    result = synthetic_result()
    found = result.images[0]
    picture = plate(found.shown, found.segmentation)
    bare = plate(found.shown, replace(found.segmentation, documents=None))

    def yellow(pixels):
        return int(np.count_nonzero(np.abs(pixels - np.array(OUTLINE)).sum(axis=2) < 150))

    assert yellow(picture.astype(int)) > yellow(bare.astype(int)) + 100


def test_the_scale_bar_is_drawn_only_where_metres_are_known():
    known, unknown = synthetic_image(georeference=UTM), synthetic_image()
    with_bar = plate(known, crisp(known))
    without = plate(unknown, crisp(unknown))
    assert count(with_bar, (20, 22, 26)) > 500
    assert count(without, (20, 22, 26)) == 0


@pytest.mark.parametrize(
    ("wanted", "length"), [(7.3, 5), (5, 5), (4.99, 2), (1.2, 1), (0.034, 0.02), (3400, 2000)]
)
def test_a_scale_bar_has_a_round_length(wanted, length):
    assert _round_length(wanted) == pytest.approx(length)


@pytest.mark.parametrize("shape", [(12, 400), (400, 12), (5, 5), (900, 700)])
def test_plates_of_any_shape_stay_of_a_size_to_look_at(shape):
    image = synthetic_image(shape)
    height, width, _ = plate(image, crisp(image)).shape
    assert 200 < height < 3000
    assert 600 < width < 2000


def test_an_empty_frame_is_left_out():
    image = synthetic_image((200, 200))
    valid = np.zeros((200, 200), dtype=bool)
    valid[90:110, 90:110] = True
    small = replace(image, valid=valid)
    picture = plate(small, crisp(small))
    assert count(picture, MISSING) == 0


def test_twelve_topics_fit_on_a_plate():
    image = synthetic_image((60, 60))
    picture = plate(image, crisp(image, 12), [f"topic {number}" for number in range(1, 13)])
    for colour in topic_colours(12):
        assert count(picture, colour) > 100


def test_pixels_that_are_not_square_are_drawn_in_true_proportion():
    from pmlda_gui.workspace.export.plates import _arrange

    square = Image(np.ones((60, 90), np.float32), np.ones((60, 90), bool), 0.5, pixel_height=0.5)
    tall = replace(square, pixel_height=2.0)
    assert tall.aspect == 4.0
    plates = [plate(each, crisp(each)) for each in (square, tall)]
    assert plates[0].shape != plates[1].shape
    layout = _arrange(5, (60 * tall.aspect, 90))
    assert layout.height / layout.width == pytest.approx(60 * 2.0 / (90 * 0.5), rel=0.03)
