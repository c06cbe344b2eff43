"""Topics that lie where former ones lay take over their numbers, and so their names."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import Scene, make_survey
from pmlda_gui.workspace.preparation import prepare
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.topic_matching import FormerTopics, TopicRecord, recognise
from tests.workspace.small_runs import COARSE, FIELD, LATTICE

IMAGE = Image(np.zeros((4, 6), np.float32), np.ones((4, 6), np.bool_))
OTHER = Image(np.zeros((4, 6), np.float32), np.ones((4, 6), np.bool_))


def topic_record(
    ids: tuple[int, ...], covered: tuple[str, ...], image: Image = IMAGE, features: str = "mean"
) -> TopicRecord:
    """Topics that cover some of the places a to f, and whose mean is the first of these."""
    rows = [[1.0 if place in each else 0.0 for place in "abcdef"] for each in covered]
    maps = np.repeat(np.array(rows, np.float32)[:, None], 4, axis=1)
    maps /= maps.sum(axis=0)
    means = np.array([["abcdef".index(each[0])] for each in covered], np.float64)
    return TopicRecord(ids, means, (features,), (image,), (maps,))


def seen(*former_topics: TopicRecord) -> FormerTopics:
    former = FormerTopics()
    for each in former_topics:
        former.note(each)
    return former


def test_topics_in_another_order_keep_their_numbers() -> None:
    former = seen(topic_record((4, 0, 2), ("ab", "cd", "ef")))
    assert recognise(topic_record((0, 1, 2), ("ef", "ab", "cd")), former) == (2, 4, 0)


def test_where_no_image_is_common_the_means_decide() -> None:
    former = seen(topic_record((4, 0, 2), ("ab", "cd", "ef")))
    assert recognise(topic_record((0, 1, 2), ("ef", "ab", "cd"), OTHER), former) == (2, 4, 0)


def test_without_common_image_or_feature_nothing_is_recognised() -> None:
    former = seen(topic_record((4, 0, 2), ("ab", "cd", "ef")))
    present = topic_record((0, 1, 2), ("ef", "ab", "cd"), OTHER, "entropy")
    assert recognise(present, former) == (5, 6, 7)


def test_a_topic_that_lies_where_none_lay_gets_a_number_never_given() -> None:
    former = seen(topic_record((0, 1), ("ab", "cdef")))
    assert recognise(topic_record((0, 1, 2), ("ab", "cde", "f")), former) == (0, 1, 2)
    assert recognise(topic_record((0, 1, 2), ("f", "ab", "cde")), former) == (2, 0, 1)


def test_a_name_does_not_walk_to_another_seabed_by_way_of_a_mixture() -> None:
    former = seen(topic_record((0, 1, 2), ("ab", "cd", "ef")))
    former.take_given({0: "sand", 1: "ripple", 2: "rock"})
    former.note(topic_record((0, 1, 2), ("ab", "cd", "ef")))
    # With two topics "ripple" covers rock as well; then the rock is told apart again.
    former.note(topic_record((0, 1), ("ab", "cdef")))
    present = topic_record((0, 1, 3), ("ab", "ef", "cd"))
    assert recognise(present, former, own=(0, 1, 3), fresh=(3,)) == (0, 2, 1)


def test_a_name_is_missing_rather_than_on_another_seabed() -> None:
    former = seen(topic_record((0, 1, 2), ("ab", "cd", "ef")))
    former.take_given({0: "sand", 1: "ripple", 2: "rock"})
    former.note(topic_record((0, 1, 2), ("ab", "cd", "ef")))
    # The chain has led topic 2 away, and none lies on the rock.
    present = topic_record((0, 1, 2), ("abef", "c", "d"))
    assert recognise(present, former, own=(0, 1, 2), settled=False) == (0, 1, 2)
    assert recognise(present, former, own=(0, 1, 2)) == (0, 1, 3)


def test_a_name_goes_to_the_topic_that_lies_there_though_another_had_its_number() -> None:
    former = seen(topic_record((0, 1, 2), ("ab", "cd", "ef")))
    former.take_given({1: "ripple"})
    # Topic 5, which nobody named, was there for a while and has most of the ripple.
    former.note(topic_record((0, 1, 2, 5), ("ab", "cd", "ef", "cd")))
    present = topic_record((0, 1, 2, 5), ("ab", "ef", "ef", "cd"))
    assert recognise(present, former, own=(0, 1, 2, 5))[3] == 1


def test_a_name_moves_to_the_larger_part_of_its_seabed() -> None:
    former = seen(topic_record((0, 1), ("abcde", "f")))
    present = topic_record((0, 1, 2), ("ab", "f", "cde"))
    assert recognise(present, former, own=(0, 1, 2)) == (0, 1, 2)
    former.take_given({0: "sand"})
    former.note(topic_record((0, 1), ("abcde", "f")))
    assert recognise(present, former, own=(0, 1, 2))[2] == 0


def test_a_name_that_is_given_belongs_to_where_its_topic_lies_then() -> None:
    former = seen(topic_record((0, 1), ("abc", "def")))
    former.take_given({1: "rock"})
    assert former.lacks((1,))
    former.note(topic_record((0, 1), ("def", "abc")))
    assert not former.lacks((1,))
    assert recognise(topic_record((0, 1), ("abc", "def")), former)[0] == 1


def test_a_place_moves_with_its_topic_but_never_to_the_place_of_another() -> None:
    former = seen(topic_record((0, 1), ("abc", "def")))
    former.note(topic_record((0, 1), ("abcd", "ef")))
    former.note(topic_record((0, 1), ("bcd", "aef")))
    assert recognise(topic_record((0, 1), ("aef", "bcd")), former) == (1, 0)
    former.note(topic_record((0, 1), ("def", "abc")))
    assert recognise(topic_record((0, 1), ("def", "abc")), former) != (0, 1)


def test_many_small_moves_do_not_take_a_name_from_where_it_was_given() -> None:
    former = FormerTopics()
    former.take_given({0: "sand", 1: "rock"})
    former.note(topic_record((0, 1), ("abc", "def")))
    # Two thirds and more are common to each step and the one before.
    for covered in (("abcd", "ef"), ("bcd", "aef"), ("bcde", "af"), ("cde", "abf")):
        former.note(topic_record((0, 1), covered))
    assert recognise(topic_record((0, 1), ("def", "abc")), former, (0, 1)) == (1, 0)


def test_a_number_that_the_chain_makes_up_again_is_not_taken_for_the_former_one() -> None:
    former = seen(topic_record((0, 1, 2), ("ab", "cd", "ef")))
    present = topic_record((0, 1, 2), ("a", "cdef", "b"))
    assert recognise(present, former, own=(0, 1, 2)) == (0, 1, 2)
    assert recognise(present, former, own=(0, 1, 2), fresh=(2,)) == (0, 1, 3)


def test_places_that_nobody_named_are_forgotten_in_time() -> None:
    former = seen(topic_record((0, 1), ("abc", "def")))
    former.take_given({0: "sand"})
    for number in range(2, 100):
        former.note(topic_record((number, number + 1), ("abc", "def")))
    assert 0 in former.places
    assert 1 not in former.places
    assert len(former.places) < 40
    assert former.next_id == 101


def test_a_number_that_was_lost_comes_back_with_its_seabed() -> None:
    # The second of three was split in two, and of the halves the one with its number went.
    former = seen(
        topic_record((0, 1, 2), ("ab", "cd", "ef")),
        topic_record((0, 1, 2, 3), ("ab", "c", "ef", "d")),
    )
    present = topic_record((0, 1, 2), ("ab", "ef", "cd"))
    assert recognise(present, former, own=(0, 2, 3)) == (0, 2, 1)


def test_of_two_halves_the_one_that_has_the_number_keeps_it() -> None:
    former = seen(topic_record((0, 1, 2), ("ab", "cd", "ef")))
    present = topic_record((0, 1, 2, 3), ("ab", "d", "ef", "c"))
    assert recognise(present, former, own=(0, 1, 2, 3)) == (0, 1, 2, 3)


@cache
def survey() -> tuple[Scene, ...]:
    return make_survey(2, "demo", (160, 150), seed=1)


def seabeds(running: Run, image: int = 0) -> dict[int, int]:
    """Which true seabed each topic lies on, by the topic's number."""
    maps = running.maps("mean", image)
    assert maps is not None
    truth = survey()[image].memberships
    found = {}
    for number, levels in zip(running.topic_ids, maps.memberships, strict=True):
        likeness = [np.corrcoef(levels.ravel(), each.ravel())[0, 1] for each in truth]
        found[number] = int(np.argmax(likeness))
    return found


@pytest.mark.parametrize("seed", [0, 3])
def test_names_stay_on_their_seabed_whatever_chain_follows(seed: int) -> None:
    images = [scene.image for scene in survey()]
    alone, both = (prepare(images[:count], LATTICE, COARSE) for count in (1, 2))
    first = Run(alone, FIELD, seed=seed, threads=1)
    first.number_topics((2, 0, 1))
    first.sweep(60)
    wanted = seabeds(first)
    assert sorted(wanted.values()) == [0, 1, 2]
    former = first.numbering.former_topics.copy()
    former.note(first.topic_record())
    for prepared in (alone, both):
        again = Run(prepared, FIELD, seed=seed + 20, threads=1, former=former)
        again.sweep(60)
        for image in range(len(prepared.images)):
            assert seabeds(again, image) == wanted
    for topics in (4, 3, 2, 3, 5, 3):
        first.set_parameters(replace(FIELD, topics=topics))
        first.sweep(100)
        found = seabeds(first)
        known = [number for number in wanted if number in found]
        # With two topics one seabed has none of its own, so nothing is said of names there.
        assert topics == 2 or all(found[number] == wanted[number] for number in known)
        assert len(known) >= min(topics, 3) - 1
