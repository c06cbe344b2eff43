"""A run climbs from few pixels to all, can be steered at any moment, and writes it down."""

import dataclasses

import numpy as np
import pytest
from small_runs import (
    COARSE,
    ENTROPY,
    FINE,
    FIRST_LEVEL,
    MEAN,
    WINDOWS,
    assert_same,
    image,
    interrupt,
    prepared,
    run,
)

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.preparation import DocumentChoice, prepare
from pmlda_gui.workspace.run import Run

MOMENTS = (4, FIRST_LEVEL, FIRST_LEVEL + 3)


def test_a_run_begins_on_few_pixels_and_ends_on_all_of_them() -> None:
    running = run()
    assert running.stride == 2
    running.sweep(FIRST_LEVEL)
    assert running.stride == 2
    info = running.sweep(1)
    assert running.stride == 1
    assert info.sweep == running.sweeps == FIRST_LEVEL + 1


@pytest.mark.parametrize("sweeps", [5, FIRST_LEVEL + 2])
def test_maps_cover_exactly_the_valid_pixels_on_every_level(sweeps: int) -> None:
    (found,) = run(sweeps).segmentations()
    assert found.memberships.shape == (3, *image().shape)
    np.testing.assert_array_equal(found.valid, image().valid)
    np.testing.assert_allclose(found.memberships[:, found.valid].sum(axis=0), 1.0, atol=1e-5)
    assert found.proportions.shape == (prepared().corpus.documents, 3)


def test_the_maps_of_a_coarse_level_show_each_pixel_its_nearest_word() -> None:
    running = run(1)
    numbers = np.arange(running.chain.corpus.size, dtype=np.float64)[:, None]
    (shown,) = running.maps(numbers)
    words = running.chain.corpus.sources[numbers[:, 0].astype(int)]
    rows, columns = np.divmod(words, image().shape[1])
    looked_at = (rows % 2 == 0) & (columns % 2 == 0)
    np.testing.assert_array_equal(
        shown[0, rows[looked_at], columns[looked_at]], numbers[looked_at, 0]
    )
    np.testing.assert_array_equal(shown[0, 0:2, 0:2], shown[0, 0, 0])


def test_means_are_given_in_the_features_own_units() -> None:
    (found,) = run(FIRST_LEVEL + 20).segmentations()
    values = prepared().features[0].values[image().valid]
    assert np.all(found.means >= values.min(axis=0))
    assert np.all(found.means <= values.max(axis=0))


@pytest.mark.parametrize("kind", ["mean", "map", "paper-map"])
def test_every_estimate_can_be_had_at_any_time(kind: str) -> None:
    for sweeps in (0, 3):
        estimate = run(sweeps).estimate(kind)
        np.testing.assert_allclose(estimate.memberships.sum(axis=1), 1.0, atol=1e-5)


def test_an_unknown_estimate_is_refused_by_name() -> None:
    with pytest.raises(PmldaError, match=r"'median'.*mean, map, paper-map"):
        run().estimate("median")


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("topics", [2, 4])
def test_topics_come_and_go_at_any_moment(moment: int, topics: int) -> None:
    running = run(moment)
    running.set_parameters(Parameters(topics))
    running.sweep(3)
    assert running.estimate().memberships.shape[1] == topics
    assert len(running.topic_ids) == topics
    assert set(running.topic_ids) & {0, 1, 2}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("documents", [FINE, WINDOWS])
def test_documents_change_at_any_moment(moment: int, documents: DocumentChoice) -> None:
    running = run(moment)
    running.set_prepared(prepared(MEAN, documents))
    running.sweep(3)
    assert running.chain.estimate.proportions.shape[0] == prepared(MEAN, documents).corpus.documents
    assert running.segmentations()[0].memberships.shape == (3, *image().shape)


def test_maps_belong_to_the_old_documents_until_the_new_ones_are_taken_up() -> None:
    running = run(FIRST_LEVEL + 4)
    (before,) = running.segmentations()
    running.set_prepared(prepared(MEAN, FINE))
    (waiting,) = running.segmentations()
    np.testing.assert_array_equal(before.memberships, waiting.memberships)
    assert running.prepared is prepared()
    running.sweep(1)
    assert running.prepared is prepared(MEAN, FINE)


