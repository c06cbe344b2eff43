"""Images too large to sample pixel by pixel: the same maps from bounded memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import rasterio

import pmlda_gui
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.features import compute_features, intensity_ranges
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.metrics import adjusted_rand_index
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace import tiled_memberships, tiled_preparation
from pmlda_gui.workspace.batch.options import FurtherOptions, settings_from
from pmlda_gui.workspace.batch.segment import compute
from pmlda_gui.workspace.export import write_results
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice
from tests.workspace.synthetic_results import UTM, synthetic_image

SETTINGS: FurtherOptions = {"document_count": 30, "sweeps": 25, "features": "mean,std,entropy"}


@pytest.fixture
def small_limits(monkeypatch):
    """Everything above 10,000 pixels is large, and tiles are small."""
    monkeypatch.setattr(tiled_preparation, "LARGEST_CORPUS", 10_000)
    monkeypatch.setattr(tiled_preparation, "WORDS_FOR_TOPICS", 4_000)
    monkeypatch.setattr(tiled_preparation, "TILE_ROWS", 64)
    monkeypatch.setattr(tiled_preparation, "TILE_COLUMNS", 80)


@pytest.fixture
def image():
    return make_scene("mosaic-edge", (200, 180), seed=2).image


@pytest.mark.usefixtures("small_limits")
def test_the_maps_are_nearly_those_of_sampling_every_pixel(image, monkeypatch):
    quick = pmlda_gui.segment(image, **SETTINGS)
    monkeypatch.setattr(tiled_preparation, "LARGEST_CORPUS", 10**9)
    slow = pmlda_gui.segment(image, **SETTINGS)
    inside = slow.valid & quick.valid
    assert inside.sum() > 0.99 * slow.valid.sum()
    difference = quick.memberships[:, inside] - slow.memberships[:, inside]
    # The chains differ in words and documents; even maps would be off by about 0.3.
    assert np.sqrt(np.mean(difference**2)) < 0.08
    assert quick.memberships[:, inside].sum(axis=0) == pytest.approx(1, abs=1e-5)
    # The mean: half of the pixels are pure, and have next to no uncertainty.
    spread = quick.uncertainty[:, inside].mean() / slow.uncertainty[:, inside].mean()
    assert 0.5 < spread < 1.6


@pytest.mark.usefixtures("small_limits")
def test_averages_make_up_for_the_rows_and_columns_that_are_not_mapped(image, monkeypatch):
    # A speck far from everything has no sample in reach.
    valid = image.valid.copy()
    valid[60:130, 60:130] = False
    valid[95:97, 94:96] = True
    image = replace(image, valid=valid)
    sampled = pmlda_gui.segment(image, **SETTINGS)
    monkeypatch.setattr(tiled_memberships, "sample_step", lambda deviation, window: 1)
    every = pmlda_gui.segment(image, **SETTINGS)
    assert np.array_equal(sampled.valid, every.valid)
    inside = every.valid
    for mine, known in (
        (sampled.memberships, every.memberships), (sampled.uncertainty, every.uncertainty),
    ):  # fmt: skip
        away = mine[:, inside] - known[:, inside]
        assert 0.0 < np.abs(away).max() < 0.1
        assert np.sqrt(np.mean(away**2)) < 0.01


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("seed", range(3))
def test_pixels_and_cells_number_their_topics_alike(image, seed):
    # Chains number topics as they find them, differently from seed to seed.
    (found,) = compute([image], settings_from(**{**SETTINGS, "seed": seed})).images
    cells = found.segmentation.memberships
    tile = next(each for each in found.tiles() if (each.row, each.column) == (64, 80))
    here = cells[:, 64 // found.reduction : 128 // found.reduction, 80 // found.reduction : 53]
    for drawn, known in zip(tile.memberships, here, strict=True):
        assert np.nanmean(drawn) == pytest.approx(np.nanmean(known), abs=0.05)


@pytest.mark.usefixtures("small_limits")
def test_pixels_are_mapped_with_the_words_that_were_learned_from(image, monkeypatch):
    # With a lattice on the cells, words are turned for the number of topics.
    monkeypatch.setattr(tiled_preparation, "WORDS_FOR_TOPICS", 30_000)
    settings = settings_from(document_count=30, sweeps=25, features="seabed")
    (found,) = compute([image], settings).images
    assert found.reduction == 2
    cells = found.segmentation.memberships
    tile = next(each for each in found.tiles() if (each.row, each.column) == (64, 80))
    middles = tile.memberships[:, 1::2, 1::2]
    known = cells[:, 32 : 32 + middles.shape[1], 40 : 40 + middles.shape[2]]
    assert np.sqrt(np.nanmean((middles - known) ** 2)) < 5e-3


@pytest.mark.usefixtures("small_limits")
def test_no_membership_lies_outside_the_image_and_hardly_a_pixel_lacks_one(image):
    found = pmlda_gui.segment(image, **SETTINGS)
    assert not (found.valid & ~image.valid).any()
    assert found.valid.sum() > 0.99 * image.valid.sum()
    assert found.documents.count == found.proportions.shape[0]


@pytest.mark.usefixtures("small_limits")
def test_files_are_written_tile_by_tile_in_full_size(tmp_path):
    image = synthetic_image((150, 170), georeference=UTM)
    result = compute([image], settings_from(**SETTINGS))
    assert result.images[0].reduction == 3
    assert result.images[0].segmentation.memberships.shape == (3, 50, 57)
    write_results(result, tmp_path)
    with rasterio.open(tmp_path / "line 7_memberships.tif") as raster:
        maps = raster.read()
        assert tuple(raster.transform)[:6] == UTM.transform
    assert maps.shape == (3, 150, 170)
    assert np.array_equal(maps, pmlda_gui.segment(image, **SETTINGS).memberships, equal_nan=True)
    assert any("documents were made on every third row" in text for text in result.warnings)


@pytest.mark.usefixtures("small_limits")
def test_the_mode_needs_no_sweeps_and_has_no_uncertainty(image):
    found = pmlda_gui.segment(image, estimate="map", **SETTINGS)
    assert found.uncertainty is None
    assert found.memberships[:, found.valid].sum(axis=0) == pytest.approx(1, abs=1e-5)


@pytest.mark.usefixtures("small_limits")
def test_one_sample_of_the_map_can_be_had_too(image):
    found = pmlda_gui.segment(image, estimate="paper-map", **SETTINGS)
    assert found.uncertainty is None
    assert found.memberships[:, found.valid].sum(axis=0) == pytest.approx(1, abs=1e-5)


@pytest.mark.usefixtures("small_limits")
def test_once_stopped_the_rest_repeats_what_is_known_of_its_cells(image):
    stopped = [False]
    result = compute(
        [image], settings_from(**SETTINGS), progress=Progress(is_cancelled=lambda: stopped[0])
    )
    tiles = result.images[0].tiles()
    first = next(tiles)
    stopped[0] = True
    rest = list(tiles)
    assert first.memberships.shape[1:] == (64, 80)
    cells = result.images[0].segmentation.memberships
    tile = next(each for each in rest if (each.row, each.column) == (64, 80))
    factor = result.images[0].reduction
    expected = cells[:, (64 + np.arange(64)[:, None]) // factor, (80 + np.arange(80)) // factor]
    known = ~np.isnan(tile.memberships)
    assert known.mean() > 0.9
    assert np.array_equal(tile.memberships[known], expected[known])


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(
    ("names", "scale", "off"),
    [
        (("mean", "std", "entropy"), 1.0, 1e-6),
        (("gabor_12", "lacunarity_7"), 1.0, 2e-4),
        (("std", "gabor_24"), 1.0, 1e-2),
        (("std", "gabor_24"), 2.0, 1e-2),
        # The shortest waves' filter is cut off where pixels can show no shorter ones, so
        # that all pixels of a row have a part in it.
        (("gabor_3", "anisotropy"), 1.0, 6e-2),
    ],
)
def test_features_do_not_know_where_tiles_end(names, scale, off):
    """They differ by no more than `off` of what the image's features vary."""
    image = synthetic_image((600, 590))
    choice = FeatureChoice(names, window=11, scale=scale)
    levels = intensity_ranges([image])
    whole = compute_features(image, names, window=11, levels=levels, scale=scale).values
    for tile in tiled_preparation.tile_windows(image.shape)[::3]:
        found = tiled_preparation.tile_features(image, tile, choice, levels)
        if found is None:
            assert not image.valid[tile.slices].any()
            continue
        away = np.abs(found.values - whole[tile.slices]) / np.nanstd(whole, axis=(0, 1))
        assert np.nanmax(away) <= off
        rows, columns = tile.slices
        if min(rows.start, columns.start) >= 160 and max(rows.stop, columns.stop) <= 430:
            # Away from the image's own edges only the shortest waves know of the tile.
            assert np.nanmax(away) <= (off if "gabor_3" in names else 1e-5)


