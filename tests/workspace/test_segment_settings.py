"""What may be asked for, as Python values or as text, and what is refused with a sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.samplers import SAMPLERS
from pmlda_gui.workspace import recipe as recipe_names
from pmlda_gui.workspace.batch.options import settings_from, settings_from_names
from pmlda_gui.workspace.batch.results import topic_order
from pmlda_gui.workspace.choices import DocumentChoice, FeatureChoice
from pmlda_gui.workspace.recipe import Recipe
from tests.workspace.synthetic_results import synthetic_image


def test_the_defaults_learn_everything():
    parameters = settings_from().recipe.parameters
    assert parameters.topics == 3
    assert parameters.scaling is None
    assert parameters.proportions is None


def test_text_and_numbers_mean_the_same():
    text = settings_from(alpha="1,2,3", scaling="30", proportions="0.2,0.3,0.5")
    numbers = settings_from(alpha=(1, 2, 3), scaling=30.0, proportions=(0.2, 0.3, 0.5))
    assert text.recipe == numbers.recipe


def test_numbers_that_may_be_automatic_may_be_text_too():
    text = settings_from(topics="4", feature_scale="2")
    assert (text.recipe.parameters.topics, text.recipe.features.scale) == (4, 2.0)
    assert text.automatic == {"features", "window", "documents"}
    automatic = settings_from(topics="auto", feature_scale="auto", proportions="uniform")
    assert (automatic.recipe.parameters.topics, automatic.recipe.features.scale) == (3, 1.0)
    assert automatic.automatic == {"features", "window", "documents", "scale", "topics"}
    chosen = automatic.with_topics(5).with_scale(0.5)
    assert chosen.recipe.parameters.proportions == (0.2,) * 5
    assert chosen.recipe.features.scale == 0.5
    assert chosen.automatic == {"features", "window", "documents"}


def test_uniform_proportions_are_equal_for_all_topics():
    assert (
        settings_from(topics=4, proportions="uniform").recipe.parameters.proportions == (0.25,) * 4
    )


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
    means = np.array([[2.0], [3.0], [1.0]])
    order = topic_order(means, settings_from(**settings).recipe.parameters)
    assert order.tolist() == ([2, 0, 1] if interchangeable else [0, 1, 2])


def test_features_are_a_preset_or_names():
    assert settings_from(features="paper-sas").recipe.features.names == "paper-sas"
    assert settings_from(features="mean, std").recipe.features.names == ("mean", "std")
    assert settings_from(features=["mean"]).recipe.features.names == ("mean",)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"sweeps": 5, "seconds": 2.0}, "both given"),
        ({"sweeps": 0}, "sweeps is 0"),
        ({"seconds": -1.0}, "seconds is -1"),
        ({"chains": 0}, "chains is 0"),
        ({"threads": 0}, "threads is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"estimate": "best"}, "no estimate 'best': choose mean"),
        ({"sampler": "nuts"}, "no sampler 'nuts': choose one of fast"),
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
        settings_from_names(settings)
    assert str(refusal.value).endswith(".")


def test_a_label_map_in_a_file_serves_every_image_of_its_size(tmp_path):
    labels = np.repeat(np.arange(4, dtype=np.uint8), 12)[:, None] * np.ones((1, 40), np.uint8)
    np.save(tmp_path / "drawn.npy", labels)
    settings = settings_from(documents=tmp_path / "drawn.npy")
    assert settings.recipe.documents.kind == "labels"
    first, second = settings.maps_for([synthetic_image(), synthetic_image(seed=1)])
    assert np.array_equal(first, labels)
    assert np.array_equal(second, labels)
    with pytest.raises(PmldaError, match=r"40 x 48 pixels, but line 7.tif has 40 x 50"):
        settings.maps_for([synthetic_image((50, 40))])


def test_label_maps_may_be_arrays():
    labels = np.zeros((48, 40), dtype=np.int32)
    assert settings_from(documents=labels).maps_for([synthetic_image()])[0] is labels
    both = settings_from(documents=[labels, labels + 1]).maps_for([synthetic_image()] * 2)
    assert both[1].max() == 1


def test_documents_that_are_neither_a_kind_nor_a_file_are_refused():
    with pytest.raises(PmldaError, match=r"'voronoi' are neither one of slic"):
        settings_from(documents="voronoi").maps_for([synthetic_image()])


def test_settings_fit_into_json(tmp_path):
    settings = settings_from(alpha=(1, 2, 3), documents=tmp_path, features=("mean",))
    values = json.loads(json.dumps({**settings.recipe.to_options(), **settings.asked()}))
    assert values["alpha"] == [1, 2, 3]
    assert values["documents"] == str(tmp_path)


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(),
        Recipe(
            FeatureChoice(("mean", "std"), 9, scale=0.5, lattice=3),
            DocumentChoice("window", 7, window=20, stride=10),
            parameters=Parameters(4, (1.0, 2.0, 3.0, 4.0), 0.3, 30.0, 1.5, (0.1, 0.2, 0.3, 0.4)),
            sampler="paper",
            seed=9,
            estimate="map",
        ),
    ],
)
def test_the_options_that_a_recipe_is_told_by_lead_back_to_it(recipe):
    options = json.loads(json.dumps(recipe.to_options()))
    assert settings_from_names(options).recipe == recipe
    assert not settings_from_names(options).automatic


def test_a_recipe_knows_the_samplers_that_there_are():
    assert tuple(SAMPLERS) == recipe_names.SAMPLERS
