"""What a chain remembers of its sweeps stays bounded however long it runs."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core import Chain, Parameters, generate, trace
from pmlda_gui.core.checkpoint import Draft
from pmlda_gui.core.trace import Trace


def short_chain(sweeps: int) -> Chain:
    corpus, _ = generate(Parameters(2), np.array([[0.0], [4.0]]), 0.2, [6, 6], seed=1)
    chain = Chain(corpus, Parameters(2), seed=2, threads=1)
    chain.sweep(sweeps)
    return chain


def test_a_long_trace_is_thinned_and_says_which_sweeps_it_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = short_chain(40).trace
    monkeypatch.setattr(trace, "_MOST_JOINTS", 16)
    thinned = short_chain(40).trace
    assert len(thinned.log_joint) < 16
    np.testing.assert_array_equal(thinned.log_joint, whole.log_joint[thinned.joint_sweeps - 1])
    assert thinned.last_logit_log_joint == whole.logit_log_joint[-1]


def test_a_trace_comes_back_from_a_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "_MOST_JOINTS", 16)
    before = short_chain(37).trace
    draft = Draft()
    before.write(draft)
    after = Trace.read(draft.finished())
    np.testing.assert_array_equal(after.joint_sweeps, before.joint_sweeps)
    np.testing.assert_array_equal(after.logit_log_joint, before.logit_log_joint)
