"""MAT 5, MAT 7.3, NPY and NPZ: round trips, choice of the image, and hostile files."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.io import savemat

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers import ReadOptions, open_image, probe
from tests.imagery.synthetic_files import REAL_DATA, write_mat73

HF00 = REAL_DATA / "paper" / "hf00.mat"


def save(kind, folder, **variables):
    path = folder / f"saved.{'npz' if kind == 'npz' else 'mat'}"
    if kind == "npz":
        np.savez(path, **variables)
    elif kind == "mat5":
        savemat(path, variables)
    else:
        write_mat73(path, **variables)
    return path


@pytest.mark.parametrize("kind", ["npz", "mat5", "mat73"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.float64])
def test_a_matrix_comes_back_upright(tmp_path, kind, dtype):
    values = np.arange(15).reshape(3, 5).astype(dtype)
    image = open_image(save(kind, tmp_path, I=values))
    np.testing.assert_array_equal(image.pixels, values)
    assert image.band_names == ("I",)


@pytest.mark.parametrize("kind", ["npz", "mat5", "mat73"])
def test_complex_matrices_become_magnitude(tmp_path, kind):
    image = open_image(save(kind, tmp_path, I=np.full((3, 4), 6 + 8j)))
    np.testing.assert_allclose(image.pixels, 10.0)


@pytest.mark.parametrize("kind", ["npz", "mat5", "mat73"])
def test_the_image_is_picked_by_its_name_and_the_rest_is_offered(tmp_path, kind):
    path = save(
        kind,
        tmp_path,
        Seg=np.ones((8, 9)),
        tmap=np.full((20, 20), 2.0),
        I=np.full((8, 9), 3.0),
    )
    description = probe(path)
    assert (description.height, description.width) == (8, 9)
    assert {band.description for band in description.bands} == {"I", "Seg", "tmap"}
    image = open_image(path)
    assert (image.pixels == 3).all()
    assert "tmap" in image.notes[0]
    assert open_image(path, ReadOptions(band="tmap")).shape == (20, 20)


@pytest.mark.parametrize("kind", ["npz", "mat5", "mat73"])
def test_a_stack_is_offered_slice_by_slice_and_three_slices_as_colour(tmp_path, kind):
    stack = np.arange(2 * 3 * 5, dtype=np.float64).reshape(2, 3, 5)
    path = save(kind, tmp_path, cube=stack)
    np.testing.assert_array_equal(
        open_image(path, ReadOptions(band="cube 4")).pixels, stack[:, :, 3]
    )
    colour = open_image(save(kind, tmp_path, photo=stack[:, :, :3]))
    assert colour.is_colour
    np.testing.assert_array_equal(colour.pixels, stack[:, :, :3])


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    values=arrays.arrays(
        dtype=st.sampled_from(["<f4", ">f8", "<u2", ">i4", "bool"]),
        shape=st.tuples(st.integers(1, 6), st.integers(2, 6)),
        elements={"min_value": 0, "max_value": 60000} | {"allow_nan": False},
    ),
    columns_first=st.booleans(),
)
def test_npy_arrays_of_any_order_and_type_come_back(tmp_path, values, columns_first):
    path = tmp_path / "a.npy"
    np.save(path, np.asfortranarray(values) if columns_first else values)
    image = open_image(path)
    np.testing.assert_array_equal(image.pixels, values.astype(np.float32))
    assert image.valid.all()


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    values=arrays.arrays(
        dtype=st.sampled_from(["<f4", "<f8", "u1", "<u2", "<i4", "<i8"]),
        shape=st.tuples(st.integers(1, 6), st.integers(2, 6)),
        elements={"allow_nan": False, "min_value": 0, "max_value": 100},
    ),
    packed=st.booleans(),
)
def test_mat_matrices_of_any_type_come_back_packed_or_not(tmp_path, values, packed):
    path = tmp_path / "a.mat"
    savemat(path, {"before": "text", "matrix": values, "cell": [1, "b"]}, do_compression=packed)
    image = open_image(path, ReadOptions(band="matrix"))
    np.testing.assert_allclose(image.pixels, np.abs(values).astype(np.float32), rtol=1e-6)


def big_endian_mat(values: bytes, shape: tuple[int, int], stored_type: int) -> bytes:
    """A double matrix `I` as a big-endian machine writes it, its values stored in any type."""
    name = struct.pack(">HH4s", 1, 1, b"I")
    head = struct.pack(">IIII", 6, 8, 6, 0) + struct.pack(">IIii", 5, 8, *shape) + name
    content = head + struct.pack(">II", stored_type, len(values)) + values
    content += bytes(-len(content) % 8)
    return b"MATLAB 5.0".ljust(124) + b"\x01\x00MI" + struct.pack(">II", 14, len(content)) + content


def test_a_big_endian_mat_file_with_doubles_stored_as_shorts_opens(tmp_path):
    path = tmp_path / "big.mat"
    path.write_bytes(big_endian_mat(struct.pack(">6h", *range(6)), (2, 3), 3))
    assert open_image(path).pixels.tolist() == [[0, 2, 4], [1, 3, 5]]


def test_a_mat_matrix_that_claims_more_than_it_holds_is_refused(tmp_path):
    path = tmp_path / "liar.mat"
    path.write_bytes(big_endian_mat(bytes(64), (30_000, 30_000), 2))
    with pytest.raises(PmldaError, match=r"liar\.mat is damaged: .* 30000 x 30000 values"):
        open_image(path)
    path.write_bytes(big_endian_mat(bytes(64), (8, 9), 2))
    with pytest.raises(PmldaError, match="as many values as its shape"):
        open_image(path)


def test_a_packed_mat_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.mat"
    savemat(path, {"I": np.zeros((3000, 3000))}, do_compression=True)
    assert path.stat().st_size < 200_000
    with pytest.raises(PmldaError, match="with 9000000 values"):
        open_image(path, ReadOptions(limit_pixels=1_000_000))


class Touch:
    """Creates a file when unpickled: proof that something was."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


