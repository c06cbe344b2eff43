"""Places of pings and pixels, bad pings, and maps of one or several lines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.geometry import (
    Line,
    MapGrid,
    PingLimits,
    SwathLayout,
    bad_pings,
    coverage,
    grid_over,
    ping_geometry,
    project,
    recording_geometry,
    to_degrees,
    track_line,
    utm_crs,
)
from pmlda_gui.imagery.readers import ReadOptions, open_image
from pmlda_gui.imagery.scenes.recordings import MadePing, MadeRecording, xtf_bytes
from tests.imagery.synthetic_files import REAL_DATA
from tests.imagery.synthetic_surveys import CRS, LAYOUT, seabed, survey

PIXEL = 0.25
LINES = {
    "straight": {},
    "curved": {"curve": 70.0},
    "crab": {"crab": 12.0},
    "layback": {"curve": 50.0, "layback": 15.0},
    "all": {"curve": -60.0, "crab": -8.0, "layback": 9.0},
}


def error_of_places(line, geometry):
    """RMS distance in metres between where pixels are put and where they are."""
    across = LAYOUT.across()
    rows = np.repeat(np.arange(len(geometry), dtype=float), len(across))
    easting, northing = geometry.place(rows, np.tile(across, len(geometry)))
    true_easting, true_northing = line.places(across)
    return float(
        np.sqrt(
            np.mean((easting - true_easting.ravel()) ** 2 + (northing - true_northing.ravel()) ** 2)
        )
    )


def map_of(lines, geometries, pictures=None, pixel=PIXEL, grid=None):
    grid = grid_over(geometries, pixel) if grid is None else grid
    pictures = [line.picture() for line in lines] if pictures is None else pictures
    every = [
        Line(geometry, picture[np.newaxis], picture > 0, np.ones(len(geometry), dtype=bool))
        for geometry, picture in zip(geometries, pictures, strict=True)
    ]
    return project(every, grid), grid


def truth_of(grid, shift=(0.0, 0.0)):
    columns, rows = np.meshgrid(np.arange(grid.width) + 0.5, np.arange(grid.height) + 0.5)
    return seabed(
        grid.left + (columns + shift[0]) * grid.pixel_size,
        grid.top - (rows + shift[1]) * grid.pixel_size,
    )


def rms(difference):
    return float(np.sqrt(np.mean(difference**2)))


@pytest.mark.parametrize("kind", LINES)
def test_pixels_are_put_within_one_pixel_of_where_they_are(kind):
    line = survey(**LINES[kind])
    geometry = ping_geometry(line.navigation, LAYOUT)
    assert geometry.crs == CRS
    assert geometry.heading_recorded
    assert error_of_places(line, geometry) < PIXEL


@pytest.mark.parametrize("kind", LINES)
def test_a_map_shows_the_seabed_where_it_lies(kind):
    line = survey(**LINES[kind])
    found, grid = map_of([line], [ping_geometry(line.navigation, LAYOUT)])
    error = rms((found.planes[0] - truth_of(grid))[found.valid])
    one_pixel = min(
        rms((truth_of(grid, shift) - truth_of(grid))[found.valid]) for shift in ((1, 0), (0, 1))
    )
    assert error < one_pixel
    # The swath is 50 m wide and 120 m long.
    assert found.valid.sum() * PIXEL**2 == pytest.approx(6000, rel=0.06)


def test_values_lie_between_samples_and_pings_as_the_map_cuts_them():
    """Without noise the error is that of the map's pixels, far below one of them."""
    line = survey(noise=0.0)
    found, grid = map_of([line], [ping_geometry(line.navigation, LAYOUT)])
    one_pixel = rms((truth_of(grid, (1, 0)) - truth_of(grid))[found.valid])
    assert rms((found.planes[0] - truth_of(grid))[found.valid]) < 0.25 * one_pixel


def test_without_headings_the_course_made_good_is_taken():
    line = survey(curve=50.0)
    blind = replace(line.navigation, heading=np.full(400, np.nan))
    geometry = ping_geometry(blind, LAYOUT)
    assert not geometry.heading_recorded
    assert error_of_places(line, geometry) < 2 * PIXEL
    with pytest.raises(PmldaError, match="no headings"):
        ping_geometry(blind, LAYOUT, heading="recorded")


def test_a_compass_that_strays_is_not_followed():
    line = survey(curve=50.0)
    stray = 12.0 * np.sin(np.arange(400) / 25.0)
    geometry = ping_geometry(
        replace(line.navigation, heading=line.navigation.heading + stray), LAYOUT
    )
    assert not geometry.heading_recorded
    assert error_of_places(line, geometry) < 2 * PIXEL


