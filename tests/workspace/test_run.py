"""A run climbs from few pixels to all, can be steered at any moment, and writes it down."""

import dataclasses

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace import maps as maps_module
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from pmlda_gui.workspace.run import ESTIMATES, Run
from tests.workspace.small_runs import (
    COARSE,
    ENTROPY,
    FIELD,
    FINE,
    FIRST_LEVEL,
    LATTICE,
    MEAN,
    WINDOWS,
    assert_same,
    field_run,
    image,
    interrupt,
    prepared,
    run,
)

MOMENTS = (4, FIRST_LEVEL, FIRST_LEVEL + 3)


def test_a_run_begins_on_few_pixels_and_ends_on_all_that_are_learned_from() -> None:
    running = run()
    assert running.chain.corpus.size < prepared().corpus.size // 7
    running.sweep(FIRST_LEVEL)
    assert running.full_sweeps == 0
    info = running.sweep(1)
    assert running.full_sweeps == 1
    assert running.chain.corpus is prepared().corpus
    assert info.sweep == running.sweeps == FIRST_LEVEL + 1


def test_a_lattice_of_few_words_is_learned_from_at_once() -> None:
    running = field_run(3)
    assert running.full_sweeps == running.sweeps == 3
    assert not running.learns_from_all
    assert running.chain.corpus.size < np.count_nonzero(image().valid) // 12


@pytest.mark.parametrize("sweeps", [5, FIRST_LEVEL + 2])
def test_maps_cover_exactly_the_valid_pixels_on_every_level(sweeps: int) -> None:
    (found,) = run(sweeps).segmentations()
    assert found.memberships.shape == (3, *image().shape)
    np.testing.assert_array_equal(found.valid, image().valid)
    np.testing.assert_allclose(found.memberships[:, found.valid].sum(axis=0), 1.0, atol=1e-5)
    assert found.proportions.shape == (prepared().corpus.documents, 3)


def test_a_window_of_a_map_holds_the_bits_of_the_whole() -> None:
    running = field_run(12)
    whole = running.maps()
    part = running.maps(window=(slice(13, 71), slice(30, 31)))
    assert whole is not None
    assert part is not None
    np.testing.assert_array_equal(part.memberships, whole.memberships[:, 13:71, 30:31])
    np.testing.assert_array_equal(part.deviation, whole.deviation[:, 13:71, 30:31])


@pytest.mark.parametrize("step", [2, 5, 300])
@pytest.mark.parametrize("kind", ESTIMATES)
def test_a_coarser_map_shows_pixels_of_the_finer_one(kind: str, step: int) -> None:
    running = field_run(12)
    whole, coarse = running.maps(kind), running.maps(kind, step=step)
    assert whole is not None
    assert coarse is not None
    assert coarse.memberships.shape[1:] == tuple(-(-side // step) for side in image().shape)
    expected = whole.memberships[:, coarse.rows][:, :, coarse.columns]
    if kind != "mean":
        np.testing.assert_array_equal(coarse.memberships, expected)
        return
    # A mean is averaged over the pixels around, of which a coarser map has fewer.
    inside = np.isfinite(expected)
    np.testing.assert_array_equal(inside, np.isfinite(coarse.memberships))
    away = (coarse.memberships - expected)[inside]
    assert step > 9 or np.sqrt(np.mean(away**2)) < 0.05


@pytest.mark.parametrize("kind", ESTIMATES)
def test_a_map_made_part_by_part_has_the_same_bits(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = field_run(12)
    whole = running.maps(kind, keep=True)
    monkeypatch.setattr(maps_module, "_MOST_CONCENTRATIONS", 10)
    monkeypatch.setattr(maps_module, "_WORDS_AT_A_TIME", 1000)
    parts = running.maps(kind, keep=True)
    assert whole is not None
    assert parts is not None
    np.testing.assert_array_equal(parts.memberships, whole.memberships)
    np.testing.assert_array_equal(parts.deviation, whole.deviation)
    np.testing.assert_array_equal(parts.kept, whole.kept)


def test_what_the_chain_knows_of_all_pixels_is_shown_as_it_is() -> None:
    running = run(FIRST_LEVEL + 6)
    assert running.learns_from_all
    maps, estimate = running.maps(), running.estimate()
    assert maps is not None
    (expected,) = prepared().words.scatter(estimate.memberships)
    np.testing.assert_array_equal(maps.memberships, expected.astype(np.float32))


def test_a_map_that_is_cancelled_is_none() -> None:
    assert field_run(2).maps(cancel=lambda: True) is None


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
    interrupt(running, pieces=2)
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
    assert running.full_sweeps > 0
    assert running.estimate().memberships.shape[1] == 5


@pytest.mark.parametrize("sweeps", [0, 7, 40])
def test_a_resumed_field_goes_on_bit_for_bit_with_any_threads(sweeps: int) -> None:
    first = field_run(sweeps)
    second = Run.resume(prepared(LATTICE), first.checkpoint(), first.journal.copy(), threads=3)
    interrupt(second)
    first.sweep(20)
    second.sweep(20)
    assert_same(first, second)
    second.close()


@pytest.mark.parametrize(
    "changed",
    [
        {"smoothness": 1.4},
        {"coupling": 0.0},
        {"smoothness": 0.0, "coupling": 0.0},
        {"topics": 4},
        {"scaling": 4.0},
        {"fuzzifier": 2.0},
    ],
    ids=str,
)
def test_what_governs_the_field_changes_at_any_moment(changed: dict[str, float]) -> None:
    running = field_run(10)
    running.set_parameters(dataclasses.replace(FIELD, **changed))
    running.sweep(3)
    maps = running.maps()
    assert maps is not None
    inside = np.isfinite(maps.memberships[0])
    np.testing.assert_array_equal(inside, image().valid)
    np.testing.assert_allclose(maps.memberships[:, inside].sum(axis=0), 1.0, atol=1e-5)
    running.set_parameters(FIELD)
    running.sweep(2)
    assert running.chain.estimate.memberships.shape[1] == 3


@pytest.mark.parametrize("documents", [FINE, WINDOWS])
def test_the_documents_of_a_field_change_at_any_moment(documents: DocumentChoice) -> None:
    running = field_run(6)
    running.set_prepared(prepared(LATTICE, documents))
    running.sweep(2)
    running.set_prepared(prepared(MEAN, documents))
    running.sweep(2)
    assert running.segmentations()[0].memberships.shape == (3, *image().shape)


def test_samplers_of_hard_documents_refuse_a_field() -> None:
    with pytest.raises(PmldaError, match="smoothness and coupling to 0"):
        Run(prepared(LATTICE), FIELD, "paper")


@pytest.mark.parametrize("features", [MEAN, LATTICE], ids=["all pixels", "lattice"])
def test_going_back_before_the_next_sweep_is_no_change(features: FeatureChoice) -> None:
    running, untouched = (Run(prepared(features), Parameters(3), seed=5, threads=1) for _ in "ab")
    for each in (running, untouched):
        each.sweep(3)
    running.set_prepared(prepared(features, FINE))
    running.set_parameters(Parameters(4))
    running.set_prepared(prepared(features))
    running.set_parameters(Parameters(3))
    for each in (running, untouched):
        each.sweep(2)
    assert_same(running, untouched)
