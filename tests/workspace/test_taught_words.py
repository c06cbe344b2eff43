"""What is painted is a core: words and topics' priors follow it, wherever the topic lies."""

from __future__ import annotations

import numpy as np

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace.hints import PaintedHint
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.taught_words import hints_digest, painted_cores
from tests.workspace.small_runs import LATTICE, SHAPE, field_run, prepared

Array = np.ndarray


def strip(left: int, width: int = 24) -> Array:
    mask = np.zeros(SHAPE, np.bool_)
    mask[30:60, left : left + width] = True
    return mask


def hint(topic: int, left: int, strength: float = 10.0, against: bool = False) -> PaintedHint:
    return PaintedHint.of(prepared(LATTICE), strip(left), topic, strength, against)


def centre_of(run: Run, topic: int) -> Array:
    return np.asarray(run.chain.prior.centre[run.topic_ids.index(topic)])


def test_the_topics_prior_moves_to_the_words_that_were_painted() -> None:
    begun = field_run(20)
    plain = begun.prepared
    begun.set_hints([hint(1, 80)])
    begun.sweep(1)
    taught = begun.prepared
    assert taught.taught == hints_digest(begun.hints)
    (core,) = painted_cores(taught, begun.hints)
    cores = taught.corpus.cores
    assert cores is not None
    mine = cores.means[cores.numbers.index(1)]
    np.testing.assert_array_equal(centre_of(begun, 1), mine)
    # Four fifths of the way and more, for a stroke of several words.
    before = plain.corpus.cores
    assert before is not None
    turned = taught.standardisation.apply(plain.standardisation.invert(before.means))
    away = np.linalg.norm(turned - core.mean, axis=1).min()
    assert np.linalg.norm(mine - core.mean) < 0.5 * away


def test_a_weak_hint_moves_it_less_and_one_against_a_topic_not_at_all() -> None:
    base = prepared(LATTICE).tuned(3)
    assert base.tuned(3, [hint(1, 80, against=True)]) is base
    moved = []
    for strength in (1.0, 10.0, 100.0):
        taught = base.tuned(3, [hint(1, 80, strength)])
        cores = taught.corpus.cores
        assert cores is not None
        (core,) = painted_cores(taught, [hint(1, 80, strength)])
        away = np.linalg.norm(cores.means[cores.numbers.index(1)] - core.mean)
        moved.append(away / np.sqrt(cores.variance))
    assert moved[0] > moved[1] > moved[2]


def test_painting_what_is_there_keeps_the_words_for_the_same_hints() -> None:
    base = prepared(LATTICE)
    first, again = base.tuned(3, [hint(0, 10)]), base.tuned(3, [hint(0, 10)])
    assert first is again
    assert base.tuned(3) is first.tuned(3)
    assert not first.is_made_like(base.tuned(3))


def test_hinted_topics_keep_their_prior_through_every_warm_change() -> None:
    begun = field_run(10)
    begun.set_hints([hint(2, 80), hint(0, 10)])
    begun.sweep(3)
    for topics in (4, 5, 3, 2):
        begun.set_parameters(Parameters(topics))
        begun.sweep(2)
        assert {0, 2} <= set(begun.topic_ids)
        cores = begun.prepared.corpus.cores
        assert cores is not None
        for topic in (0, 2):
            mine = cores.means[cores.numbers.index(topic)]
            np.testing.assert_array_equal(centre_of(begun, topic), mine)
    begun.set_parameters(Parameters(2, rate=0.2))
    begun.sweep(2)
    mine = begun.prepared.corpus.cores
    assert mine is not None
    np.testing.assert_array_equal(centre_of(begun, 2), mine.means[mine.numbers.index(2)])


def test_hints_taken_back_give_the_words_back() -> None:
    begun = field_run(5)
    plain = begun.prepared
    begun.set_hints([hint(1, 40)])
    begun.sweep(2)
    assert begun.prepared is not plain
    begun.set_hints([])
    begun.sweep(2)
    assert begun.prepared is plain