def test_positions_far_away_and_fixes_that_repeat_do_no_harm():
    line = survey(curve=40.0, noise=0.02)
    positions = line.navigation.positions.copy()
    positions = positions[np.arange(400) // 5 * 5]  # a new fix every fifth ping
    positions[100:105] += 0.01
    positions[200:205] = 0.0
    geometry = ping_geometry(replace(line.navigation, positions=positions), LAYOUT)
    # A fix is true for the first of the pings that repeat it.
    assert error_of_places(line, geometry) < PIXEL


def test_offsets_of_the_mounting_move_the_sonar_with_its_heading():
    line = survey(course=90.0, noise=0.0)
    plain = ping_geometry(line.navigation, LAYOUT)
    moved = ping_geometry(line.navigation, LAYOUT, forward=3.0, starboard=2.0)
    assert (moved.easting - plain.easting)[200] == pytest.approx(3.0, abs=0.01)
    assert (moved.northing - plain.northing)[200] == pytest.approx(-2.0, abs=0.01)


def test_distances_between_rows_and_a_reduced_picture():
    line = survey(noise=0.05)
    whole = ping_geometry(line.navigation, LAYOUT)
    assert whole.row_spacing == pytest.approx(0.3, rel=0.01)
    assert whole.speed[200] == pytest.approx(2.0, rel=0.05)
    reduced = ping_geometry(line.navigation, SwathLayout(34, 34, 0.75, reduce=3))
    assert len(reduced) == 134
    assert reduced.row_spacing == pytest.approx(0.9, rel=0.01)
    assert reduced.easting[10] == pytest.approx(whole.easting[31], abs=0.02)


def test_a_point_has_latitude_and_longitude():
    line = survey(course=0.0, noise=0.0)
    geometry = ping_geometry(line.navigation, LAYOUT)
    latitude, longitude = geometry.latitude_longitude(np.array([50.0]), np.array([0.0]))
    assert latitude[0] == pytest.approx(line.navigation.latitude[50], abs=1e-8)
    assert longitude[0] == pytest.approx(line.navigation.longitude[50], abs=1e-8)
    # 20 m to starboard of a track to the north is 20 m east.
    there = geometry.latitude_longitude(np.array([50.0]), np.array([20.0]))[1]
    assert (there[0] - longitude[0]) * 111_320 * np.cos(np.radians(48)) == pytest.approx(
        20, rel=0.01
    )


def test_the_zone_of_a_place_is_found_on_either_hemisphere():
    from rasterio import crs

    assert crs.CRS.from_wkt(utm_crs(48.0, -68.0)).to_epsg() == 32619
    assert crs.CRS.from_wkt(utm_crs(-33.9, 151.2)).to_epsg() == 32756
    assert crs.CRS.from_wkt(utm_crs(0.0, 180.0)).to_epsg() == 32601
    with pytest.raises(PmldaError, match="UTM does not reach"):
        utm_crs(89.0, 0.0)


def test_a_picture_of_slant_range_is_put_by_the_height():
    line = survey(curve=20.0)
    height = 8.0
    slant = replace(LAYOUT, ground=False)
    geometry = ping_geometry(line.navigation, slant, height=np.full(400, height))
    picture = line.picture(slant, height)
    found, grid = map_of([line], [geometry], [picture])
    assert rms((found.planes[0] - truth_of(grid))[found.valid]) < 0.1
    flat = ping_geometry(line.navigation, LAYOUT)
    wrong, grid = map_of([line], [flat], [picture])
    assert rms((wrong.planes[0] - truth_of(grid))[wrong.valid]) > 0.2
    assert np.isnan(geometry.ground()[0, 100:131]).all()
    assert geometry.ground()[0, 199] == pytest.approx(np.sqrt(24.875**2 - 64))


def test_two_overlapping_lines_agree_and_are_blended():
    there = survey(course=20.0, seed=1)
    # Back on a line 20 m to starboard.
    sideways = 20.0 * np.array([np.cos(np.radians(20)), -np.sin(np.radians(20))])
    ahead = 120.0 * np.array([np.sin(np.radians(20)), np.cos(np.radians(20))])
    back = survey(course=200.0, start=tuple(sideways + ahead), seed=2)
    geometries = [ping_geometry(line.navigation, LAYOUT) for line in (there, back)]
    grid = grid_over(geometries, PIXEL)
    alone = [
        map_of([line], [geometry], grid=grid)[0]
        for line, geometry in zip((there, back), geometries, strict=True)
    ]
    both = alone[0].valid & alone[1].valid
    assert both.sum() * PIXEL**2 > 2500
    first, second = alone[0].planes[0][both], alone[1].planes[0][both]
    assert rms(first - second) < 0.08
    assert np.corrcoef(first, second)[0, 1] > 0.95
    blended, _ = map_of([there, back], geometries, grid=grid)
    mean = (first * alone[0].weight[both] + second * alone[1].weight[both]) / (
        alone[0].weight[both] + alone[1].weight[both]
    )
    assert blended.planes[0][both] == pytest.approx(mean, abs=1e-4)
    assert (blended.valid == (alone[0].valid | alone[1].valid)).all()


def test_weights_fall_towards_the_track_and_the_far_range():
    line = survey(course=0.0, noise=0.0)
    geometry = ping_geometry(line.navigation, LAYOUT)
    found, grid = map_of([line], [geometry])
    profile = found.weight[grid.height // 2]
    track = int((geometry.easting[200] - grid.left) / PIXEL)
    assert profile[track] < 0.2 * profile[track + 40]
    assert profile[track + 97] < 0.3 * profile[track + 40]


def test_every_plane_is_projected_alike_and_memberships_still_sum_to_one():
    line = survey(curve=60.0)
    geometry = ping_geometry(line.navigation, LAYOUT)
    share = (line.picture() / 2).astype(np.float32)
    planes = np.stack([share, 1 - share])
    valid = np.ones(share.shape, dtype=bool)
    valid[:, 95:105] = False
    found = project(
        [Line(geometry, planes, valid, np.ones(400, dtype=bool))], grid_over([geometry], 0.5)
    )
    sums = found.planes.sum(axis=0)
    assert sums[found.valid] == pytest.approx(np.ones(found.valid.sum()), abs=1e-4)
    assert not sums[~found.valid].any()


def test_turns_gaps_and_lost_positions_are_found():
    sharp = ping_geometry(survey(curve=400.0, noise=0.02).navigation, LAYOUT)
    assert bad_pings(sharp)["turn"].mean() > 0.8
    calm = bad_pings(ping_geometry(survey(curve=60.0).navigation, LAYOUT))
    assert not any(mask.any() for mask in calm.values())
    assert bad_pings(sharp, PingLimits(turn=0.1))["turn"].sum() == 0
    line = survey(noise=0.02)
    ahead = survey(noise=0.02, start=(300.0, 357.5)).navigation.positions
    positions = np.where((np.arange(400) < 250)[:, np.newaxis], line.navigation.positions, ahead)
    missing = np.zeros(400, dtype=bool)
    missing[50:60] = True
    jumped = replace(line.navigation, positions=positions, interpolated=missing)
    found = bad_pings(ping_geometry(jumped, LAYOUT, heading="recorded"))
    assert found["position"][50:60].all()
    assert (found["gap"] | found["speed"])[246:254].any()
    assert not (found["gap"] | found["speed"])[:200].any()


def test_bad_pings_are_left_out_of_the_map_and_of_the_outline():
    line = survey(course=0.0, noise=0.0)
    geometry = ping_geometry(line.navigation, LAYOUT)
    good = np.ones(400, dtype=bool)
    good[100:200] = False
    picture = line.picture()
    grid = grid_over([geometry], PIXEL)
    found = project([Line(geometry, picture[np.newaxis], picture > 0, good)], grid)
    rows = found.valid.any(axis=1)
    assert (~rows).sum() * PIXEL == pytest.approx(30.3, abs=1.0)
    rings = coverage(geometry, good)
    assert len(rings) == 2
    areas = [
        abs(
            np.dot(ring[:-1, 0] - ring[0, 0], ring[1:, 1] - ring[0, 1])
            - np.dot(ring[:-1, 1] - ring[0, 1], ring[1:, 0] - ring[0, 0])
        )
        / 2
        for ring in rings
    ]
    assert sum(areas) == pytest.approx(found.valid.sum() * PIXEL**2, rel=0.02)
    assert track_line(geometry).shape == (400, 2)


def test_a_map_can_be_stopped_and_says_how_far_it_is():
    made = survey()
    geometry = ping_geometry(made.navigation, LAYOUT)
    picture = made.picture()
    told = []
    project(
        [Line(geometry, picture[np.newaxis], picture > 0, np.ones(400, dtype=bool))] * 2,
        grid_over([geometry], 1.0),
        Progress(lambda done, _: told.append(done)),
    )
    assert told == sorted(told)
    assert told[-1] == 1.0

    line = Line(geometry, picture[np.newaxis], picture > 0, np.ones(400, dtype=bool))
    grid = grid_over([geometry], 1.0)
    with pytest.raises(Cancelled, match="was stopped"):
        project([line], grid, Progress(is_cancelled=lambda: True))


def test_what_has_no_place_is_refused_in_a_sentence():
    line = survey()
    lost = replace(line.navigation, positions=np.full((400, 2), np.nan))
    with pytest.raises(PmldaError, match="has no positions"):
        ping_geometry(lost, LAYOUT)
    with pytest.raises(PmldaError, match="unstated projection"):
        ping_geometry(replace(line.navigation, geographic=False), LAYOUT)
    geometry = ping_geometry(line.navigation, LAYOUT)
    with pytest.raises(PmldaError, match="choose larger pixels"):
        grid_over([geometry], 0.001)
    with pytest.raises(PmldaError, match="at least one recording"):
        grid_over([], 1.0)
    picture = line.picture()[:, :50]
    with pytest.raises(PmldaError, match="its geometry has 400"):
        project(
            [Line(geometry, picture[np.newaxis], picture > 0, np.ones(400, dtype=bool))],
            grid_over([geometry], 1.0),
        )


def test_a_recording_opened_from_a_file_lies_where_its_seabed_is(tmp_path):
    line = survey(curve=50.0, layback=6.0)
    layout = SwathLayout(100, 100, 0.25)
    picture = line.picture(layout) * 100
    degrees = line.navigation.positions
    pings = [
        MadePing(
            row[:100][::-1].astype("<u2"),
            row[100:].astype("<u2"),
            slant_range=25.0,
            position=(0.0, 0.0),
            ship_position=(place[0], place[1]),
            layback=6.0,
            heading=float(heading),
            second=number % 60,
        )
        for number, (row, place, heading) in enumerate(
            zip(picture, degrees, line.navigation.heading, strict=True)
        )
    ]
    path = tmp_path / "line.xtf"
    path.write_bytes(xtf_bytes(MadeRecording(pings)))
    options = ReadOptions(
        mask_water_column=False,
        correct_slant_range=False,
        normalise_gain=False,
        square_pixels=False,
    )
    image = open_image(path, options)
    geometry = recording_geometry(path, image)
    assert error_of_places(line, geometry) < PIXEL
    found, grid = map_of([line], [geometry], [image.pixels])
    assert rms(found.planes[0][found.valid] / 100 - truth_of(grid)[found.valid]) < 0.1
    shorter = replace(image, pixels=image.pixels[:-1], valid=image.valid[:-1])
    with pytest.raises(PmldaError, match="open the recording again"):
        recording_geometry(path, shorter)


@pytest.mark.skipif(not REAL_DATA.exists(), reason="the real imagery is not here")
def test_the_river_lies_on_the_mosaic_made_of_it():
    import rasterio
    from scipy.ndimage import gaussian_filter

    path = REAL_DATA / "xtf" / "river.xtf"
    image = open_image(path, ReadOptions(normalise_gain=False, square_pixels=False))
    geometry = recording_geometry(path, image)
    with rasterio.open(REAL_DATA / "geotiff" / "river_mosaic_u8.tif") as source:
        mosaic, place = source.read(1).astype(float), source.transform
    grid = MapGrid(geometry.crs, place.c, place.f, 0.1, *mosaic.shape)
    found = project(
        [Line(geometry, image.pixels[np.newaxis], image.valid, np.ones(len(geometry), dtype=bool))],
        grid,
    )
    both = found.valid & (mosaic > 0)
    assert both.sum() > 0.95 * (mosaic > 0).sum()

    def detail(values):
        near, wide = (
            gaussian_filter(values * both, size) / (gaussian_filter(both * 1.0, size) + 1e-6)
            for size in (3, 25)
        )
        return near - wide

    ours, theirs = detail(np.log1p(found.planes[0])), detail(mosaic)

    def agreement(down, right):
        moved = np.roll(theirs, (-down, -right), axis=(0, 1))
        return np.corrcoef(ours[both], moved[both])[0, 1]

    tried = {
        (down, right): agreement(down, right)
        for down in (-6, -3, 0, 3, 6)
        for right in (-6, -3, 0, 3, 6)
    }
    assert max(tried, key=lambda shift: tried[shift]) == (0, 0)
    assert tried[0, 0] > 0.4
    assert to_degrees(geometry.easting[:1], geometry.northing[:1], geometry.crs)[0][0] > 42
