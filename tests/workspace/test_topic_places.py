"""Where topics lay is saved, so that names find their seabed again after opening a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_survey
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.preparation import prepare
from pmlda_gui.workspace.replay import resume
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.session import ImageEntry, Session, TopicLook
from pmlda_gui.workspace.topic_matching import FormerTopics, TopicRecord, step_for
from pmlda_gui.workspace.topic_places import NO_PLACES, KeptPlaces, kept_places, restored_places
from tests.workspace.small_runs import COARSE, FIELD, LATTICE

SHAPE = (90, 83)


def image() -> Image:
    return Image(np.zeros(SHAPE, np.float32), np.ones(SHAPE, np.bool_))


def former_on(seabed: Image) -> FormerTopics:
    step = step_for(seabed.shape)
    maps = np.zeros((2, *np.zeros(seabed.shape)[::step, ::step].shape), np.float32)
    maps[0, :, :20] = maps[1, :, 20:] = 1.0
    maps[:, 0] = np.nan
    former = FormerTopics()
    former.note(TopicRecord((3, 7), np.array([[0.5], [2.0]]), ("mean",), (seabed,), (maps,)))
    return former


def test_places_are_the_same_after_writing_and_reading() -> None:
    seabed = image()
    former = former_on(seabed)
    kept = kept_places(former, (seabed,))
    read = KeptPlaces.from_values(kept.to_values(), kept.arrays())
    again = restored_places(read, (seabed,), ())
    assert list(again.places) == [3, 7]
    assert again.next_id == former.next_id == 8
    for number, place in former.places.items():
        found = again.places[number]
        np.testing.assert_allclose(found.maps[0][1], place.maps[0][1], atol=0.002)
        np.testing.assert_array_equal(found.mean, place.mean)
        assert found.feature_names == place.feature_names


def test_of_an_image_that_is_missing_or_has_another_size_only_the_means_are_left() -> None:
    seabed = image()
    kept = kept_places(former_on(seabed), (seabed,))
    other = Image(np.zeros((50, 50), np.float32), np.ones((50, 50), np.bool_))
    for there in (None, other):
        again = restored_places(kept, (there,), ())
        assert all(not place.maps for place in again.places.values())


def test_no_topic_gets_a_number_that_has_a_name() -> None:
    look = TopicLook(11, "rock", (1, 2, 3))
    former = restored_places(NO_PLACES, (), (look,))
    assert former.next_id == 12
    assert former.given == {11: look}
    survey = make_survey(1, "demo", (90, 80), seed=1)
    prepared = prepare([survey[0].image], LATTICE, COARSE)
    assert min(Run(prepared, FIELD, threads=1, former=former).topic_ids) == 12


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", -1),
        ("number", 10**9),
        ("number", 7),
        ("mean", [float("nan")]),
        ("mean", [1.0, 2.0]),
        ("features", "mean"),
    ],
)
def test_places_that_nobody_can_have_written_are_refused(name: str, value: object) -> None:
    seabed = image()
    kept = kept_places(former_on(seabed), (seabed,))
    values = kept.to_values()
    values["topics"][0][name] = value
    with pytest.raises(PmldaError):
        KeptPlaces.from_values(values, kept.arrays())


def test_maps_that_do_not_fit_the_places_are_refused() -> None:
    seabed = image()
    kept = kept_places(former_on(seabed), (seabed,))
    for levels in (np.zeros((3, 2, 2), np.uint8), np.zeros((2, 2, 2)), np.zeros(2, np.uint8)):
        with pytest.raises(PmldaError):
            KeptPlaces.from_values(kept.to_values(), {"image_0": levels})


def test_names_find_their_seabed_again_after_saving_with_fewer_topics(tmp_path: Path) -> None:
    """With two topics saved, the third comes back under its own name and not under another."""
    scene = make_survey(1, "demo", (160, 150), seed=1)[0]
    np.save(tmp_path / "line.npy", scene.image.pixels)
    prepared = prepare([scene.image], LATTICE, COARSE)
    running = Run(prepared, FIELD, seed=0, threads=1)
    running.sweep(60)

    def seabeds(run: Run) -> dict[int, int]:
        maps = run.maps("mean", 0)
        assert maps is not None
        likeness = [
            [np.corrcoef(levels.ravel(), each.ravel())[0, 1] for each in scene.memberships]
            for levels in maps.memberships
        ]
        return dict(zip(run.topic_ids, np.argmax(likeness, axis=1).tolist(), strict=True))

    wanted = seabeds(running)
    assert sorted(wanted.values()) == [0, 1, 2]
    looks = tuple(TopicLook(number, f"seabed {n}", (1, 2, 3)) for number, n in wanted.items())
    running.numbering.former_topics.take_given({look.id: look for look in looks})
    running.set_parameters(replace(FIELD, topics=2))
    running.sweep(100)
    session = Session(
        images=(ImageEntry.of_file(tmp_path / "line.npy"),),
        features=LATTICE,
        documents=COARSE,
        parameters=running.parameters,
        topics=looks,
    )
    archive.save(tmp_path / "work.pmlda", session, running)
    loaded = archive.load(tmp_path / "work.pmlda")
    again = resume(loaded, threads=1)
    again.set_parameters(FIELD)
    again.sweep(100)
    found = seabeds(again)
    assert found == wanted
    # Without the places the names would be given in whatever order the chain has.
    assert set(loaded.places.arrays()) == {"image_0"}
