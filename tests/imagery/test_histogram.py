"""The histogram of the source, on which contrast is set."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.imagery.display import Display
from pmlda_gui.imagery.histogram import source_histogram
from pmlda_gui.imagery.image import Image


def _image(pixels: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Image:
    valid = np.ones(pixels.shape[:2], np.bool_)
    valid[0] = False
    return Image(np.where(valid, pixels, np.float32(0)), valid)


RAMP = _image(np.tile(np.arange(1000, dtype=np.float32), (20, 1)))


def test_only_valid_pixels_are_counted_and_all_of_them() -> None:
    found = source_histogram(RAMP, Display())
    assert found.counts.sum() == 19_000
    assert found.low == pytest.approx(10.0, abs=1.0)
    assert found.high == pytest.approx(989.0, abs=1.0)


def test_handles_become_percentiles() -> None:
    found = source_histogram(RAMP, Display(gamma=2.0))
    display = found.clipped(Display(gamma=2.0), 250.0, 750.0)
    assert (display.low, display.high, display.gamma) == (25.0, 75.0, 2.0)
    assert found.clipped(Display(), 750.0, 250.0) == found.clipped(Display(), 250.0, 750.0)


def test_handles_on_one_another_or_outside_leave_some_contrast() -> None:
    found = source_histogram(RAMP, Display())
    for low, high in ((500.0, 500.0), (-5.0, -5.0), (5000.0, 6000.0)):
        display = found.clipped(Display(), low, high)
        assert display.high > display.low


def test_a_log_scale_counts_decibels() -> None:
    found = source_histogram(RAMP, Display(scale="log"))
    assert found.edges[-1] == pytest.approx(20.0 * np.log10(999.0), abs=0.1)


def test_an_even_or_empty_image_has_a_histogram_too() -> None:
    even = _image(np.full((5, 5), 3.0, np.float32))
    assert source_histogram(even, Display()).counts.sum() == 20
    empty = Image(np.zeros((3, 3), np.float32), np.zeros((3, 3), np.bool_))
    assert source_histogram(empty, Display()).counts.sum() == 0
