"""What images suggest: as many topics as kinds of seabed, and windows that fit their texture."""

from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import Bands, FlatSand, Ripples, SeabedSpec, Transition, make_scene
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from pmlda_gui.workspace.suggestions import suggest_scale, suggest_topics

GRID = DocumentChoice("grid", 9)
BRIGHT, DARK = FlatSand("bright", level=0.6), FlatSand("dark", level=0.15)


def seabed(*textures, width: float = 40) -> Image:
    spec = SeabedSpec("made", "Made.", textures, Bands(20.0), Transition(width))
    return make_scene(spec, shape=(300, 280), seed=2).image


def long_ripples(direction: float) -> Ripples:
    """Ripples of 50 pixels, longer than any wave that is looked for at scale 1."""
    return Ripples(level=0.4, frequency=0.8, direction=direction, contrast=0.8, bend=0.1)


@pytest.mark.parametrize(
    "textures",
    [(BRIGHT, DARK), (BRIGHT, Ripples(), DARK)],
    ids=["two sands", "sands and ripples"],
)
def test_there_are_as_many_topics_as_kinds_of_seabed(textures) -> None:
    found = suggest_topics(prepare([seabed(*textures)], FeatureChoice(), GRID))
    assert found.topics == len(textures)
    assert found.reason.startswith(f"{len(textures)} topics: ")
    assert list(found.eigenvalues) == sorted(found.eigenvalues, reverse=True)
    assert len(found.eigenvalues) == 7


@pytest.mark.parametrize("pixels", [np.full((90, 80), 0.3), np.zeros((1, 1))], ids=["even", "one"])
def test_an_image_without_any_difference_gets_the_fewest_topics(pixels) -> None:
    image = Image(pixels.astype(np.float32), np.ones(pixels.shape, np.bool_))
    found = suggest_topics(prepare([image], FeatureChoice(("mean",), 5), DocumentChoice("grid", 1)))
    assert found.topics == 2
    assert "single kind of seabed" in found.reason


def test_speckle_alone_is_a_single_kind_of_seabed() -> None:
    found = suggest_topics(prepare([seabed(FlatSand(mottle=0.0))], FeatureChoice(), GRID))
    assert found.topics == 2
    assert max(found.eigenvalues) < 5.0


def test_texture_longer_than_the_windows_suggests_larger_ones() -> None:
    image = seabed(long_ripples(0.0), long_ripples(90.0))
    found = suggest_scale([image], FeatureChoice(), 2)
    assert found.scale == 2.0
    assert max(found.scores, key=found.scores.get) == 2.0
    assert "windows of 61 pixels than in windows of 31" in found.reason


def test_the_scale_stays_unless_another_is_clearly_better() -> None:
    image = seabed(BRIGHT, Ripples(), DARK)
    found = suggest_scale([image], FeatureChoice(), 3)
    assert found.scale == 1.0
    assert set(found.scores) == {0.5, 1.0, 2.0}
    assert found.reason.startswith("Scale 1, as before: ")


def test_scales_are_tried_around_the_present_one() -> None:
    image = seabed(long_ripples(0.0), long_ripples(90.0))
    found = suggest_scale([image], FeatureChoice(scale=2.0), 2)
    # The image has no room for words a window of scale 4 apart.
    assert set(found.scores) == {1.0, 2.0}
    assert found.scale == 2.0


def test_features_for_fine_texture_keep_their_scale_and_count_topics_too() -> None:
    image = seabed(long_ripples(0.0), long_ripples(90.0))
    found = suggest_scale([image], FeatureChoice("seabed-fine"), 2)
    assert (found.scale, dict(found.scores)) == (1.0, {})
    assert "meant for the lengths they have" in found.reason
    sands = prepare([seabed(BRIGHT, DARK)], FeatureChoice("seabed-fine"), GRID)
    assert suggest_topics(sands).topics == 2


@pytest.mark.parametrize("shape", [(1, 1), (40, 30)])
def test_small_images_keep_their_scale(shape) -> None:
    image = Image(np.zeros(shape, np.float32), np.ones(shape, np.bool_))
    assert suggest_scale([image], FeatureChoice(), 3).scale == 1.0
    hidden = replace(image, valid=np.zeros(shape, np.bool_))
    found = suggest_scale([hidden], FeatureChoice(), 3)
    assert (found.scale, dict(found.scores)) == (1.0, {})


def test_looking_for_a_scale_reports_and_can_be_stopped() -> None:
    seen: list[float] = []
    image = seabed(BRIGHT, DARK)
    progress = Progress(lambda fraction, _: seen.append(fraction))
    suggest_scale([image], FeatureChoice(("mean", "std"), 9), 2, progress=progress)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    with pytest.raises(Cancelled, match="stopped"):
        suggest_scale([image], FeatureChoice(), 2, progress=Progress(is_cancelled=lambda: True))
