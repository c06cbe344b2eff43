"""Whether texture is fine: the same seabed seen at coarse resolution is, as it is made is not."""

from __future__ import annotations

import numpy as np
import pytest
from skimage.transform import resize

from pmlda_gui.imagery.features import is_fine_grained
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.preparation import prepare

REDUCTION = 2.4


def reduced(image: Image) -> Image:
    """The image with pixels `REDUCTION` times as large."""
    shape = tuple(round(side / REDUCTION) for side in image.shape)
    pixels = resize(image.pixels.astype(np.float64), shape, anti_aliasing=True)
    return Image(pixels.astype(np.float32), np.ones(shape, np.bool_))


@pytest.mark.parametrize("name", ["demo", "crisp-bands", "widening", "very-wide"])
def test_texture_is_fine_only_where_pixels_are_coarse(name: str) -> None:
    scene = make_scene(name, shape=(864, 792), seed=3).image
    assert not is_fine_grained([scene])
    assert is_fine_grained([reduced(scene)])


def test_all_images_of_a_survey_decide_together() -> None:
    scene = make_scene("demo", shape=(864, 792), seed=3).image
    fine = reduced(scene)
    # Unequal seabeds at full resolution outweigh a coarse look at one of them.
    assert is_fine_grained([fine, fine])
    assert not is_fine_grained([scene, scene, fine])


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((1, 1)),
        np.zeros((400, 400)),
        np.full((400, 400), np.nan),
        np.random.default_rng(0).random((60, 50)),
        np.random.default_rng(0).random((1, 9000)),
    ],
    ids=["one pixel", "constant", "not numbers", "small", "one line"],
)
def test_what_cannot_tell_is_not_fine(pixels: np.ndarray) -> None:
    image = Image(pixels.astype(np.float32), np.ones(pixels.shape, np.bool_))
    assert not is_fine_grained([image])


def test_nodata_does_not_decide() -> None:
    scene = make_scene("demo", shape=(1104, 1008), seed=3).image
    for image, fine in ((scene, False), (reduced(scene), True)):
        valid = image.valid.copy()
        valid[:, : image.shape[1] // 5] = False
        holed = Image(np.where(valid, image.pixels, np.float32(9e9)), valid)
        assert is_fine_grained([holed]) == fine


def test_without_a_choice_what_is_measured_fits_the_texture() -> None:
    # Narrow, as strips of side-scan sonar are.
    scene = make_scene("demo", shape=(216, 3600), seed=3).image
    fine = prepare([reduced(scene)])
    assert fine.feature_choice.names == "seabed-fine"
    assert fine.feature_choice.window == 9
    assert fine.document_choice.count == 300
    assert "gabor_2.5" in fine.feature_names
    usual = prepare([make_scene("demo", shape=(360, 330), seed=3).image])
    assert usual.feature_choice.names == "seabed"
    assert usual.feature_choice.window == 31
    assert usual.document_choice.count == 50


def test_fine_texture_is_measured_as_usual_where_there_is_room() -> None:
    scene = reduced(make_scene("demo", shape=(864, 792), seed=3).image)
    assert is_fine_grained([scene])
    assert prepare([scene]).feature_choice.names == "seabed"
