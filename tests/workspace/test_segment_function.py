"""`pmlda_gui.segment`: images in, soft maps out."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import pmlda_gui
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.batch.options import FurtherOptions, settings_from
from pmlda_gui.workspace.batch.segment import compute
from pmlda_gui.workspace.preparation import FeatureChoice, prepare
from tests.workspace.synthetic_results import synthetic_image

SMALL: FurtherOptions = {"document_count": 8, "features": "mean,std", "sweeps": 6}
# The paper's model, with enough words for two levels.
ALL_PIXELS: FurtherOptions = {
    "document_count": 20, "features": "mean", "lattice": 1, "smoothness": 0.0, "coupling": 0.0,
}  # fmt: skip


def test_one_image_gives_one_segmentation_with_everything_in_it():
    image = synthetic_image()
    found = pmlda_gui.segment(image, topics=3, **SMALL)
    assert isinstance(found, Segmentation)
    assert found.memberships.shape == (3, 48, 40)
    inside = found.valid
    assert np.array_equal(inside, image.valid)
    assert found.memberships[:, inside].sum(axis=0) == pytest.approx(1, abs=1e-5)
    assert (found.uncertainty[:, inside] >= 0).all()
    assert found.means.shape == (3, 2)
    assert found.variance > 0
    assert found.proportions.shape == (8, 3)
    assert found.scaling.shape == (8,)
    assert len(found.trace) == 6
    assert found.diagnostics["verdict"].startswith("too early")


def test_the_maps_are_those_of_the_scene():
    scene = make_scene("demo", (200, 180), seed=3)
    found = pmlda_gui.segment(scene.image, topics=3, sweeps=40)
    truth, maps = scene.memberships[:, found.valid], found.memberships[:, found.valid]
    errors = [
        np.sqrt(np.mean((maps[list(order)] - truth) ** 2))
        for order in itertools.permutations(range(3))
    ]
    # Maps that are even everywhere would be off by 0.4; a crisp guess by 0.3.
    assert min(errors) < 0.2


def test_topics_are_numbered_by_the_first_feature():
    found = pmlda_gui.segment(synthetic_image(), **SMALL)
    assert (np.diff(found.means[:, 0]) > 0).all()
    # The bands grow brighter downwards, and the maps follow their topics.
    rows = [np.nanmean(found.memberships[0, rows]) for rows in (slice(2, 12), slice(36, 46))]
    assert rows[0] > rows[1]
    first, last = found.proportions[[0, -1]]
    assert first[0] > last[0]
    assert last[2] > first[2]


def test_topics_with_priors_of_their_own_keep_their_numbers():
    settings = settings_from(**SMALL, proportions="0.6,0.3,0.1")
    result = compute([synthetic_image()], settings)
    assert result.images[0].segmentation.proportions[0] == pytest.approx((0.6, 0.3, 0.1))


def test_several_images_share_their_topics():
    first, second = pmlda_gui.segment([synthetic_image(), synthetic_image(seed=5)], **SMALL)
    assert np.array_equal(first.means, second.means)
    assert not np.array_equal(first.memberships, second.memberships)
    assert second.proportions.shape == (8, 3)


def test_a_list_of_one_gives_a_list_of_one():
    assert len(pmlda_gui.segment([synthetic_image()], **SMALL)) == 1


def test_an_array_is_an_image_whose_gaps_are_not_numbers():
    values = synthetic_image().pixels.copy()
    values[-4:] = np.nan
    found = pmlda_gui.segment(values, **SMALL)
    assert np.isnan(found.memberships[:, -4:]).all()


def test_paths_are_read_and_results_written(tmp_path):
    np.save(tmp_path / "line.npy", synthetic_image().pixels)
    found = pmlda_gui.segment(tmp_path / "line.npy", out=tmp_path / "results", **SMALL)
    assert found.memberships.shape == (3, 48, 40)
    assert (tmp_path / "results" / "line_memberships.tif").is_file()


@pytest.mark.parametrize("estimate", ["map", "paper-map"])
def test_single_points_come_without_uncertainty(estimate):
    found = pmlda_gui.segment(synthetic_image(), estimate=estimate, **SMALL)
    assert found.uncertainty is None
    assert found.memberships[:, found.valid].sum(axis=0) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("sampler", ["fast", "paper", "least-squares"])
def test_every_sampler_serves(sampler):
    found = pmlda_gui.segment(synthetic_image(), sampler=sampler, **SMALL)
    assert found.diagnostics["steps"]["memberships"] > 0


def test_the_same_seed_gives_the_same_maps_with_any_number_of_threads():
    one = pmlda_gui.segment(synthetic_image(), seed=4, threads=1, **SMALL)
    two = pmlda_gui.segment(synthetic_image(), seed=4, threads=2, **SMALL)
    other = pmlda_gui.segment(synthetic_image(), seed=5, threads=2, **SMALL)
    assert np.array_equal(one.memberships, two.memberships, equal_nan=True)
    assert not np.array_equal(one.memberships, other.memberships, equal_nan=True)


def test_of_several_chains_the_one_with_the_best_fit_is_shown():
    settings = settings_from(**{**SMALL, "chains": 3, "seed": 10})
    result = compute([synthetic_image()], settings)
    assert result.diagnosis.chains == 3
    assert len(result.traces) == 3
    assert result.chosen_chain == int(np.argmax(result.qualities))
    alone = pmlda_gui.segment(synthetic_image(), seed=10 + result.chosen_chain, **SMALL)
    # Documents are made with the first seed, which grids and superpixels do not look at.
    shown = result.images[0].segmentation
    assert np.array_equal(shown.memberships, alone.memberships, equal_nan=True)


def test_sweeps_are_counted_over_all_pixels_only():
    # 20,000 words begin on an eighth of them, whose sweeps do not count.
    image = synthetic_image((160, 130))
    steps = []
    result = compute(
        [image],
        settings_from(**ALL_PIXELS, sweeps=3),
        progress=Progress(lambda *told: steps.append(told)),
    )
    assert result.sweeps == 3
    assert result.journal.sweeps > 3
    sweeping = [(done, text) for done, text in steps if "words/s" in text]
    assert re.fullmatch(r"first words, [\d.]+ million words/s", sweeping[0][1])
    assert re.fullmatch(r"3 sweeps, [\d.]+ million words/s", sweeping[-1][1])
    assert sweeping[-1][0] == pytest.approx(0.9)
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


def test_time_may_end_a_run_instead_of_sweeps():
    settings = settings_from(document_count=8, features="mean", seconds=0.2)
    result = compute([synthetic_image()], settings)
    assert result.sweeps > 1
    assert result.seconds["chain"] < 5


def test_a_run_that_is_stopped_gives_what_there_is_and_says_so():
    image = synthetic_image((160, 130))
    calls = itertools.count()
    result = compute(
        [image],
        settings_from(**ALL_PIXELS),
        progress=Progress(is_cancelled=lambda: next(calls) > 30),
    )
    found = result.images[0].segmentation
    assert result.sweeps == 0
    assert np.array_equal(found.valid, image.valid)
    assert "stopped early" in result.warnings[0]
    assert "before all words were learned from" in result.warnings[1]


def test_what_reading_replaced_is_told():
    image = replace(synthetic_image(), notes=("The first ping was struck.",))
    result = compute([image], settings_from(**SMALL))
    assert "line 7.tif: The first ping was struck." in result.warnings


def test_no_image_at_all_is_refused():
    with pytest.raises(PmldaError, match="at least one"):
        pmlda_gui.segment([])


def test_importing_the_package_does_not_wait_for_the_compiler():
    script = (
        "import sys, pmlda_gui; print([name for name in ('numba', 'numpy') if name in sys.modules])"
    )
    outcome = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert outcome.stdout.strip() == "[]"


def test_a_few_highlights_do_not_stretch_what_the_model_sees():
    pixels = synthetic_image().pixels.copy()
    pixels[40, 30] = 1e6
    prepared = prepare([replace(synthetic_image(), pixels=pixels)], FeatureChoice("seabed", 21))
    scale = prepared.standardisation
    seen = (scale.invert(prepared.corpus.words) - scale.centre) / scale.scale
    # One glint lifts every window it lies in, by far more than seabeds differ.
    assert np.abs(seen).max() == pytest.approx(3.0, rel=1e-4)
    assert np.median(np.abs(seen)) == pytest.approx(0.7, abs=0.3)
