"""What may be asked for, as Python values or as text, and what is refused with a sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.batch.settings import Settings
from tests.workspace.synthetic_results import synthetic_image


def test_the_defaults_learn_everything():
    parameters = Settings().parameters
    assert parameters.topics == 3
    assert parameters.scaling is None
    assert parameters.proportions is None


def test_text_and_numbers_mean_the_same():
    text = Settings(alpha="1,2,3", scaling="30", proportions="0.2,0.3,0.5")
    numbers = Settings(alpha=(1, 2, 3), scaling=30.0, proportions=(0.2, 0.3, 0.5))
    assert text.parameters == numbers.parameters


def test_numbers_that_may_be_automatic_may_be_text_too():
    text = Settings(topics="4", feature_scale="2")
    assert (text.topics, text.feature_scale) == (4, 2.0)
    assert text.parameters.topics == 4
    assert text.choices([])[0].scale == 2.0
    automatic = Settings(topics="auto", feature_scale="auto", proportions="uniform")
    assert (automatic.parameters.topics, automatic.choices([])[0].scale) == (3, 1.0)


def test_uniform_proportions_are_equal_for_all_topics():
    assert Settings(topics=4, proportions="uniform").parameters.proportions == (0.25,) * 4


@pytest.mark.parametrize(
    ("settings", "interchangeable"),
    [
        ({}, True),
        ({"proportions": "uniform"}, True),
        ({"alpha": "1,1,1"}, True),
        ({"alpha": "1,2,3"}, False),
        ({"proportions": "0.2,0.3,0.5"}, False),
    ],
)
def test_topics_may_be_renumbered_only_if_their_priors_are_alike(settings, interchangeable):
    assert Settings(**settings).topics_interchangeable is interchangeable


def test_features_are_a_preset_or_names():
    assert Settings(features="paper-sas").choices([])[0].names == "paper-sas"
    assert Settings(features="mean, std").choices([])[0].names == ("mean", "std")
    assert Settings(features=["mean"]).choices([])[0].names == ("mean",)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"sweeps": 5, "seconds": 2.0}, "both given"),
        ({"sweeps": 0}, "sweeps is 0"),
        ({"seconds": -1.0}, "seconds is -1"),
        ({"chains": 0}, "chains is 0"),
        ({"threads": 0}, "threads is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"estimate": "best"}, "estimate is best, but must be mean"),
        ({"sampler": "nuts"}, "sampler is nuts"),
        ({"alpha": "many"}, "alpha is 'many'"),
        ({"scaling": "little"}, "scaling is 'little'"),
        ({"proportions": "0.5,0.5"}, "2 values, but there are 3 topics"),
        ({"topics": 1}, "topics is 1"),
        ({"topics": "many"}, "topics is 'many', but must be a whole number, or auto"),
        ({"topics": "auto", "alpha": "1,2,3"}, "how many topics there are is to be chosen"),
        ({"topics": "auto", "proportions": "0.5,0.5"}, "give the number of topics"),
        ({"feature_scale": "large"}, "feature_scale is 'large', but must be a number, or auto"),
        ({"feature_scale": "0"}, "cannot be measured at scale 0"),
        ({"window": 20}, "no sliding windows"),
        ({"colour": 3}, "no setting 'colour'"),
    ],
)
def test_what_cannot_be_is_refused_before_any_image_is_read(settings, complaint):
    with pytest.raises(PmldaError, match=complaint) as refusal:
        Settings.from_names(settings)
    assert str(refusal.value).endswith(".")


def test_a_label_map_in_a_file_serves_every_image_of_its_size(tmp_path):
    labels = np.repeat(np.arange(4, dtype=np.uint8), 12)[:, None] * np.ones((1, 40), np.uint8)
    np.save(tmp_path / "drawn.npy", labels)
    settings = Settings(documents=tmp_path / "drawn.npy")
    assert settings.choices([])[1].kind == "labels"
    first, second = settings.label_maps([synthetic_image(), synthetic_image(seed=1)])
    assert np.array_equal(first, labels)
    assert np.array_equal(second, labels)
    with pytest.raises(PmldaError, match=r"40 x 48 pixels, but line 7.tif has 40 x 50"):
        settings.label_maps([synthetic_image((50, 40))])


def test_label_maps_may_be_arrays():
    labels = np.zeros((48, 40), dtype=np.int32)
    assert Settings(documents=labels).label_maps([synthetic_image()])[0] is labels
    both = Settings(documents=[labels, labels + 1]).label_maps([synthetic_image()] * 2)
    assert both[1].max() == 1


def test_documents_that_are_neither_a_kind_nor_a_file_are_refused():
    with pytest.raises(PmldaError, match=r"'voronoi' are neither one of slic"):
        Settings(documents="voronoi").label_maps([synthetic_image()])


def test_settings_fit_into_json(tmp_path):
    settings = Settings(alpha=(1, 2, 3), documents=tmp_path, features=("mean",))
    values = json.loads(json.dumps(settings.to_values()))
    assert values["alpha"] == [1, 2, 3]
    assert values["documents"] == str(tmp_path)
