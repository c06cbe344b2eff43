"""The same seed gives the same bits, whatever the threads, interruptions and checkpoints."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core import Chain, Changes, Checkpoint, Corpus, Parameters, PmldaError, generate
from tests.core.strips import FIELD, strip

MEANS = np.array([[0.0, 0.0], [3.0, 0.5], [1.0, 2.5]])
PARAMETERS = Parameters(3, alpha=1.5)
SAMPLERS = ("fast", "paper", "least-squares")
CORPUS, TRUTH = generate(PARAMETERS, MEANS, 0.1, (2500, 1, 4600, 1700, 40), seed=31)
# Documents that act beyond their borders.
STRIP = strip([1500, 1, 2600, 900, 40], MEANS, seed=32)


def assert_same(one: Chain, other: Chain) -> None:
    """Both chains are at the same bits, in sample, estimates and trace."""
    for name in ("log_memberships", "proportions", "scaling", "means", "variance"):
        np.testing.assert_array_equal(getattr(one.state, name), getattr(other.state, name), name)
    for kind in ("estimate", "paper_map", "map"):
        first, second = getattr(one, kind), getattr(other, kind)
        for name in ("memberships", "proportions", "scaling", "means", "variance", "sweeps"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name), name)
    np.testing.assert_array_equal(one.estimate.uncertainty, other.estimate.uncertainty)
    np.testing.assert_array_equal(one.trace.log_joint, other.trace.log_joint)
    assert one.trace.marks == other.trace.marks
    assert len(one.draws) == len(other.draws)
    for first, second in zip(one.draws, other.draws, strict=True):
        np.testing.assert_array_equal(first.concentration, second.concentration)
        np.testing.assert_array_equal(first.means, second.means)
        assert first.variance == second.variance
    assert one.topic_ids == other.topic_ids
    for name, values in one.trace.quantities.items():
        np.testing.assert_array_equal(values, other.trace.quantities[name], name)


def after(pieces: int) -> Callable[[], bool]:
    """A cancel that lets so many pieces of a pass through."""
    asked = 0

    def cancel() -> bool:
        nonlocal asked
        asked += 1
        return asked > pieces

    return cancel


def stored(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint after a way through JSON and npz, without pickle."""
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **checkpoint.arrays)
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return Checkpoint(dict(arrays), json.loads(json.dumps(checkpoint.values)))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_one_two_and_seven_threads_give_the_same_bits(sampler: str) -> None:
    chains = [Chain(CORPUS, PARAMETERS, sampler, seed=5, threads=n) for n in (1, 2, 7)]
    for chain in chains:
        chain.sweep(8)
    assert chains[0]._word_pass.pieces > 3, "the corpus must be cut, or nothing is tested"
    assert_same(chains[0], chains[1])
    assert_same(chains[0], chains[2])
    for chain in chains:
        chain.close()


def test_another_seed_gives_other_bits() -> None:
    one, other = (Chain(CORPUS, PARAMETERS, seed=seed, start=TRUTH) for seed in (1, 2))
    one.sweep(1)
    other.sweep(1)
    assert not np.array_equal(one.state.log_memberships, other.state.log_memberships)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_resumed_chain_goes_on_bit_for_bit(sampler: str) -> None:
    whole = Chain(CORPUS, PARAMETERS, sampler, seed=6, threads=1)
    whole.sweep(5)
    part = Chain.resume(CORPUS, stored(whole.checkpoint()), threads=2)
    assert_same(whole, part)
    whole.sweep(7)
    part.sweep(7)
    assert_same(whole, part)
    part.close()


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_an_interrupted_sweep_goes_on_where_it_stopped(sampler: str) -> None:
    whole = Chain(CORPUS, PARAMETERS, sampler, seed=7, threads=1)
    part = Chain(CORPUS, PARAMETERS, sampler, seed=7, threads=1)
    whole.sweep(4)
    part.sweep(2)
    info = part.sweep(1, cancel=after(2))
    assert not info.finished
    assert part.sweeps == 2
    assert not part.sweep(1, cancel=after(0)).finished
    resumed = Chain.resume(CORPUS, stored(part.checkpoint()), threads=1)
    assert resumed.sweeps == 2
    for chain in (part, resumed):
        assert chain.sweep(2).finished
        assert chain.sweeps == 4
        assert_same(whole, chain)


def test_a_long_chain_follows_few_sweeps_and_resumes_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pmlda_gui.core.trace._MOST_ROWS", 8)
    corpus, _ = generate(PARAMETERS, MEANS, 0.1, (20, 30), seed=1)
    whole = Chain(corpus, PARAMETERS, seed=6, threads=1)
    whole.sweep(27)
    part = Chain.resume(corpus, stored(whole.checkpoint()), threads=1)
    for chain in (whole, part):
        chain.sweep(33)
    assert_same(whole, part)
    # 60 sweeps, thinned out three times: every eighth is left.
    assert len(whole.trace.quantities["means"]) == 60 // 8
    np.testing.assert_array_equal(part.trace.quantities["variance"][-1:], whole_at(corpus, 56))


