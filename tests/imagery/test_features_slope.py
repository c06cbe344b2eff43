"""The slope of depths: that of the plane they lie in, whatever is missing around."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.imagery.features import compute_features
from pmlda_gui.imagery.image import Image


def plane(missing: bool) -> Image:
    rows, columns = np.mgrid[:40, :50]
    depths = (-3000.0 + 0.3 * rows - 0.4 * columns).astype(np.float32)
    valid = np.ones(depths.shape, np.bool_)
    if missing:
        valid[np.random.default_rng(1).random(valid.shape) < 0.3] = False
        valid[:, 20:23] = False
    return Image(np.where(valid, depths, 0), valid)


@pytest.mark.parametrize("missing", [False, True])
def test_a_plane_has_its_slope_everywhere_also_at_edges_and_holes(missing: bool):
    image = plane(missing)
    found = compute_features(image, "slope", window=9).values[..., 0]
    assert found[image.valid] == pytest.approx(0.5, abs=1e-3)


def test_level_ground_has_none_and_noise_hardly_any():
    noise = np.random.default_rng(2).normal(size=(60, 60)).astype(np.float32)
    image = Image(noise, np.ones(noise.shape, np.bool_))
    assert compute_features(image, "slope", window=31).values.max() < 0.1
    flat = Image(np.full((20, 20), 7, np.float32), np.ones((20, 20), np.bool_))
    assert compute_features(flat, "slope", window=5).values == pytest.approx(0.0, abs=1e-9)


def test_a_window_without_a_plane_has_the_slope_0():
    valid = np.zeros((15, 15), np.bool_)
    valid[7] = valid[0, 0] = True
    image = Image(np.where(valid, np.arange(15.0), 0).astype(np.float32), valid)
    found = compute_features(image, "slope", window=5).values[..., 0]
    assert found[0, 0] == 0.0
    assert (found[7] == 0.0).all()