def test_a_sweep_under_way_is_finished_with_the_documents_it_began_with() -> None:
    running = run(FIRST_LEVEL + 4)
    interrupt(running)
    running.set_prepared(prepared(MEAN, WINDOWS))
    interrupt(running, pieces=0)
    assert running.prepared is prepared()
    assert running.segmentations()[0].memberships.shape == (3, *image().shape)
    running.sweep(2)
    assert running.prepared is prepared(MEAN, WINDOWS)


def test_documents_that_are_made_alike_are_no_change() -> None:
    running, untouched = run(6), run(6)
    running.set_prepared(prepare([image()], MEAN, COARSE))
    running.sweep(2)
    untouched.sweep(2)
    assert_same(running, untouched)


def test_images_of_another_size_are_refused() -> None:
    other = prepare([make_scene("demo", (60, 60)).image], MEAN, COARSE)
    with pytest.raises(PmldaError, match="start a new one"):
        run().set_prepared(other)


def test_an_interrupted_sweep_goes_on_as_if_it_had_not_been() -> None:
    interrupted, other = run(5), run(5)
    interrupt(interrupted)
    assert interrupted.sweeps == 5
    interrupted.sweep(2)
    other.sweep(2)
    assert_same(interrupted, other)


def test_the_journal_says_how_the_run_began() -> None:
    start = run().journal.start
    assert start.parameters == Parameters(3)
    assert (start.sampler, start.seed) == ("fast", 5)
    assert (start.preparation.features, start.preparation.documents) == (MEAN, COARSE)


def test_the_journal_counts_the_sweeps_and_dates_each_change() -> None:
    running = run(4)
    running.set_parameters(Parameters(3, rate=2.0))
    running.sweep(3)
    running.set_prepared(prepared(MEAN, FINE))
    running.sweep(1)
    assert running.journal.sweeps == 8
    first, second = running.journal.entries
    assert (first.sweep, first.parameters) == (4, Parameters(3, rate=2.0))
    assert (second.sweep, second.preparation.documents) == (7, FINE)


def test_a_change_during_a_sweep_is_dated_after_it() -> None:
    running = run(5)
    interrupt(running)
    running.set_parameters(Parameters(3, rate=2.0))
    assert running.journal.entries[0].sweep == 6
    running.sweep(2)
    expected = run(6)
    expected.set_parameters(Parameters(3, rate=2.0))
    expected.sweep(1)
    assert_same(running, expected)


def test_setting_what_is_set_already_is_not_journalled() -> None:
    running = run(2)
    running.set_parameters(dataclasses.replace(Parameters(3)))
    assert running.journal.entries == ()


@pytest.mark.parametrize("sampler", ["fast", "paper", "least-squares"])
@pytest.mark.parametrize("sweeps", [0, 7, FIRST_LEVEL, FIRST_LEVEL + 4])
def test_a_resumed_run_goes_on_bit_for_bit_with_any_threads(sampler: str, sweeps: int) -> None:
    first = Run(prepared(), Parameters(3), sampler, seed=2, threads=1)
    first.sweep(sweeps)
    second = Run.resume(prepared(), first.checkpoint(), first.journal.copy(), threads=3)
    first.sweep(FIRST_LEVEL)
    second.sweep(FIRST_LEVEL)
    assert_same(first, second)
    second.close()


@pytest.mark.parametrize("sampler", ["fast", "paper", "least-squares"])
def test_a_run_resumed_within_a_sweep_finishes_it_bit_for_bit(sampler: str) -> None:
    first = Run(prepared(), Parameters(3), sampler, seed=2, threads=1)
    first.sweep(3)
    interrupt(first)
    second = Run.resume(prepared(), first.checkpoint(), first.journal.copy(), threads=1)
    second.set_parameters(Parameters(3, rate=3.0))
    first.set_parameters(Parameters(3, rate=3.0))
    assert second.journal.entries == first.journal.entries
    first.sweep(3)
    second.sweep(3)
    assert_same(first, second)


def test_a_run_says_whether_it_has_converged() -> None:
    assert run(FIRST_LEVEL + 12).diagnosis().verdict


def test_features_of_another_number_can_be_taken_up() -> None:
    running = run(6)
    running.set_prepared(prepared(ENTROPY, COARSE))
    running.sweep(2)
    assert running.estimate().means.shape == (3, 3)


def test_topics_may_change_while_several_starts_are_tried() -> None:
    running = run(40, topics=4)
    running.set_parameters(Parameters(5))
    running.sweep(3 * FIRST_LEVEL)
    assert running.stride == 1
    assert running.estimate().memberships.shape[1] == 5
