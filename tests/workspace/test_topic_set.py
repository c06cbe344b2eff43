"""Files of topics: what is written is read again, and nothing is taken on trust."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.session import Session, TopicLook
from pmlda_gui.workspace.topic_distances import (
    TAIL_SHARES,
    hull_distances,
    reference_distances,
    tail_probabilities,
)
from pmlda_gui.workspace.topic_set import TopicSet, read_topics, topics_bytes
from pmlda_gui.workspace.topic_source import topics_of
from pmlda_gui.workspace.vocabulary import TopicCodes
from tests.workspace.small_runs import FIELD, LATTICE, field_run

LOOKS = (
    TopicLook(2, "rock", (1, 2, 3), codes=TopicCodes("S1.1.1", "9")),
    TopicLook(0, "sand", (4, 5, 6)),
)


@pytest.fixture(scope="module")
def found() -> tuple[TopicSet, np.ndarray]:
    run = field_run(10)
    means = run.chain.mean_draw.means
    topics = topics_of(run, Session(topics=LOOKS))
    run.close()
    return topics, means


@pytest.fixture(scope="module")
def topics(found):
    return found[0]


def test_topics_stand_in_the_operators_order_with_names_colours_and_codes(found):
    topics, means = found
    assert [look.name for look in topics.looks] == ["rock", "sand", "topic 2"]
    assert np.array_equal(topics.mean_words, means[[2, 0, 1]])
    assert topics.looks[0].codes.natsur_name == "rock"
    assert (topics.features, topics.feature_names) == (LATTICE, ("mean", "std"))
    assert replace(topics.parameters, held=()) == FIELD


def test_a_file_of_topics_is_read_as_it_was_written(tmp_path, topics):
    path = tmp_path / "seabed.topics"
    path.write_bytes(topics_bytes(replace(topics, gain={"table": [1.0, 2.0]})))
    again = read_topics(path)
    assert again == replace(topics, gain={"table": [1.0, 2.0]})
    assert np.array_equal(again.standardisation.mixing, topics.standardisation.mixing)
    assert b"pickle" not in path.read_bytes()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda v: v.update(format="tops"), "no file of topics"),
        (lambda v: v.update(version=2), "another version"),
        (lambda v: v["topics"].pop("means"), "lacks 'means'"),
        (lambda v: v["topics"].update(variance=-1.0), "impossible values"),
        (lambda v: v["topics"].update(variance="x"), "must be a finite number"),
        (lambda v: v["topics"].update(scale=[1.0, 0.0]), "impossible values"),
        (lambda v: v["topics"].update(mixing=[[0.0, 0.0], [0.0, 0.0]]), "impossible values"),
        (lambda v: v["topics"].update(means=[[1.0, 2.0]]), "do not fit together"),
        (lambda v: v["topics"]["looks"][0]["codes"].update(cmecs="S9"), "no CMECS substrate"),
        (lambda v: v["topics"].update(more=1), "unknown entry 'more'"),
        (lambda v: v.update(topics=[]), "must be a table"),
    ],
)
def test_a_damaged_file_is_refused_in_a_sentence(tmp_path, topics, change, sentence):
    values = json.loads(topics_bytes(topics))
    change(values)
    path = tmp_path / "bad.topics"
    path.write_text(json.dumps(values))
    with pytest.raises(PmldaError, match=sentence):
        read_topics(path)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 5000, b"[" + b"0," * 300_000 + b"0]", b'{"a": NaN}']
)
def test_what_is_no_json_or_too_much_of_it_is_refused(tmp_path, content):
    path = tmp_path / "bad.topics"
    path.write_bytes(content)
    with pytest.raises(PmldaError, match="no file of topics"):
        read_topics(path)


def test_a_missing_or_huge_file_is_refused(tmp_path):
    with pytest.raises(PmldaError, match="There is no file of topics"):
        read_topics(tmp_path / "none.topics")
    huge = tmp_path / "huge.topics"
    with huge.open("wb") as stream:
        stream.truncate(5 * 2**20)
    with pytest.raises(PmldaError, match="too large"):
        read_topics(huge)


def test_distances_are_those_from_the_hull_of_the_means():
    means = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    words = np.array([[1, 1], [2, -3], [-3, -4], [4, 4], [0, 0]], float).T
    assert hull_distances(words, means) == pytest.approx([0, 9, 25, 8, 0])


def test_many_topics_give_the_distances_that_all_faces_give():
    rng = np.random.default_rng(0)
    means, words = rng.standard_normal((6, 3)), 2 * rng.standard_normal((3, 200))
    exact = hull_distances(words, means)
    # A seventh topic inside the hull of the others changes nothing, but the way to the answer.
    more = np.vstack([means, means.mean(axis=0)])
    assert hull_distances(words, more) == pytest.approx(exact, abs=2e-3)


def test_tail_probabilities_are_shares_of_the_scene_the_topics_came_from():
    rng = np.random.default_rng(0)
    plane = rng.exponential(size=(300, 300)).astype(np.float32)
    reference = reference_distances([plane])
    assert len(reference) == len(TAIL_SHARES)
    found = tail_probabilities(plane, reference)
    assert np.mean(found < 0.02) == pytest.approx(0.02, abs=0.002)
    assert tail_probabilities(np.array([1e9, np.nan, 0.0]), reference)[0] == 0.0
    assert np.isnan(tail_probabilities(np.array([np.nan]), reference)[0])
