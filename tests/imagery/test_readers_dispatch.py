"""The doors of the readers: cost, limits, progress, folders, labels, and plain refusals."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.io import savemat

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.readers import (
    ReadOptions,
    offered_documents,
    open_image,
    open_images,
    probe,
    read_label_map,
)
from tests.imagery.synthetic_files import REAL_DATA, synthetic_file_of_every_kind, write_raster

READ_AT_ONCE = {"mat", "plain.mat"}


@pytest.fixture
def every_kind(tmp_path):
    return synthetic_file_of_every_kind(tmp_path)


def test_importing_the_readers_loads_no_heavy_library():
    heavy = "{'rasterio', 'scipy', 'skimage', 'numba', 'h5py', 'PySide6'}"
    code = f"import sys, pmlda_gui.imagery.readers; print(sorted({heavy} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_a_probe_states_the_size_of_what_opens(every_kind):
    for path in every_kind.values():
        description, image = probe(path), open_image(path)
        assert (description.height, description.width) == image.shape, path.name
        opened = image.pixels.nbytes + image.valid.nbytes
        # Colours that turn out to be grey, as in this BMP's palette, end as one band.
        turned_grey = description.colours == 3 and not image.is_colour
        assert turned_grey == (path.suffix == ".bmp")
        assert description.bytes_needed == opened or turned_grey, path.name


def test_every_kind_can_be_read_reduced(every_kind):
    for path in every_kind.values():
        height, width = open_image(path).shape
        reduced = open_image(path, ReadOptions(reduce=3))
        assert abs(reduced.shape[0] - height / 3) < 1, path.name
        assert abs(reduced.shape[1] - width / 3) < 2, path.name


def test_what_is_too_large_is_refused_with_the_reduction_that_fits(every_kind):
    for kind in every_kind.keys() - READ_AT_ONCE:
        path = every_kind[kind]
        pixels = open_image(path).valid.size
        limit = ReadOptions(limit_pixels=pixels // 3)
        with pytest.raises(PmldaError, match=rf"{path.name} is .* limit .* reduced by 2 \(--"):
            open_image(path, limit)
        assert probe(path).reduction_to_fit(limit.limit_pixels) == 2
        assert open_image(path, ReadOptions(limit_pixels=pixels // 3, reduce=2)).valid.size


def test_what_cannot_be_read_in_parts_is_refused_with_another_remedy(every_kind):
    for kind in READ_AT_ONCE:
        with pytest.raises(PmldaError, match=r"with 768 values.* limit is 767; save it as NPY"):
            open_image(every_kind[kind], ReadOptions(limit_pixels=767))
        assert open_image(every_kind[kind], ReadOptions(limit_pixels=768)).valid.size == 768


@pytest.fixture
def in_small_strips(monkeypatch):
    """Everything is read here, and a few values at a time."""
    monkeypatch.setattr("pmlda_gui.imagery.readers.pixel_reader.STRIP_VALUES", 64)
    monkeypatch.setattr("pmlda_gui.imagery.readers.reader_process._command", list)


@pytest.mark.usefixtures("in_small_strips")
def test_progress_rises_to_one(every_kind):
    for path in every_kind.values():
        fractions = []
        open_image(path, progress=fractions.append)
        assert len(fractions) >= 3, path.name
        assert fractions == sorted(fractions)
        assert fractions[-1] == 1.0


@pytest.mark.usefixtures("in_small_strips")
def test_a_reading_stops_when_asked_to(every_kind):
    for path in every_kind.values():
        asked = []

        def cancel(asked=asked):
            asked.append(True)
            return len(asked) > 1

        with pytest.raises(Cancelled, match=path.name):
            open_image(path, cancel=cancel)
        assert len(asked) == 2


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.png", b"", r"empty\.png is empty"),
        ("note.png", b"this is a letter, not a picture", r"note\.png is not in a format"),
        ("head.png", b"\x89PNG\r\n\x1a\n", r"head\.png cannot be read"),
        ("head.tif", b"II*\x00\x08\x00\x00\x00", r"head\.tif cannot be read"),
        ("head.npy", b"\x93NUMPY", r"head\.npy cannot be read"),
        ("head.npz", b"PK\x03\x04", r"head\.npz cannot be read"),
        ("head.xtf", b"\x7b" + bytes(50), r"head\.xtf is cut short"),
        ("head.mat", b"MATLAB 5.0".ljust(124) + b"\x00\x01IM", r"head\.mat holds no array"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path, name, content, sentence):
    path = tmp_path / name
    path.write_bytes(content)
    for reading in (probe, open_image):
        with pytest.raises(PmldaError, match=sentence) as caught:
            reading(path)
        assert str(caught.value).endswith(".")
        assert ";" in str(caught.value), "a remedy follows"


def test_missing_files_and_folders_are_told_apart(tmp_path):
    with pytest.raises(PmldaError, match=r"gone\.png was not found"):
        open_image(tmp_path / "gone.png")
    with pytest.raises(PmldaError, match="is a folder"):
        open_image(tmp_path)


@pytest.mark.parametrize("options", [{"reduce": 0}, {"limit_pixels": 0}, {"channels": (0, 1, 2)}])
def test_senseless_options_are_refused(options):
    with pytest.raises(PmldaError):
        ReadOptions(**options)


def grey(path, value=1, size=(4, 5)):
    return write_raster(path, np.full((1, *size), value, dtype=np.uint8), "PNG")


def test_a_folder_opens_in_the_order_of_its_numbers_without_what_is_no_imagery(tmp_path):
    for name in ("line 10.png", "line 9.png", "line 9_labels.png", ".hidden.png"):
        grey(tmp_path / name)
    (tmp_path / "points.csv").write_text("x,y\n1,2\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.png").touch()
    assert [image.name for image in open_images([tmp_path])] == ["line 9.png", "line 10.png"]


def test_files_keep_the_order_they_were_named_in_and_are_opened_once(tmp_path):
    second, first = grey(tmp_path / "b.png"), grey(tmp_path / "a.png")
    images = open_images([second, first, tmp_path])
    assert [image.name for image in images] == ["b.png", "a.png"]


def test_the_limit_holds_for_all_images_together(tmp_path):
    for name in "abc":
        grey(tmp_path / f"{name}.png")
    assert len(open_images([tmp_path], ReadOptions(limit_pixels=60))) == 3
    with pytest.raises(PmldaError, match=r"up to c\.png hold 60 pixels"):
        open_images([tmp_path], ReadOptions(limit_pixels=59))


def test_a_damaged_image_in_a_folder_is_named(tmp_path):
    grey(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(PmldaError, match=r"b\.png cannot be read"):
        open_images([tmp_path])


def test_a_folder_without_imagery_says_so(tmp_path):
    with pytest.raises(PmldaError, match="holds no imagery"):
        open_images([tmp_path])
    with pytest.raises(PmldaError, match="Nothing was chosen"):
        open_images([])


def four_regions(height=20, width=24):
    rows, columns = np.mgrid[:height, :width]
    return 1 + 2 * (rows >= height // 2) + (columns >= width // 2)


@pytest.mark.parametrize("name", ["a.png", "a.tif", "a.npy", "a.mat"])
def test_label_maps_come_back_as_whole_numbers(tmp_path, name):
    labels, path = four_regions(), tmp_path / name
    if name.endswith("npy"):
        np.save(path, labels)
    elif name.endswith("mat"):
        savemat(path, {"Seg": labels})
    else:
        driver = "PNG" if name.endswith("png") else "GTiff"
        write_raster(path, labels[np.newaxis].astype(np.uint16), driver)
    read = read_label_map(path)
    assert read.dtype == np.int32
    np.testing.assert_array_equal(read, labels)


@pytest.mark.parametrize("value", [0.5, -1.0, 1e9])
def test_what_is_not_a_label_map_is_refused(tmp_path, value):
    path = tmp_path / "a.npy"
    np.save(path, np.array([[1.0, value], [2.0, 3.0]]))
    with pytest.raises(PmldaError, match="not a label map"):
        read_label_map(path)


def test_regions_are_offered_as_documents_and_scattered_classes_are_not(tmp_path):
    rng = np.random.default_rng(2)
    image = rng.random((20, 24))
    path = tmp_path / "scene.mat"
    savemat(
        path,
        {
            "I": image,
            "Seg": four_regions().astype(np.uint8),
            "textons": rng.integers(1, 5, image.shape),
            "other": image + 1,
            "small": four_regions(4, 4),
        },
    )
    offered = offered_documents(path)
    assert [(documents.name, documents.count) for documents in offered] == [("Seg", 4)]
    np.testing.assert_array_equal(offered[0].labels, four_regions())


@pytest.mark.skipif(not REAL_DATA.exists(), reason="the real imagery is not here")
def test_the_papers_file_offers_its_fifty_superpixels():
    offered = offered_documents(REAL_DATA / "paper" / "hf00.mat")
    assert [(documents.name, documents.count) for documents in offered] == [("Seg", 50)]


@pytest.mark.skipif(not REAL_DATA.exists(), reason="the real imagery is not here")
def test_the_real_strips_open_as_one_corpus_without_their_labels():
    images = open_images([REAL_DATA / "sss"])
    assert [image.name for image in images] == [
        f"strip_{number}.png" for number in ("00", "01", "04", "05")
    ]
