"""The read-out says where the cursor is, what is there, and what it is made of."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.gui.controller.pixel_readout import read_pixel
from pmlda_gui.gui.frame import Snapshot
from pmlda_gui.gui.frame_maker import Framer
from pmlda_gui.imagery.image import Georeference, Image
from tests.gui.small_scenes import small_image, small_run


def snapshot_of_run(sweeps: int = 0) -> tuple[Snapshot, np.ndarray]:
    run = small_run()
    run.sweep(sweeps)
    framer = Framer(run, 1)
    while (wanted := framer.mapper.next_pass(at_rest=True)) is not None:
        framer.mapper.make(wanted, lambda: False)
    maps = run.maps().memberships
    run.close()
    return framer.snapshot(), maps


def test_outside_the_image_there_is_nothing_to_read() -> None:
    for position in ((-0.1, 3.0), (3.0, -0.1), (52.0, 3.0), (3.0, 60.0)):
        assert read_pixel(small_image(), None, position) is None


def test_a_pixel_is_read_with_its_place_in_metres_and_its_value() -> None:
    image = small_image()
    reading = read_pixel(image, None, (20.9, 30.2))
    assert reading.lines[0] == "column 20, row 30"
    assert reading.lines[1] == f"{20.9 * 0.025:.2f} m across, {30.2 * 0.025:.2f} m down"
    assert reading.lines[2] == f"value {image.pixels[30, 20]:.4g}"


def test_memberships_proportions_and_scaling_are_those_of_the_pixel_and_its_document() -> None:
    snapshot, maps = snapshot_of_run()
    reading = read_pixel(small_image(), snapshot, (20.5, 30.5))
    np.testing.assert_allclose(
        [bar.membership for bar in reading.bars], maps[:, 30, 20], atol=0.51 / 254
    )
    document = snapshot.prepared.documents[0].labels[30, 20]
    assert [bar.proportion for bar in reading.bars] == pytest.approx(
        list(snapshot.proportions[document])
    )
    assert reading.scaling == pytest.approx(snapshot.scaling[document])


def test_the_uncertainty_is_told_once_it_is_known() -> None:
    young, _ = snapshot_of_run()
    reading = read_pixel(small_image(), young, (20.5, 30.5))
    assert "uncertainty not known yet" in reading.lines
    old, _ = snapshot_of_run(sweeps=30)
    line = read_pixel(small_image(), old, (20.5, 30.5)).lines[-1]
    assert re.fullmatch(r"uncertainty ± 0\.\d+( or more)?", line)


def test_a_pixel_without_data_has_no_memberships() -> None:
    snapshot, _ = snapshot_of_run()
    reading = read_pixel(small_image(), snapshot, (2.0, 2.0))
    assert reading.bars == ()
    assert "no data" in reading.lines


def test_maps_of_another_image_are_not_read() -> None:
    snapshot, _ = snapshot_of_run()
    other = Image(np.zeros((10, 10), np.float32), np.ones((10, 10), np.bool_))
    assert read_pixel(other, snapshot, (5.0, 5.0)).bars == ()


def test_coordinates_are_told_in_degrees_or_metres_as_the_reference_system_has_them() -> None:
    transform = (0.5, 0.0, 100.0, 0.0, -0.5, 50.0)
    degrees = replace(small_image(), georeference=Georeference('GEOGCS["WGS 84"]', transform))
    assert read_pixel(degrees, None, (10.0, 20.0)).lines[1] == "lat 40.000000°, lon 105.000000°"
    metres = replace(small_image(), georeference=Georeference('PROJCS["UTM"]', transform))
    assert read_pixel(metres, None, (10.0, 20.0)).lines[1] == "x 105.0 m, y 40.0 m"