def whole_at(corpus: Corpus, sweeps: int) -> np.ndarray:
    """The variance of the same chain after so many sweeps."""
    chain = Chain(corpus, PARAMETERS, seed=6, threads=1)
    chain.sweep(sweeps)
    return np.array([chain.state.variance])


def test_a_checkpoint_is_not_touched_by_what_the_chain_does_later() -> None:
    chain = Chain(CORPUS, PARAMETERS, seed=8, threads=1)
    chain.sweep(3)
    checkpoint = chain.checkpoint()
    chain.sweep(3)
    first = chain.state
    chain.sweep(3, Changes(Parameters(4, rate=2.0)))
    resumed = Chain.resume(CORPUS, checkpoint, threads=1)
    assert resumed.parameters == PARAMETERS
    resumed.sweep(3)
    np.testing.assert_array_equal(resumed.state.log_memberships, first.log_memberships)


def test_a_chain_resumed_after_warm_changes_goes_on_bit_for_bit() -> None:
    whole = Chain(CORPUS, PARAMETERS, seed=9, threads=1)
    whole.sweep(4)
    whole.sweep(4, Changes(Parameters(4, alpha=(1.0, 2.0, 1.0, 1.0), fuzzifier=2.0)))
    part = Chain.resume(CORPUS, stored(whole.checkpoint()), threads=1)
    assert part.parameters == whole.parameters
    for chain in (whole, part):
        chain.sweep(4, Changes(Parameters(2, proportions=(0.5, 0.5))))
    assert_same(whole, part)
    assert len(part.trace.marks) == 2


def test_reading_estimates_does_not_disturb_the_chain() -> None:
    quiet = Chain(CORPUS, PARAMETERS, seed=10, threads=1)
    watched = Chain(CORPUS, PARAMETERS, seed=10, threads=1)
    quiet.sweep(6)
    for _ in range(6):
        watched.sweep(1)
        for estimate in (watched.estimate, watched.map, watched.paper_map):
            estimate.memberships[:] = 0.0
            estimate.means[:] = 0.0
        watched.state.log_memberships[:] = 0.0
        watched.globals.scaling[:] = 0.0
        watched.checkpoint().arrays["logs"][:] = 0.0
    np.testing.assert_array_equal(quiet.state.log_memberships, watched.state.log_memberships)
    np.testing.assert_array_equal(quiet.state.means, watched.state.means)
    np.testing.assert_array_equal(quiet.estimate.memberships, watched.estimate.memberships)
    np.testing.assert_array_equal(quiet.paper_map.memberships, watched.paper_map.memberships)
    np.testing.assert_array_equal(quiet.map.memberships, watched.map.memberships)


def synthetic_checkpoint() -> Checkpoint:
    chain = Chain(CORPUS, PARAMETERS, seed=11, threads=1)
    chain.sweep(2)
    return chain.checkpoint()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("parameters", {"topics": 4}),
        ("parameters", {"topics": 3, "colour": "red"}),
        ("parameters", None),
        ("sampler", "gibbs"),
        ("seed", "x"),
        ("seed", -5),
        ("sweep", "x"),
        ("sweep", -3),
        ("position", "x"),
        ("marks", [[1]]),
        ("topic_ids", [0]),
        ("current.variance", float("nan")),
        ("current.variance", -1.0),
        ("current.variance", "x"),
    ],
)
def test_a_checkpoint_with_a_damaged_value_is_refused(name: str, value: object) -> None:
    checkpoint = synthetic_checkpoint()
    checkpoint.values[name] = value
    with pytest.raises(PmldaError):
        Chain.resume(CORPUS, checkpoint)


@pytest.mark.parametrize(
    "name",
    ["parameters", "sampler", "seed", "sweep", "begun", "position", "age", "topic_ids",
     "next_topic_id", "marks", "current.variance", "mean.variance"],
)  # fmt: skip
def test_a_checkpoint_that_lacks_a_value_is_refused(name: str) -> None:
    checkpoint = synthetic_checkpoint()
    del checkpoint.values[name]
    with pytest.raises(PmldaError):
        Chain.resume(CORPUS, checkpoint)


@pytest.mark.parametrize("name", ["logs", "average", "current.means", "counts", "best_joint.logs"])
def test_a_checkpoint_that_lacks_an_array_is_refused(name: str) -> None:
    checkpoint = synthetic_checkpoint()
    del checkpoint.arrays[name]
    with pytest.raises(PmldaError):
        Chain.resume(CORPUS, checkpoint)


@pytest.mark.parametrize("name", ["logs", "spread", "current.scaling", "chunk_moments"])
def test_a_checkpoint_with_numbers_that_are_none_is_refused(name: str) -> None:
    checkpoint = synthetic_checkpoint()
    checkpoint.arrays[name].ravel()[0] = np.nan
    with pytest.raises(PmldaError, match="damaged"):
        Chain.resume(CORPUS, checkpoint)


