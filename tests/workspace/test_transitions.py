"""What a transition along a line is, and how wide."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pmlda_gui.workspace.analysis.transitions import find_transitions, seen_width, unblurred

Array = NDArray[np.float64]
AT = np.linspace(0.0, 100.0, 401)


def _ramp(start: float, end: float) -> Array:
    """From 0 to 1 between two places."""
    return np.clip((AT - start) / (end - start), 0.0, 1.0)


def test_a_straight_ramp_is_eight_tenths_wide() -> None:
    rise = _ramp(30.0, 70.0)
    (found,) = find_transitions(AT, np.stack([1.0 - rise, rise]))
    assert (found.before, found.after) == (0, 1)
    assert found.centre == pytest.approx(50.0)
    assert found.width == pytest.approx(32.0)
    assert (found.start, found.end) == (pytest.approx(34.0), pytest.approx(66.0))
    assert found.is_whole
    assert found.third == pytest.approx(0.0)


def test_a_line_within_one_topic_has_no_transition() -> None:
    wave = 0.3 * np.sin(AT / 5.0)
    assert find_transitions(AT, np.stack([0.7 + wave, 0.3 - wave])) == []


def test_flicker_around_one_half_is_no_transition() -> None:
    wave = 0.05 * np.sin(AT)
    assert find_transitions(AT, np.stack([0.5 + wave, 0.5 - wave])) == []


def test_flicker_within_a_transition_leaves_it_one() -> None:
    rise = np.clip(_ramp(20.0, 80.0) + 0.06 * np.sin(AT), 0.0, 1.0)
    assert len(find_transitions(AT, np.stack([1.0 - rise, rise]))) == 1


def test_transitions_that_follow_one_another_are_told_apart() -> None:
    first, second = _ramp(20.0, 30.0), _ramp(60.0, 80.0)
    found = find_transitions(AT, np.stack([1.0 - first, first - second, second]))
    assert [(each.before, each.after) for each in found] == [(0, 1), (1, 2)]
    assert [each.width for each in found] == [pytest.approx(8.0), pytest.approx(16.0)]


def test_a_third_topic_that_never_leads_is_told_and_changes_nothing() -> None:
    rise = _ramp(30.0, 70.0)
    third = 0.3 * np.exp(-(((AT - 50.0) / 10.0) ** 2))
    found = find_transitions(
        AT, np.stack([(1.0 - rise) * (1.0 - third), rise * (1.0 - third), third])
    )
    assert len(found) == 1
    assert found[0].width == pytest.approx(32.0)
    assert found[0].third == pytest.approx(0.3, abs=0.01)


def test_a_third_topic_that_leads_in_between_makes_two_transitions() -> None:
    first, second = _ramp(30.0, 50.0), _ramp(50.0, 70.0)
    found = find_transitions(AT, np.stack([1.0 - first, first - second, second]))
    assert [(each.before, each.after) for each in found] == [(0, 1), (1, 2)]
    assert all(each.is_whole for each in found)


def test_a_transition_cut_off_by_the_end_of_the_line_is_at_least_so_wide() -> None:
    rise = 0.2 + 0.8 * _ramp(0.0, 60.0)
    (found,) = find_transitions(AT, np.stack([1.0 - rise, rise]))
    assert found.reaches == (False, True)
    assert found.start == 0.0
    assert not found.is_whole


def test_a_gap_in_the_map_parts_the_line() -> None:
    rise = _ramp(30.0, 70.0)
    both = np.stack([1.0 - rise, rise])
    both[:, (AT > 45.0) & (AT < 55.0)] = np.nan
    assert find_transitions(AT, both) == []


def test_the_same_transition_is_found_in_a_draw_that_is_narrower_and_aside() -> None:
    rise = _ramp(30.0, 70.0)
    (found,) = find_transitions(AT, np.stack([1.0 - rise, rise]))
    other = _ramp(45.0, 65.0)
    assert seen_width(AT, np.stack([1.0 - other, other]), found) == pytest.approx(16.0)
    gone = np.zeros_like(rise)
    assert np.isnan(seen_width(AT, np.stack([1.0 - gone, gone]), found))


def test_blur_is_taken_off_as_variances_are() -> None:
    assert unblurred(5.0, 3.0) == pytest.approx(4.0)
    assert unblurred(2.0, 3.0) == 0.0
