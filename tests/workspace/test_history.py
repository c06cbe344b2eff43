"""Every change can be undone and redone, and a drag of a slider is one change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace.history import History
from pmlda_gui.workspace.session import Session


def seeded(seed: int) -> Session:
    return Session(seed=seed)


class Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def history(clock: Clock) -> History:
    return History(seeded(0), clock)


def test_a_new_history_has_nothing_to_undo_and_counts_as_saved(history: History) -> None:
    assert not history.can_undo
    assert not history.can_redo
    assert (history.undo_text, history.redo_text) == ("", "")
    assert history.saved
    history.undo()
    history.redo()
    assert history.session == seeded(0)


def test_undo_and_redo_walk_along_the_steps(history: History) -> None:
    history.do("first", seeded(1))
    history.do("second", seeded(2))
    assert history.undo_text == "second"
    history.undo()
    assert (history.session, history.undo_text, history.redo_text) == (seeded(1), "first", "second")
    history.undo()
    assert history.session == seeded(0)
    history.redo()
    history.redo()
    assert (history.session, history.can_redo) == (seeded(2), False)


def test_a_new_step_forgets_what_was_undone(history: History) -> None:
    history.do("first", seeded(1))
    history.undo()
    history.do("other", seeded(9))
    assert not history.can_redo
    history.undo()
    assert history.session == seeded(0)


def test_a_step_to_the_same_session_is_none(history: History) -> None:
    history.do("nothing", seeded(0))
    assert not history.can_undo


def test_a_drag_is_one_step(history: History, clock: Clock) -> None:
    for seed in range(1, 30):
        clock.time += 0.4
        history.do("rate", seeded(seed), merge="rate")
    assert history.session == seeded(29)
    history.undo()
    assert history.session == seeded(0)
    assert not history.can_undo


def test_a_drag_that_ends_where_it_began_is_no_step(history: History) -> None:
    history.do("rate", seeded(1), merge="rate")
    history.do("rate", seeded(0), merge="rate")
    assert not history.can_undo
    assert history.session == seeded(0)


@pytest.mark.parametrize("interruption", ["pause", "other key", "no key", "undo", "saved"])
def test_steps_do_not_merge_across(interruption: str, history: History, clock: Clock) -> None:
    history.do("rate", seeded(1), merge="rate")
    if interruption == "pause":
        clock.time += 1.5
    elif interruption == "other key":
        history.do("alpha", seeded(5), merge="alpha")
    elif interruption == "no key":
        history.do("alpha", seeded(5))
    elif interruption == "undo":
        history.do("x", seeded(6))
        history.undo()
    else:
        history.mark_saved()
    before = history.session
    history.do("rate", seeded(2), merge="rate")
    history.undo()
    assert history.session == before


def test_saved_means_the_session_that_was_saved_however_it_is_reached(history: History) -> None:
    history.do("first", seeded(1))
    assert not history.saved
    history.mark_saved()
    assert history.saved
    history.do("second", seeded(2))
    history.undo()
    assert history.saved
    history.undo()
    assert not history.saved


def test_what_was_saved_may_be_older_than_what_is_shown(history: History) -> None:
    written = history.session
    history.do("while saving", seeded(1))
    history.mark_saved(written)
    assert not history.saved


def test_a_recovered_session_is_unsaved(history: History) -> None:
    history.mark_unsaved()
    assert not history.saved


@given(st.lists(st.tuples(st.sampled_from("dmur"), st.integers(0, 5)), max_size=40))
def test_undoing_all_returns_to_the_start_and_redoing_all_to_the_end(
    actions: list[tuple[str, int]],
) -> None:
    history = History(seeded(0), clock := Clock())
    for action, seed in actions:
        clock.time += 0.3
        if action in "dm":
            history.do("do", seeded(seed), merge="m" if action == "m" else None)
        else:
            history.undo() if action == "u" else history.redo()
    while history.can_redo:
        history.redo()
    end = history.session
    steps = 0
    while history.can_undo:
        history.undo()
        steps += 1
    assert history.session == seeded(0)
    for _ in range(steps):
        history.redo()
    assert history.session == end


def test_all_sessions_that_steps_lead_to_are_known(history: History) -> None:
    start = history.session
    made = [seeded(seed) for seed in (1, 2, 3)]
    for session in made[:2]:
        history.do("do", session)
    history.undo()
    assert {id(each) for each in history.sessions} == {id(each) for each in (start, *made[:2])}
    history.do("do", made[2])
    reachable = {id(each) for each in history.sessions}
    assert reachable == {id(each) for each in (start, made[0], made[2])}, "what was undone is gone"


def test_steps_share_what_did_not_change(history: History) -> None:
    history.do("rate", history.session.replace(parameters=Parameters(3, rate=2.0)))
    assert history.session.display is seeded(0).display


def test_going_to_a_step_undoes_or_repeats_what_lies_between() -> None:
    history = History(Session())
    sessions = [history.session]
    for seed in (1, 2, 3):
        history.do(f"Seed {seed}", history.session.replace(seed=seed))
        sessions.append(history.session)
    history.go_to(1)
    assert history.session is sessions[1]
    assert (history.texts, history.done) == (("Seed 1", "Seed 2", "Seed 3"), 1)
    history.go_to(3)
    history.go_to(3)
    assert history.session is sessions[3]
    history.go_to(0)
    assert history.session is sessions[0]
    assert history.redo_text == "Seed 1"