@pytest.mark.usefixtures("small_limits")
def test_a_second_band_counts_in_large_images_too(image):
    # The first band is noise; only the second knows the seabed.
    noise = np.random.default_rng(1).random(image.shape).astype(np.float32)
    both = Image(np.where(image.valid, noise, 0), image.valid, further=(image.pixels,))
    settings: FurtherOptions = {**SETTINGS, "features": "mean,std"}
    found = pmlda_gui.segment(both, **settings)
    alone = pmlda_gui.segment(image, **settings)
    assert found.feature_names == ("mean[1]", "std[1]", "mean[2]", "std[2]")
    inside = found.valid & alone.valid
    agreement = adjusted_rand_index(found.labels[inside], alone.labels[inside])
    assert agreement > 0.3


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"documents": "window"}, "too many for sliding windows"),
        ({"features": "paper-sas-ripple"}, "feature ripple is measured in whole documents"),
    ],
)
def test_what_needs_the_whole_image_at_once_is_refused(settings, complaint, image):
    with pytest.raises(PmldaError, match=complaint):
        compute([image], settings_from(**settings))


def test_more_chains_share_the_same_room(monkeypatch):
    monkeypatch.setattr(tiled_preparation, "LARGEST_CORPUS", 4000)
    images = [synthetic_image()]
    assert not tiled_preparation.too_large(images, DocumentChoice())
    assert tiled_preparation.too_large(images, DocumentChoice(), chains=3)


@pytest.mark.usefixtures("small_limits")
def test_several_large_images_share_their_topics(image):
    first, second = pmlda_gui.segment([image, synthetic_image((90, 80))], **SETTINGS)
    assert np.array_equal(first.means, second.means)
    assert second.memberships.shape == (3, 90, 80)
    counts = [each.documents.count for each in (first, second)]
    assert [len(each.proportions) for each in (first, second)] == counts


@pytest.mark.usefixtures("small_limits")
def test_label_maps_serve_large_images_too(image):
    rows, columns = np.ogrid[: image.shape[0], : image.shape[1]]
    labels = (rows // 50 * 4 + columns // 50).astype(np.int32)
    found = pmlda_gui.segment(image, documents=labels, sweeps=5)
    assert found.documents.count <= 16