@pytest.mark.parametrize("name", ["current.scaling", "current.proportions"])
def test_a_checkpoint_with_negative_documents_is_refused(name: str) -> None:
    checkpoint = synthetic_checkpoint()
    checkpoint.arrays[name] *= -1.0
    with pytest.raises(PmldaError):
        Chain.resume(CORPUS, checkpoint)


def test_a_checkpoint_of_another_corpus_is_refused() -> None:
    other = Corpus(CORPUS.words[:-1], [*CORPUS.offsets[:-1], CORPUS.size - 1])
    with pytest.raises(PmldaError, match="another corpus"):
        Chain.resume(other, synthetic_checkpoint())


# -- documents that act beyond their borders ---------------------------------------------------


def test_a_field_gives_the_same_bits_with_any_number_of_threads() -> None:
    chains = [Chain(STRIP, FIELD, seed=5, threads=n) for n in (1, 2, 5)]
    for chain in chains:
        chain.sweep(6)
    assert chains[0]._word_pass.pieces > 2, "the corpus must be cut, or nothing is tested"
    assert_same(chains[0], chains[1])
    assert_same(chains[0], chains[2])
    for chain in chains:
        chain.close()


@pytest.mark.parametrize("sweeps", [1, 5, 40])
def test_a_field_is_resumed_bit_for_bit_with_its_kept_draws(sweeps: int) -> None:
    corpus = strip([30, 1, 50], MEANS, seed=33)
    whole = Chain(corpus, FIELD, seed=6, threads=1)
    whole.sweep(sweeps)
    part = Chain.resume(corpus, stored(whole.checkpoint()), threads=2)
    assert_same(whole, part)
    whole.sweep(45)
    part.sweep(45)
    assert_same(whole, part)
    part.close()


def test_an_interrupted_sweep_of_a_field_goes_on_where_it_stopped() -> None:
    whole, part = (Chain(STRIP, FIELD, seed=7, threads=1) for _ in range(2))
    whole.sweep(3)
    part.sweep(1)
    assert not part.sweep(1, cancel=after(1)).finished
    resumed = Chain.resume(STRIP, stored(part.checkpoint()), threads=1)
    for chain in (part, resumed):
        assert chain.sweep(2).finished
        assert_same(whole, chain)


def test_a_field_resumed_after_changes_of_the_field_goes_on_bit_for_bit() -> None:
    corpus = strip([30, 1, 50], MEANS, seed=33)
    whole = Chain(corpus, FIELD, seed=8, threads=1)
    whole.sweep(3)
    for changed in (
        replace(FIELD, smoothness=0.2), replace(FIELD, coupling=0.0),
        replace(FIELD, smoothness=0.0, coupling=0.0), replace(FIELD, topics=4),
    ):  # fmt: skip
        whole.sweep(2, Changes(changed))
        part = Chain.resume(corpus, stored(whole.checkpoint()), threads=1)
        whole.sweep(2)
        part.sweep(2)
        assert_same(whole, part)


# -- the paper's algorithm ---------------------------------------------------------------------

# Means' sum, variance, sum of z_1, of s and of pi_1, and log joint after 25 sweeps of the
# first release.
FIRST_RELEASE = {
    ("paper", ()): (
        7.4029859415468415, 0.6910959924605502, 277.53431428166203, 17.474005318180232,
        1.2092565351566613, -1202.5909772946547,
    ),
    ("paper", (("fuzzifier", 2.0),)): (
        7.068054763695647, 0.16209845393796093, 213.30710354105224, 10.159773331664187,
        1.2248696102259384, -219.45175866302313,
    ),
    ("paper", (("scaling", 3.0),)): (
        7.783891098916446, 0.3678367953460683, 259.6037316214161, 12.0, 1.4905412495800063,
        -886.4753059443519,
    ),
    ("least-squares", ()): (
        7.252948269176105, 0.10172756577753445, 307.73306009956707, 15.150159229647816,
        1.575488137704396, 358.55129342023787,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("sampler", "changed"), FIRST_RELEASE)
def test_the_papers_samplers_do_what_they_did_in_the_first_release(
    sampler: str, changed: tuple[tuple[str, float], ...]
) -> None:
    """To twelve digits: another processor may round the last ones otherwise."""
    parameters = Parameters(3, alpha=1.5, rate=0.5, **dict(changed))
    corpus, _ = generate(parameters, MEANS, 0.1, (250, 1, 460, 40), seed=31)
    chain = Chain(corpus, parameters, sampler, seed=5, threads=1)
    chain.sweep(25)
    state = chain.state
    found = (
        state.means.sum(), state.variance, state.memberships[:, 0].sum(), state.scaling.sum(),
        state.proportions[:, 0].sum(), chain.trace.log_joint[-1],
    )  # fmt: skip
    assert found == pytest.approx(FIRST_RELEASE[sampler, changed], rel=1e-11)
