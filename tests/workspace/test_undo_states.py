"""A run that was kept comes back as it was, within a budget of memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.bookmarks import keep, kept_state
from pmlda_gui.workspace.preparation import prepare
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.session import ImageEntry, Session
from pmlda_gui.workspace.undo_states import KeptStates, resume_state, state_of
from tests.workspace.small_runs import (
    COARSE,
    FIELD,
    FINE,
    LATTICE,
    assert_same,
    field_run,
    interrupt,
    prepared,
    run,
    stored_session,
)

SESSION = Session(parameters=FIELD, seed=5)


def assert_goes_on_alike(first: Run, second: Run) -> None:
    assert_same(first, second)
    for each in (first, second):
        each.sweep(3)
    assert_same(first, second)


def test_a_kept_run_comes_back_bit_for_bit() -> None:
    running = field_run(30)
    state = state_of(running)
    running.sweep(1)
    assert_goes_on_alike(resume_state(state, prepared(LATTICE), FIELD, threads=1), field_run(30))


def test_what_no_step_leads_to_any_more_is_let_go() -> None:
    states = KeptStates()
    sessions = [SESSION.replace(seed=seed) for seed in (1, 2, 3)]
    state = state_of(field_run(3))
    for session in sessions:
        states.put(session, state)
    assert states.nbytes == state.nbytes, "one state for many is held once"
    states.keep_only(sessions[1:2])
    assert [states.has(session) for session in sessions] == [False, True, False]
    states.keep_only([])
    assert states.nbytes == 0


def test_a_change_that_waited_is_not_part_of_what_is_kept() -> None:
    running = run(10)
    interrupt(running)
    running.set_parameters(Parameters(4))
    state = state_of(running)
    assert not state.journal.entries
    resumed = resume_state(state, prepared(), Parameters(3), threads=1)
    resumed.finish_sweep()
    assert_goes_on_alike(resumed, run(11))


def test_a_run_kept_before_its_documents_changed_is_given_them_afterwards() -> None:
    running = field_run(10)
    state = state_of(running)
    finer = prepared(LATTICE, FINE)
    resumed = resume_state(state, finer, FIELD, threads=1)
    assert resumed.prepared.document_choice == COARSE
    running.set_prepared(finer)
    for each in (running, resumed):
        each.sweep(2)
    assert resumed.prepared.document_choice == FINE
    assert_same(running, resumed)


def test_a_run_is_not_brought_back_on_other_images() -> None:
    others = prepare([make_scene("demo", (80, 70)).image], LATTICE, COARSE)
    with pytest.raises(PmldaError, match="other images"):
        resume_state(state_of(field_run(1)), others, FIELD)


def test_undo_finds_the_run_of_the_very_session_it_returns_to() -> None:
    states, session, other = KeptStates(), SESSION.replace(), SESSION.replace()
    running = states.adopt(field_run(20), session)
    states.expect(session)
    more = session.replace(parameters=replace(FIELD, topics=4))
    begun = states.begin(prepared(LATTICE), more, more, states.awaited)
    assert begun.sweeps == 0
    assert not states.has(other), "equal is not the same"
    begun.sweep(5)
    states.expect(more)
    back = states.begin(prepared(LATTICE), session, session, states.awaited)
    assert_same(back, running)
    again = states.begin(prepared(LATTICE), more, more, states.awaited)
    assert again.sweeps == 5
    assert again.topic_ids == begun.topic_ids


def test_the_oldest_states_go_when_memory_is_spent() -> None:
    running = field_run(5)
    size = state_of(running).nbytes
    states = KeptStates(most_bytes=2 * size + 1000)
    sessions = [SESSION.replace(restarts=number) for number in range(4)]
    for session in sessions:
        states.expect(session)
        states.take(states.awaited, running)
    assert [states.has(session) for session in sessions] == [False, False, True, True]


def test_a_state_on_a_lattice_is_small() -> None:
    assert state_of(field_run(100)).nbytes < 2**21


@pytest.mark.parametrize("begin", [field_run, run])
def test_a_bookmark_brings_its_run_back_from_a_file(begin: type[Run], tmp_path: Path) -> None:
    running = begin(30)  # type: ignore[call-arg, arg-type]
    session = stored_session(
        tmp_path, features=running.prepared.feature_choice, parameters=running.parameters
    )
    before = running.segmentations()[0].memberships
    bookmark, arrays = keep("good", session, running)
    running.set_parameters(replace(running.parameters, topics=4))
    running.sweep(5)
    path = tmp_path / "a.pmlda"
    archive.save(path, session.replace(bookmarks=(bookmark,)), running, arrays)
    loaded = archive.load(path)
    (kept,) = loaded.session.bookmarks
    state = kept_state(kept, loaded.arrays)
    assert state is not None
    resumed = resume_state(
        state, prepared(kept.session.features), kept.session.parameters, threads=1
    )
    np.testing.assert_array_equal(resumed.segmentations()[0].memberships, before)
    assert_goes_on_alike(resumed, begin(30))  # type: ignore[call-arg, arg-type]


def test_a_bookmark_of_an_earlier_version_has_no_run_and_is_no_fault(tmp_path: Path) -> None:
    running = run(3)
    session = stored_session(tmp_path)
    bookmark, arrays = keep("old", session, running)
    few = {name: array for name, array in arrays.items() if "chain" not in name}
    few = {name: array for name, array in few.items() if not name.endswith("/run")}
    archive.save(tmp_path / "a.pmlda", session.replace(bookmarks=(bookmark,)), None, few)
    loaded = archive.load(tmp_path / "a.pmlda")
    assert kept_state(loaded.session.bookmarks[0], loaded.arrays) is None


def test_while_other_images_are_prepared_the_run_is_kept_with_its_own(tmp_path: Path) -> None:
    running = run(3)
    session = stored_session(tmp_path)
    running.entries = session.images
    more = session.replace(images=(*session.images, ImageEntry(scene="demo")))
    bookmark, arrays = keep("one image", more, running)
    assert bookmark.session.images == session.images
    archive.save(tmp_path / "a.pmlda", more.replace(bookmarks=(bookmark,)), running, arrays)
    loaded = archive.load(tmp_path / "a.pmlda")
    assert loaded.session.images == more.images
    assert loaded.checkpoint is None, "it is not the checkpoint of both"
    assert kept_state(loaded.session.bookmarks[0], loaded.arrays) is not None
