"""The light: red while maps form, amber when they can be used, green when they are done."""

from __future__ import annotations

import pytest

from pmlda_gui.core.diagnostics import Diagnosis
from pmlda_gui.core.settled_bounds import CHANGE_SETTLED
from pmlda_gui.workspace.analysis.light import USABLE_CHANGE, in_words, light_of


def _diagnosis(change: float | None, size: float = 60.0, settled: bool = False) -> Diagnosis:
    return Diagnosis(
        1, 100, {"memberships": size}, {"memberships": 1.0}, settled, settled, "", change
    )


def test_too_early_to_tell_is_red() -> None:
    early = Diagnosis(1, 10, {}, {}, False, False, "too early to tell", None)
    light = light_of(early, 20, 500.0)
    assert (light.colour, light.text, light.seconds) == ("red", "still forming", None)


def test_maps_that_change_much_are_red_and_a_little_amber() -> None:
    assert light_of(_diagnosis(2.0 * USABLE_CHANGE)).colour == "red"
    light = light_of(_diagnosis(0.9 * USABLE_CHANGE))
    assert (light.colour, light.text) == ("amber", "usable")


def test_settled_maps_are_green_and_say_what_that_means() -> None:
    light = light_of(_diagnosis(0.5 * CHANGE_SETTLED, settled=True), 1000, 100.0)
    assert light.colour == "green"
    assert light.text == "done: more time will not change the maps by more than 1 %"
    assert light.seconds == 0.0


def test_the_time_to_go_grows_with_the_square_of_the_change() -> None:
    # Twice the change that is wanted needs four times the sweeps: three times as many more.
    light = light_of(_diagnosis(2.0 * CHANGE_SETTLED), 1000, 100.0)
    assert light.seconds == pytest.approx(30.0)
    assert light.text == "usable, about 30 s to go"


def test_the_time_to_go_also_waits_for_effective_draws() -> None:
    light = light_of(_diagnosis(CHANGE_SETTLED, size=10.0), 1000, 100.0)
    assert light.seconds == pytest.approx(40.0)


def test_maps_that_no_time_will_settle_are_amber_and_final() -> None:
    # The kept draws are independent by now, so their halves will go on differing as they do.
    light = light_of(_diagnosis(1.3 * CHANGE_SETTLED, size=250.0), 8000, 500.0)
    assert (light.colour, light.final, light.seconds) == ("amber", True, None)
    assert light.text == "usable: the maps go on changing by up to 3 %, more time is no help"
    assert not light_of(_diagnosis(1.3 * CHANGE_SETTLED, size=150.0), 8000, 500.0).final
    assert light_of(_diagnosis(2.0 * USABLE_CHANGE, size=250.0)).colour == "red"


def test_a_chain_that_rests_promises_no_time() -> None:
    light = light_of(_diagnosis(2.0 * CHANGE_SETTLED), 1000, None)
    assert (light.text, light.seconds) == ("usable", None)


def test_durations_are_round() -> None:
    assert [in_words(each) for each in (0.2, 7.1, 38.0, 90.0, 100.0, 1e6)] == [
        "1 s", "8 s", "40 s", "90 s", "2 min", "16667 min",
    ]  # fmt: skip
