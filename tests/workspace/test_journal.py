"""The journal keeps how a run began and what changed when, and nothing that did not matter."""

import json

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace.change_texts import changes_of
from pmlda_gui.workspace.choices import DocumentChoice, FeatureChoice, Preparation
from pmlda_gui.workspace.journal import Entry, Journal

FEATURES, DOCUMENTS = FeatureChoice(("mean", "std"), 9), DocumentChoice("grid", 12)
LABELS = np.arange(6, dtype=np.int32).reshape(2, 3)


def filled() -> Journal:
    journal = Journal()
    maps = [LABELS, None]
    journal.record_start(
        Parameters(3), Preparation.of(FEATURES, DOCUMENTS, maps, 4), maps, "paper", 7
    )
    journal.record_parameters(3, Parameters(4, alpha=(1.0, 2.0, 3.0, 4.0)))
    journal.record_preparation(8, Preparation(FeatureChoice("seabed"), DOCUMENTS))
    journal.sweeps = 20
    return journal


def test_a_journal_survives_json() -> None:
    journal = filled()
    values = json.loads(json.dumps(journal.to_values()))
    again = Journal.from_values(values, journal.label_maps)
    assert (again.start, again.entries, again.sweeps) == (journal.start, journal.entries, 20)
    assert again.to_values() == journal.to_values()


def test_only_the_last_of_several_changes_before_a_sweep_is_kept() -> None:
    journal = filled()
    for rate in (1.0, 2.0, 3.0):
        journal.record_parameters(9, Parameters(3, rate=rate))
        journal.record_preparation(9, Preparation(FEATURES, DocumentChoice("grid", int(rate))))
    kept = [entry for entry in journal.entries if entry.sweep == 9]
    assert [entry.parameters for entry in kept if entry.parameters] == [Parameters(3, rate=3.0)]
    assert [entry.preparation.documents.count for entry in kept if entry.preparation] == [3]


def test_label_maps_are_found_again_by_their_contents() -> None:
    journal = filled()
    assert journal.start is not None
    first, second = journal.labels_of(journal.start.preparation)
    np.testing.assert_array_equal(first, LABELS)
    assert second is None
    assert journal.labels_of(journal.entries[1].preparation) is None
    assert journal.digests == set(journal.label_maps)


def test_a_lost_label_map_is_a_sentence() -> None:
    journal = filled()
    journal.label_maps.clear()
    with pytest.raises(PmldaError, match="lacks a label map"):
        journal.labels_of(journal.start.preparation)


def test_a_copy_stays_as_it_was() -> None:
    journal = filled()
    copy = journal.copy()
    journal.record_parameters(30, Parameters(2))
    assert len(copy.entries) == 2
    assert copy.label_maps.keys() == journal.label_maps.keys()


def test_changes_that_wait_can_be_told_from_those_that_took_effect() -> None:
    assert [entry.sweep for entry in filled().before(8).entries] == [3]
    assert [entry.sweep for entry in filled().before(9).entries] == [3, 8]


@pytest.mark.parametrize(
    "values",
    [
        None,
        [],
        {},
        {"start": None, "changes": [{"sweep": -1}], "sweeps": 0},
        {"start": None, "changes": [{"sweep": 4}, {"sweep": 2}], "sweeps": 0},
        {"start": None, "changes": [{"sweep": "4"}], "sweeps": 0},
        {"start": {"parameters": {"topics": 3}}, "changes": [], "sweeps": 0},
        {"start": None, "changes": [], "sweeps": 1e9},
    ],
)
def test_a_damaged_journal_is_a_sentence(values: object) -> None:
    with pytest.raises(PmldaError):
        Journal.from_values(values)


def test_a_change_before_the_first_sweep_is_one_too() -> None:
    assert Entry(0, Parameters(2)).sweep == 0


def test_numbers_of_topics_are_kept_with_the_sweep_after_which_they_hold() -> None:
    journal = filled()
    journal.record_topic_ids(20, (4, 0, 2, 7))
    journal.record_topic_ids(20, (4, 0, 2, 5))
    values = json.loads(json.dumps(journal.to_values()))
    again = Journal.from_values(values, journal.label_maps)
    assert again.entries[-1].topic_ids == (4, 0, 2, 5)
    assert again.before(20).entries == again.entries, "they wait for no sweep"
    with pytest.raises(PmldaError, match="impossible way"):
        Entry(1, topic_ids=(0, 0))


def test_changes_are_told_in_words_with_the_first_sweep_that_saw_them() -> None:
    journal = filled()
    journal.record_parameters(20, Parameters(4, rate=2.0))
    assert [(each.from_sweep, each.what) for each in changes_of(journal)] == [
        (4, "topics 4, alpha 1 2 3 4"),
        (9, "features: names seabed, features: window 31"),
    ]
    journal.sweeps = 21
    assert changes_of(journal)[-1].from_sweep == 21
    assert "alpha 1, rate 2" in changes_of(journal)[-1].what
