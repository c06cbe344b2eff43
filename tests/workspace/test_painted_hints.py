"""Painted hints under a run: they act on maps, and are journalled, saved and replayed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace.archive import load, save
from pmlda_gui.workspace.change_texts import changes_of
from pmlda_gui.workspace.hints import PaintedHint, hints_for_words
from pmlda_gui.workspace.journal import Journal
from pmlda_gui.workspace.replay import replay, resume
from pmlda_gui.workspace.run import Run
from tests.workspace.small_runs import (
    COARSE,
    FINE,
    LATTICE,
    SHAPE,
    assert_same,
    field_run,
    prepared,
    run,
    stored_session,
)


def square(left: int, top: int, side: int = 14) -> np.ndarray:
    mask = np.zeros(SHAPE, np.bool_)
    mask[top : top + side, left : left + side] = True
    return mask


def stroke(topic: int, strength: float = 5.0, against: bool = False, left: int = 30) -> PaintedHint:
    return PaintedHint.of(prepared(LATTICE), square(left, 40), topic, strength, against)


def least(begun: Run) -> int:
    """The topic that there is least of where the stroke is."""
    maps = begun.maps()
    assert maps is not None
    return int(
        begun.topic_ids[int(np.nanmean(maps.memberships[:, square(30, 40)], axis=1).argmin())]
    )


def share(begun: Run, topic: int) -> float:
    maps = begun.maps()
    assert maps is not None
    row = begun.topic_ids.index(topic)
    return float(np.nanmean(maps.memberships[row][square(30, 40)]))


def test_painting_a_topic_brings_it_there_and_painting_against_it_takes_it_away() -> None:
    begun = field_run(20)
    topic = least(begun)
    before = share(begun, topic)
    begun.set_hints([stroke(topic, 30.0)])
    assert begun.awaits_change
    begun.sweep(20)
    assert begun.sweeps_under_settings == 20
    assert begun.marks[-1].text == "hints"
    more = share(begun, topic)
    assert more > before + 0.3
    begun.set_hints([stroke(topic, 20.0, against=True)])
    begun.sweep(20)
    assert share(begun, topic) < 0.25 * more
    # Topics that change places are numbered anew, and so are hints on them.
    changes = changes_of(begun.journal)
    assert [change.from_sweep for change in changes][:2] == [21, 41]
    assert {change.what for change in changes} == {"1 hints"}


def test_a_stroke_smaller_than_the_lattice_acts_on_the_word_it_is_nearest_to() -> None:
    on_lattice = prepared(LATTICE)
    assert on_lattice.stride > 1
    pixel = PaintedHint.of(on_lattice, [50 * SHAPE[1] + 50], 1, 2.0)
    found = hints_for_words([pixel], on_lattice)
    assert found.count == 1
    row, column = divmod(int(found.sources[0]), SHAPE[1])
    assert max(abs(row - 50), abs(column - 50)) <= on_lattice.stride
    everywhere = prepared()
    exact = hints_for_words([PaintedHint.of(everywhere, [50 * SHAPE[1] + 50], 1)], everywhere)
    assert exact.sources.tolist() == [50 * SHAPE[1] + 50]


def test_hints_stay_with_their_topics_when_these_are_numbered_anew() -> None:
    begun = field_run(3)
    begun.set_hints([stroke(0), stroke(2, left=80)])
    begun.sweep(2)
    numbered, quiet = begun, field_run(3)
    quiet.set_hints([stroke(0), stroke(2, left=80)])
    quiet.sweep(2)
    numbered.number_topics((7, 1, 0))
    assert [hint.topic for hint in numbered.hints] == [7, 0]
    for each in (numbered, quiet):
        each.sweep(3)
    np.testing.assert_array_equal(numbered.estimate().memberships, quiet.estimate().memberships)
    one, other = numbered.maps(), quiet.maps()
    assert one is not None
    assert other is not None
    np.testing.assert_array_equal(one.memberships, other.memberships)


@pytest.mark.parametrize("from_checkpoint", [False, True], ids=["replayed", "resumed"])
def test_a_saved_run_with_hints_comes_back_to_the_bit(
    tmp_path: Path, from_checkpoint: bool
) -> None:
    session = stored_session(tmp_path, features=LATTICE, parameters=Parameters(3))
    begun = Run(prepared(LATTICE), session.parameters, seed=5, threads=1)
    begun.sweep(4)
    begun.set_hints([stroke(1), stroke(0, 2.0, against=True, left=70)])
    begun.sweep(3)
    begun.number_topics((2, 0, 1))
    begun.sweep(1)
    begun.set_prepared(prepared(LATTICE, FINE))
    begun.sweep(3)
    save(tmp_path / "hinted.pmlda", session, begun)
    loaded = load(tmp_path / "hinted.pmlda")
    assert loaded.journal is not None
    again = (resume if from_checkpoint else replay)(loaded, threads=1)
    assert [hint.topic for hint in again.hints] == [0, 2]
    for each in (begun, again):
        each.sweep(2)
    assert_same(begun, again)


def test_a_journal_without_the_pixels_of_a_hint_is_refused() -> None:
    begun = run(1)
    begun.set_hints([PaintedHint.of(prepared(), square(10, 10), 0)])
    lacking = Journal.from_values(begun.journal.to_values())
    with pytest.raises(PmldaError, match="lacks the pixels"):
        lacking.painted(lacking.last_hints, prepared())


def test_hints_that_cannot_be_are_refused_in_a_sentence() -> None:
    on = prepared(LATTICE, COARSE)
    with pytest.raises(PmldaError, match="mask"):
        PaintedHint.of(on, np.ones((3, 3), np.bool_), 0)
    with pytest.raises(PmldaError, match="pixels that lie"):
        PaintedHint.of(on, [SHAPE[0] * SHAPE[1]], 0)
    with pytest.raises(PmldaError, match="no image 4"):
        PaintedHint.of(on, [0], 0, image=4)
    with pytest.raises(PmldaError, match="strength"):
        PaintedHint.of(on, [0], 0, -1.0)
    paper = Run(prepared(), Parameters(3), "paper", seed=5, threads=1)
    with pytest.raises(PmldaError, match="knows no hints"):
        paper.set_hints([PaintedHint.of(prepared(), [5], 0)])
