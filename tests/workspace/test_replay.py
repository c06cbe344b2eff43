"""A run comes back bit for bit, resumed from its checkpoint or repeated from its journal."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.archive import Loaded
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from pmlda_gui.workspace.replay import open_entries, replay, resume
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.run_result import result_of
from pmlda_gui.workspace.session import ImageEntry
from pmlda_gui.workspace.topic_matching import FormerTopics
from tests.workspace.small_runs import (
    COARSE,
    ENTROPY,
    FINE,
    FIRST_LEVEL,
    MEAN,
    SHAPE,
    WINDOWS,
    assert_same,
    field_run,
    image,
    interrupt,
    prepared,
    run,
    stored_session,
)

Change = Callable[[Run], None]
OTHER = FeatureChoice(("std", "entropy"), window=9, lattice=1)


def more_topics(running: Run) -> None:
    running.set_parameters(Parameters(4, rate=2.0))


def fewer_topics(running: Run) -> None:
    running.set_parameters(Parameters(2))


def fixed_proportions(running: Run) -> None:
    running.set_parameters(Parameters(3, proportions=(0.123, 0.456, 0.421), scaling=3.0))


def other_documents(running: Run) -> None:
    running.set_prepared(prepared(MEAN, FINE))


def overlapping_documents(running: Run) -> None:
    running.set_prepared(prepared(MEAN, WINDOWS))


def other_features(running: Run) -> None:
    running.set_prepared(prepared(OTHER, COARSE))


def more_features(running: Run) -> None:
    running.set_prepared(prepared(ENTROPY, COARSE))


def everything_at_once(running: Run) -> None:
    running.set_prepared(prepared(ENTROPY, WINDOWS))
    more_topics(running)


def there_and_back(running: Run) -> None:
    before = running.parameters
    running.set_prepared(prepared(MEAN, FINE))
    running.set_parameters(Parameters(5))
    running.set_prepared(prepared())
    running.set_parameters(before)


CHANGES = [
    more_topics,
    fewer_topics,
    fixed_proportions,
    other_documents,
    overlapping_documents,
    other_features,
    more_features,
    everything_at_once,
    there_and_back,
]
# In the coarsest level, at its last sweep, and on all pixels.
MOMENTS = [5, FIRST_LEVEL, FIRST_LEVEL + 4]


def saved_and_loaded(folder: Path, running: Run) -> Loaded:
    archive.save(folder / "a.pmlda", stored_session(folder), running)
    return archive.load(folder / "a.pmlda")


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_resumed_after_a_change_goes_on_as_if_it_had_not_been_saved(
    change: Change, moment: int, tmp_path: Path
) -> None:
    running = run(moment)
    change(running)
    running.sweep(3)
    resumed = resume(saved_and_loaded(tmp_path, running), threads=2)
    assert_same(running, resumed)
    assert resumed.journal.to_values() == running.journal.to_values()
    for each in (running, resumed):
        # From the coarsest level on to all pixels, from there a little further.
        each.sweep(FIRST_LEVEL if moment < FIRST_LEVEL else 3)
    assert_same(running, resumed)
    resumed.close()


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("moment", MOMENTS[1:])
def test_changes_that_wait_are_not_lost_by_saving(
    change: Change, moment: int, tmp_path: Path
) -> None:
    running = run(moment)
    change(running)
    resumed = resume(saved_and_loaded(tmp_path, running), threads=1)
    assert resumed.parameters == running.parameters
    assert resumed.journal.to_values() == running.journal.to_values()
    for each in (running, resumed):
        each.sweep(3)
    assert_same(running, resumed)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("moment", MOMENTS[:2])
def test_a_replay_gives_the_same_bits_with_any_number_of_threads(
    change: Change, moment: int, tmp_path: Path
) -> None:
    running = run(moment, threads=2)
    change(running)
    running.sweep(4)
    loaded = saved_and_loaded(tmp_path, running)
    repeated = replay(loaded, threads=3 if moment == 5 else 1)
    assert_same(running, repeated)
    assert repeated.journal.to_values() == running.journal.to_values()
    running.close()
    repeated.close()


def test_a_change_within_a_sweep_is_replayed_and_resumed(tmp_path: Path) -> None:
    running = run(5)
    interrupt(running)
    other_documents(running)
    more_topics(running)
    loaded = saved_and_loaded(tmp_path, running)
    resumed = resume(loaded, threads=1)
    running.sweep(4)
    resumed.sweep(4)
    assert_same(running, resumed)
    assert_same(running, replay(saved_and_loaded(tmp_path, running), threads=1))


def test_a_long_story_is_repeated_and_told_again(tmp_path: Path) -> None:
    running = run(3)
    for change in (more_topics, other_documents, fewer_topics, overlapping_documents):
        change(running)
        running.sweep(11)
    loaded = saved_and_loaded(tmp_path, running)
    repeated = replay(loaded, threads=1)
    assert_same(running, repeated)
    again = replay(saved_and_loaded(tmp_path, repeated), threads=1)
    assert_same(running, again)


def test_fixed_proportions_come_back_to_the_bit(tmp_path: Path) -> None:
    running = run(3)
    running.set_parameters(Parameters(3, proportions=(0.06, 0.57, 0.37)))
    running.sweep(2)
    assert resume(saved_and_loaded(tmp_path, running), threads=1).parameters == running.parameters


def test_a_sweep_under_way_is_finished_before_it_is_saved_and_so_replayed(tmp_path: Path) -> None:
    running = run(5)
    interrupt(running)
    loaded = saved_and_loaded(tmp_path, running)
    assert_same(replay(loaded, threads=1), run(6))
    assert_same(running, run(6))


@pytest.mark.parametrize("begin", [run, field_run])
def test_what_is_exported_after_changes_within_a_sweep_is_what_a_replay_gives(
    begin: Callable[[int], Run], tmp_path: Path
) -> None:
    running = begin(40)
    parameters = running.parameters
    running.set_parameters(replace(parameters, rate=3.0))
    running.sweep(2)
    running.sweep(1, cancel=lambda: True)
    running.set_parameters(replace(parameters, rate=3.0, scaling=1.0))
    session = stored_session(
        tmp_path,
        features=running.prepared.feature_choice,
        parameters=running.parameters,
    )
    exported = result_of(running, session)
    archive.save(tmp_path / "a.pmlda", session, running)
    assert all(entry.sweep < exported.sweeps for entry in exported.journal.entries)
    assert exported.settings["rate"] == 3.0
    assert exported.settings["scaling"] == "learn", "no sweep has seen the fixed one"
    assert exported.sweeps_under_settings in (2, 3)
    assert any("after the last sweep" in warning for warning in exported.warnings)
    assert any("sweeps were done under these settings" in each for each in exported.warnings)
    repeated = result_of(replay(archive.load(tmp_path / "a.pmlda"), threads=1), session)
    assert repeated.sweeps == exported.sweeps
    assert repeated.settings == exported.settings
    for one, other in zip(exported.images, repeated.images, strict=True):
        np.testing.assert_array_equal(one.segmentation.memberships, other.segmentation.memberships)
        np.testing.assert_array_equal(one.segmentation.means, other.segmentation.means)


def test_numbers_of_topics_are_repeated_with_the_run(tmp_path: Path) -> None:
    former = FormerTopics()
    before = run(10)
    before.number_topics((7, 3, 5))
    former.note(before.topic_record())
    running = Run(prepared(), Parameters(3), seed=5, threads=1, former=former)
    assert set(running.topic_ids) == {7, 3, 5}
    running.sweep(5)
    running.set_parameters(Parameters(4))
    running.sweep(5)
    running.set_parameters(Parameters(3))
    running.sweep(5)
    assert set(running.topic_ids) == {7, 3, 5}
    loaded = saved_and_loaded(tmp_path, running)
    assert replay(loaded, threads=1).topic_ids == running.topic_ids
    assert resume(loaded, threads=1).topic_ids == running.topic_ids


def test_label_maps_come_from_the_workspace(tmp_path: Path) -> None:
    labels = np.repeat(np.arange(1, 13, dtype=np.int32), 10)[:, None] * np.ones(110, np.int32)
    running = run(4)
    running.set_prepared(prepare([image()], MEAN, DocumentChoice("labels"), [labels]))
    running.sweep(4)
    assert_same(running, replay(saved_and_loaded(tmp_path, running), threads=1))


def test_a_workspace_without_a_checkpoint_is_resumed_by_repeating_it(tmp_path: Path) -> None:
    running = run(7)
    archive.write(
        tmp_path / "a.pmlda",
        archive.Snapshot(stored_session(tmp_path), None, running.journal.copy()),
    )
    assert_same(running, resume(archive.load(tmp_path / "a.pmlda"), threads=1))


def test_progress_rises_to_one_and_cancelling_keeps_what_there_is(tmp_path: Path) -> None:
    loaded = saved_and_loaded(tmp_path, run(12))
    seen: list[float] = []
    replay(loaded, 1, progress=lambda fraction, text: seen.append(fraction))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    sweeps_seen: list[str] = []
    stopped = replay(
        loaded,
        1,
        progress=lambda fraction, text: sweeps_seen.append(text),
        cancel=lambda: sweeps_seen.count("sweeps") >= 3,
    )
    assert 2 <= stopped.sweeps < 12


def test_nothing_to_repeat_is_a_sentence(tmp_path: Path) -> None:
    archive.save(tmp_path / "a.pmlda", stored_session(tmp_path))
    for way in (replay, resume):
        with pytest.raises(PmldaError, match="holds no run"):
            way(archive.load(tmp_path / "a.pmlda"))


def test_a_missing_image_is_asked_for(tmp_path: Path) -> None:
    saved_and_loaded(tmp_path, run(2))
    (tmp_path / "seabed.npy").unlink()
    for way in (replay, resume):
        with pytest.raises(PmldaError, match=r"seabed\.npy is not in .* where it is now"):
            way(archive.load(tmp_path / "a.pmlda"))


def test_a_changed_image_cannot_be_replayed(tmp_path: Path) -> None:
    saved_and_loaded(tmp_path, run(2))
    np.save(tmp_path / "seabed.npy", np.ones(SHAPE, np.float32))
    with pytest.raises(PmldaError, match=r"seabed\.npy has changed since a\.pmlda was saved"):
        replay(archive.load(tmp_path / "a.pmlda"))


def test_an_image_of_another_size_does_not_fit_the_chain(tmp_path: Path) -> None:
    saved_and_loaded(tmp_path, run(2))
    np.save(tmp_path / "seabed.npy", image().pixels[:-20])
    with pytest.raises(PmldaError):
        resume(archive.load(tmp_path / "a.pmlda"))


def test_made_scenes_are_opened_by_name() -> None:
    (scene,) = open_entries([ImageEntry(scene="demo")])
    assert scene.shape == (600, 544)
    with pytest.raises(PmldaError, match="no scene called 'atlantis'"):
        open_entries([ImageEntry(scene="atlantis")])


def test_the_journal_in_the_file_is_for_people_too(tmp_path: Path) -> None:
    running = run(5)
    more_topics(running)
    values = running.journal.to_values()
    assert values["start"]["seed"] == 5
    assert values["changes"][0]["sweep"] == 5
    assert values["changes"][0]["parameters"]["topics"] == 4
    json.dumps(values, allow_nan=False)