@pytest.mark.parametrize("kind", ["npy", "npz"])
def test_pickled_objects_are_never_loaded(tmp_path, kind):
    proof = tmp_path / "proof"
    hostile = np.array([[Touch(proof), 1], [2, 3]], dtype=object)
    path = tmp_path / f"hostile.{kind}"
    (np.save if kind == "npy" else np.savez)(path, hostile)
    assert b"open" in pickle.dumps(Touch(proof))
    for reading in (probe, open_image):
        with pytest.raises(PmldaError):
            reading(path)
    assert not proof.exists()


def npy_header(shape: tuple[int, ...], dtype: str = "<f4") -> bytes:
    stream = io.BytesIO()
    header = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue()


def test_an_npy_file_that_claims_more_than_it_holds_is_refused(tmp_path):
    path = tmp_path / "short.npy"
    path.write_bytes(npy_header((100_000, 100_000)) + bytes(64))
    with pytest.raises(PmldaError, match=r"short\.npy is cut short: .* 40000000000 bytes"):
        open_image(path)


def test_a_zip_bomb_is_refused_by_its_size(tmp_path):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.npy", npy_header((4096, 4096), "<f4") + bytes(4 * 4096 * 4096))
    assert path.stat().st_size < 100_000
    with pytest.raises(PmldaError, match=r"bomb\.npz is 4096 x 4096, 16.8 million"):
        open_image(path, ReadOptions(limit_pixels=1_000_000))


def test_a_zip_that_lies_about_its_contents_is_refused(tmp_path):
    path = tmp_path / "liar.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("liar.npy", npy_header((30_000, 30_000)) + bytes(100))
    with pytest.raises(PmldaError, match="cut short"):
        open_image(path)


def test_links_out_of_an_hdf5_file_are_not_followed(tmp_path):
    import h5py

    outside = tmp_path / "outside.h5"
    with h5py.File(outside, "w") as file:
        file["secret"] = np.ones((4, 4))
    raw = tmp_path / "raw.bin"
    raw.write_bytes(bytes(128))
    path = write_mat73(tmp_path / "links.mat")
    with h5py.File(path, "a") as file:
        file["elsewhere"] = h5py.ExternalLink(str(outside), "secret")
        file["soft"] = h5py.SoftLink("/inside")
        file.create_dataset("bytes", (4, 4), "<f8", external=[(str(raw), 0, 128)])
        layout = h5py.VirtualLayout((4, 4), "<f8")
        layout[:] = h5py.VirtualSource(str(outside), "secret", (4, 4))
        file.create_virtual_dataset("virtual", layout)
        file["inside"] = np.full((4, 4), 7.0)
    assert [band.description for band in probe(path).bands] == ["inside"]


def test_an_hdf5_dataset_that_was_never_written_is_refused(tmp_path):
    import h5py

    path = write_mat73(tmp_path / "empty.mat")
    with h5py.File(path, "a") as file:
        file.create_dataset("I", (10_000, 10_000), "<f8", chunks=(100, 100))
    with pytest.raises(PmldaError, match="next to none are there"):
        open_image(path)


def test_a_file_without_a_matrix_says_so(tmp_path):
    path = tmp_path / "words.mat"
    savemat(path, {"text": "nothing to see", "number": 3.0})
    with pytest.raises(PmldaError, match=r"words\.mat holds no array of two dimensions"):
        open_image(path)


@pytest.mark.skipif(not HF00.exists(), reason="the real imagery is not here")
def test_the_papers_image_opens_by_itself():
    image = open_image(HF00)
    assert image.shape == (600, 544)
    assert image.band_names == ("I",)
    assert image.pixels.min() >= 0
    assert image.pixels.max() <= 1
