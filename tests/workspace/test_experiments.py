"""The paper's qualitative claims, as assertions on the numbers of each experiment."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.core.progress import Progress
from pmlda_gui.experiments import EXPERIMENTS, applicable, quality, run_experiment
from pmlda_gui.experiments.charts import ShadedTable
from pmlda_gui.experiments.drawing import Box, Drawing
from pmlda_gui.experiments.plate import Place
from pmlda_gui.experiments.study import Study
from pmlda_gui.experiments.unified import FUZZIFIERS, SCALINGS, log_likelihood
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.peers.bpm import BayesianPartialMembership
from pmlda_gui.peers.fuzzy_c_means import FuzzyCMeans
from pmlda_gui.peers.k_means import KMeans
from pmlda_gui.peers.method import Method

SMALL = Study(shape=(132, 120), sweeps=25)
# Where superpixels must be larger than the windows that features are measured in.
ROOMY = replace(SMALL, shape=(240, 220))


def test_in_the_unified_model_likely_memberships_get_more_mixed_with_the_scaling() -> None:
    found = run_experiment("unified", SMALL).findings
    for fuzzifier in FUZZIFIERS:
        mixing = [found[f"mixing m={fuzzifier:g} s={scaling:g}"] for scaling in SCALINGS]
        assert all(before <= after for before, after in pairwise(mixing))
        assert mixing[-1] > 0.7
    assert found["mixing m=1 s=0.1"] == 0.0


def test_with_fuzzifier_zero_the_data_do_not_speak_of_memberships() -> None:
    grid = log_likelihood(0.0, 2.0)
    np.testing.assert_allclose(grid - grid[:, :1], 0.0, atol=1e-9)


def test_words_walk_straight_between_topics_of_equal_covariance_only() -> None:
    outcome = run_experiment("generating", SMALL)
    assert outcome.findings["bend equal"] == pytest.approx(0.0, abs=1e-9)
    # Half and half of diag(4, 1) and diag(1, 4): the mean is (4, -2), 6 / sqrt 2 off the line.
    assert outcome.findings["bend different"] == pytest.approx(6 / np.sqrt(2))
    assert len(outcome.table.rows) == 22


def test_memberships_approach_the_proportions_as_the_scaling_grows() -> None:
    found = run_experiment("scaling", SMALL).findings
    distances = [found[f"distance s={scaling}"] for scaling in (3, 10, 300, 30000)]
    assert all(before > after for before, after in pairwise(distances))
    assert distances[-1] < 0.01


def test_words_resemble_their_superpixel_more_with_a_larger_scaling() -> None:
    found = run_experiment("superpixels", ROOMY).findings
    for count in (20, 48, 200):
        within = [found[f"within {count} s={scaling}"] for scaling in (1, 100, 500, 1000)]
        assert all(before > after for before, after in pairwise(within))
    # With few superpixels a large scaling hides what is inside them.
    assert found["error 20 s=1000"] > found["error 200 s=1000"]


def test_highly_mixed_memberships_are_more_frequent_with_a_larger_fuzzifier() -> None:
    found = run_experiment("fuzzifier", SMALL).findings
    shares = [found[f"highly mixed m={m}"] for m in (1, 2, 3)]
    assert all(before + 0.03 < after for before, after in pairwise(shares))


def test_pmlda_follows_transitions_better_than_lda_and_fuzzy_c_means() -> None:
    found = run_experiment("subimages", ROOMY).findings
    for rival in ("lda", "fcm"):
        assert found["error pmlda"] < found[f"error {rival}"]
        assert found["error in transitions pmlda"] < found[f"error in transitions {rival}"]


def test_lda_and_spatial_lda_see_the_same_seabeds_but_no_transitions() -> None:
    found = run_experiment("complete", SMALL).findings
    for rival in ("lda", "slda"):
        assert found[f"agreement {rival}"] > 0.4
        assert found["error pmlda"] < found[f"error {rival}"]


def test_dusk_passes_gradually_with_pmlda_and_not_with_lda() -> None:
    found = run_experiment("sunset", SMALL).findings
    assert found["mixed pmlda"] > 2 * found["mixed lda"]


def test_quality_measures_every_method_on_every_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = ("demo", "crisp-bands", "narrow-patches")
    monkeypatch.setattr(quality, "SEABEDS", scenes)
    outcome = run_experiment("quality", replace(SMALL, shape=(60, 55), sweeps=5))
    methods = 1 + 11 + 5
    assert len(outcome.table.rows) == len(scenes) * methods
    # All scenes, the tuning half and the reporting half; overall and in transitions.
    assert len(outcome.findings) == 3 * 2 * (methods + 6)
    assert np.isfinite(list(outcome.findings.values())).all()
    halves = {str(row[0]): row[1] for row in outcome.table.rows}
    assert halves == {"demo": "tuning", "crisp-bands": "reporting", "narrow-patches": "reporting"}
    errors = {str(row[0]): float(row[3]) for row in outcome.table.rows if row[2] == "FLICM"}
    assert outcome.findings["error FLICM, tuning"] == pytest.approx(errors["demo"])
    assert outcome.findings["error FLICM, reporting"] == pytest.approx(
        (errors["crisp-bands"] + errors["narrow-patches"]) / 2
    )
    for row in outcome.table.rows:
        known = row[2] == "PM-LDA"
        assert len(row) == (len(outcome.table.head) if known else len(outcome.table.head) - 12)
    few, most = (outcome.findings[f"coverage {level}, normal"] for level in ("50%", "95%"))
    assert 0.0 <= few <= most <= 1.0


def test_quality_takes_random_seabeds_in_two_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "_peers", lambda: {"k-means": KMeans()})
    study = replace(SMALL, shape=(60, 55), sweeps=5, random_scenes=3)
    outcome = run_experiment("quality", study)
    halves = {str(row[0]): row[1] for row in outcome.table.rows}
    assert halves == {"random-0": "tuning", "random-1": "reporting", "random-2": "tuning"}


def test_quality_marks_where_pmlda_loses_and_says_so() -> None:
    table = ShadedTable(["won", "lost"], ["ours", "theirs"], [[0.1, 0.2], [0.3, 0.2]], watched=0)
    drawing = Drawing(400, 100)
    table.draw_into(drawing, Place(0, 0, 400, 90))
    marks = [thing for thing in drawing.things if isinstance(thing, Box) and thing.width == 4]
    green, red, other = (mark.colour for mark in marks)
    assert green == other != red
    assert red[0] > red[1]


def test_pmlda_recovers_memberships_better_than_peers_that_know_no_neighbours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The first random seabeds of the reporting half.
    rivals: dict[str, Method] = {
        "FCM 1.5": FuzzyCMeans(1.5),
        "k-means": KMeans(),
        "BPM": BayesianPartialMembership(sweeps=30),
    }
    monkeypatch.setattr(quality, "SEABEDS", tuple(f"random-{number}" for number in range(1, 12, 2)))
    monkeypatch.setattr(quality, "_peers", lambda: rivals)
    found = run_experiment("quality", Study()).findings
    for rival in rivals:
        assert found["error PM-LDA"] < found[f"error {rival}"]
        assert found["error in transitions PM-LDA"] < found[f"error in transitions {rival}"]


@pytest.mark.parametrize("name", ["unified", "generating", "scaling"])
def test_a_caption_says_what_the_paper_saw_and_gives_this_runs_numbers(name: str) -> None:
    outcome = run_experiment(name, SMALL)
    assert "The paper " in outcome.caption
    assert "Here " in outcome.caption
    stated = outcome.caption.split("Here ")[1]
    assert any(f"{value:.2f}" in stated for value in outcome.findings.values())


def test_an_experiment_tells_how_far_it_is_and_can_be_stopped() -> None:
    heard: list[tuple[float, str]] = []
    study = replace(SMALL, progress=Progress(lambda done, text: heard.append((done, text))))
    run_experiment("scaling", study)
    assert [text for _, text in heard] == ["s = 3", "s = 10", "s = 300", "s = 30000"]
    assert [done for done, _ in heard] == [0.0, 0.25, 0.5, 0.75]
    with pytest.raises(Cancelled):
        run_experiment("scaling", replace(SMALL, progress=Progress(is_cancelled=lambda: True)))


def test_equal_seeds_repeat_an_experiment() -> None:
    first, second = (run_experiment("fuzzifier", SMALL) for _ in range(2))
    assert first.findings == second.findings
    assert first.drawing.to_png() == second.drawing.to_png()


def test_experiments_that_files_do_not_fit_are_left_out() -> None:
    grey, colour = make_scene("demo", (20, 20)).image, make_scene("dusk", (20, 20)).image
    assert applicable([]) == EXPERIMENTS
    assert set(EXPERIMENTS) - set(applicable([grey])) == {"sunset", "quality"}
    assert set(EXPERIMENTS) - set(applicable([colour])) == {"quality"}
