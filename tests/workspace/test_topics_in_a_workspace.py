"""A run under topics from elsewhere: saved, repeated, undone and exported as any other."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.errors import NotGeoreferencedWarning

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace import archive, bookmarks
from pmlda_gui.workspace.batch.options import settings_from
from pmlda_gui.workspace.export import write_results
from pmlda_gui.workspace.preparation import DocumentChoice, Prepared, prepare
from pmlda_gui.workspace.replay import open_entries, replay, resume
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.run_result import result_of
from pmlda_gui.workspace.session import Session, TopicLook
from pmlda_gui.workspace.topic_set import TopicSet
from pmlda_gui.workspace.topic_source import topics_of
from pmlda_gui.workspace.undo_states import KeptStates
from tests.workspace.small_runs import LATTICE, assert_same, field_run, stored_session

GIVEN = (0, 1, 2)


@cache
def topics() -> TopicSet:
    """Topics of the small image, one of them named."""
    run = field_run(40)
    found = topics_of(run, Session(topics=(TopicLook(1, "ripples", (9, 8, 7)),)))
    run.close()
    return found


def using(folder: Path, **changes: object) -> Session:
    """A session on the small image that uses the topics, as the window makes it."""
    recipe = settings_from(topics_from=topics(), seed=5).recipe
    looks = {"given": topics(), "topics": topics().looks}
    return stored_session(folder, **{**vars(recipe), **looks, **changes})


def prepared_for(session: Session) -> Prepared:
    images = open_entries(session.images)
    return prepare(
        images, session.features, session.documents, seed=session.seed, given=session.given
    )


def begun(session: Session, sweeps: int) -> Run:
    run = Run(prepared_for(session), session.parameters, seed=session.seed, threads=1)
    run.sweep(sweeps)
    return run


def means_of(run: Run) -> np.ndarray:
    return run.chain.state.means


@pytest.mark.parametrize("again", [resume, replay])
def test_a_saved_run_under_given_topics_comes_back_bit_for_bit(tmp_path, again):
    session = using(tmp_path)
    run = begun(session, 12)
    # One is released and a fourth is learned; both are journalled as changes like any other.
    released = replace(run.parameters, topics=4, held=(0, 2))
    run.set_parameters(released)
    run.sweep(8)
    np.testing.assert_array_equal(means_of(run)[[0, 2]], topics().mean_words[[0, 2]])
    assert not np.array_equal(means_of(run)[1], topics().mean_words[1])
    path = tmp_path / "work.pmlda"
    archive.save(path, session.replace(parameters=released), run)
    loaded = archive.load(path)
    assert loaded.session.given == topics()
    back = again(loaded, threads=1)
    assert back.prepared.given == topics()
    assert_same(run, back)
    run.sweep(3)
    back.sweep(3)
    assert_same(run, back)


def test_a_restart_with_more_topics_begins_from_those_given(tmp_path):
    session = using(tmp_path)
    parameters = replace(session.parameters, topics=4)
    run = begun(session.replace(parameters=parameters), 3)
    assert run.topic_ids == (0, 1, 2, 3)
    np.testing.assert_array_equal(means_of(run)[:3], topics().mean_words)
    run.close()


def test_one_step_back_brings_the_run_before_and_its_numbers(tmp_path):
    plain = stored_session(tmp_path, features=LATTICE, documents=DocumentChoice("grid", 12))
    plain = plain.replace(parameters=Parameters(3, smoothness=0.7, coupling=1.0))
    images = open_entries(plain.images)
    states = KeptStates()
    ours = prepare(images, plain.features, plain.documents, seed=plain.seed)
    before = states.begin(ours, plain, plain)
    before.sweep(15)
    maps = before.segmentations()[0].memberships
    ids = before.topic_ids
    states.expect(plain)
    used = using(tmp_path).replace(images=plain.images)
    theirs = prepare(images, used.features, used.documents, seed=5, given=used.given)
    after = states.begin(theirs, used, used, states.awaited)
    after.sweep(5)
    # Whatever lay at these places before, topics from a file have the numbers of its order.
    assert after.topic_ids == GIVEN
    back = states.begin(ours, plain, plain, states.awaited)
    assert back.topic_ids == ids
    # The places of topics that are numbered otherwise are not mixed up with its own.
    assert back.numbering.former_topics is before.numbering.former_topics
    assert after.numbering.former_topics is not before.numbering.former_topics
    np.testing.assert_array_equal(back.segmentations()[0].memberships, maps)


def test_held_topics_keep_their_numbers_wherever_former_ones_lay(tmp_path):
    session = using(tmp_path)
    run = begun(session, 1)
    run.numbering.former_topics.take_given(dict.fromkeys(GIVEN, "named"))
    run.numbering.note(run.topic_record)
    # As if the topics had changed places since they were noted.
    places = run.numbering.former_topics.places
    places[0], places[2] = places[2], places[0]
    run.sweep(400)
    assert run.topic_ids == GIVEN
    run.close()


def test_a_bookmark_and_an_export_state_the_topics_and_map_the_unknown(tmp_path):
    session = using(tmp_path)
    run = begun(session, 30)
    kept, arrays = bookmarks.keep("one", session, run)
    assert kept.session.given == topics()
    state = bookmarks.kept_state(kept, arrays)
    assert state is not None
    assert state.journal.topics_of(state.journal.preparation) == topics()
    result = result_of(run, session)
    write_results(result, tmp_path / "out")
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["settings"]["topics_digest"] == topics().told["topics_digest"]
    assert result.topic_names == tuple(look.name for look in topics().looks)
    with (
        pytest.warns(NotGeoreferencedWarning),
        rasterio.open(tmp_path / "out" / "seabed_unknown.tif") as raster,
    ):
        assert raster.read(1, masked=True).mean() < 0.1
    assert any("unknown" in text for text in result.warnings)
    run.close()


def test_topics_kept_from_a_run_that_holds_them_are_measured_as_they_were(tmp_path):
    session = using(tmp_path)
    run = begun(session, 5)
    again = topics_of(run, session)
    run.close()
    assert again.levels == topics().levels
    assert again.distances == topics().distances
    assert again.mean_words == pytest.approx(topics().mean_words)
    assert [look.name for look in again.looks] == [look.name for look in topics().looks]


@pytest.mark.parametrize("damage", ["gone", "not bytes", "not topics"])
def test_a_journal_whose_topics_are_damaged_is_refused_with_a_sentence(tmp_path, damage):
    run = begun(using(tmp_path), 1)
    journal = run.journal
    digest = run.prepared.preparation.given
    run.close()
    damaged = {
        "gone": {},
        "not bytes": {digest: np.zeros((2, 2), np.int32)},
        "not topics": {digest: np.frombuffer(b"{}", np.uint8)},
    }[damage]
    journal.label_maps = damaged
    with pytest.raises(PmldaError, match=r"\.$"):
        journal.topics_of(journal.preparation)


def test_features_measured_for_other_topics_are_not_taken_over(tmp_path):
    session = using(tmp_path)
    images = open_entries(session.images)
    own = prepare(images, session.features, session.documents, seed=5)
    levels = tuple((low, 2.0 * high) for low, high in topics().levels)
    other = replace(topics(), levels=levels)
    theirs = prepare(images, session.features, session.documents, seed=5, previous=own, given=other)
    assert theirs.features is not own.features
    assert theirs.documents is own.documents
