"""What users may import from the package, and how names go away."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import pmlda_gui
from pmlda_gui.deprecation import deprecated


def test_every_public_name_is_there_and_documented() -> None:
    for name in pmlda_gui.__all__:
        assert getattr(pmlda_gui, name, None) is not None, name
        if name != "__version__":
            assert getattr(pmlda_gui, name).__doc__, f"{name} has no docstring"
    assert set(dir(pmlda_gui)) == set(pmlda_gui.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'segmnt'"):
        pmlda_gui.segmnt  # noqa: B018


def test_importing_the_package_loads_neither_compiler_nor_qt() -> None:
    code = (
        "import sys, pmlda_gui; "
        "print([name for name in ('numba', 'scipy', 'PySide6', 'rasterio') if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


PROGRAM = """
from pathlib import Path

import numpy as np

import pmlda_gui
from pmlda_gui import (
    Chain, Corpus, DocumentChoice, FeatureChoice, Image, Parameters, PmldaError, ReadOptions,
    Recipe, Segmentation, open_image, segment,
)

image: Image = open_image(Path("line.tif"), ReadOptions(reduce=2))
one: Segmentation = segment(image, 4, rate=0.5, alpha=(1.0, 2.0, 3.0, 4.0), sweeps=20)
array: Segmentation = segment(np.zeros((9, 9)), features=["mean", "std"], documents="grid")
several: list[Segmentation] = segment([image, image], recipe=Recipe(seed=1), out="results")
paths: list[Segmentation] = segment([Path("a.tif"), Path("b.tif")], topics="auto")
recipe = Recipe(FeatureChoice("seabed"), DocumentChoice("slic", 80), parameters=Parameters(4))
try:
    either: Segmentation | list[Segmentation] = segment("lines", recipe=recipe)
except PmldaError as error:
    print(str(error))
chain: Chain = Chain(Corpus(np.zeros((6, 2)), np.array([0, 3, 6])), Parameters(2))
"""


def told_by_mypy(program: str, folder: Path) -> str:
    """What mypy says about a user's program; the cache is that of the lint command."""
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    root = Path(pmlda_gui.__file__).parents[1]
    said = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(path)],
        capture_output=True, text=True, cwd=root, check=False,
    )  # fmt: skip
    return said.stdout + said.stderr


def test_a_type_checker_accepts_a_users_program(tmp_path: Path) -> None:
    assert "Success" in (said := told_by_mypy(PROGRAM, tmp_path)), said


WRONG = {
    "segment(image, topcs=4)": 'Unexpected keyword argument "topcs"',
    "segment(image, rate='high')": 'No overload variant of "segment"',
    "segment(image, options=3)": 'No overload variant of "segment"',
    "Recipe(topics=4)": 'Unexpected keyword argument "topics"',
    "Recipe(seed='one')": 'Argument "seed" to "Recipe"',
    "pmlda_gui.segmnt(image)": 'has no attribute "segmnt"',
    "segment([image]).memberships": 'has no attribute "memberships"',
}


def test_a_type_checker_refuses_what_is_wrong(tmp_path: Path) -> None:
    said = told_by_mypy(PROGRAM + "\n".join(WRONG), tmp_path)
    for line, (wrong, complaint) in enumerate(WRONG.items(), 1 + PROGRAM.count("\n")):
        told = [each for each in said.splitlines() if f"program.py:{line}: error" in each]
        assert told, f"{wrong} was accepted"
        assert complaint in told[0]


def test_beside_a_recipe_only_the_length_can_be_given() -> None:
    image = pmlda_gui.Image(np.zeros((9, 9), np.float32), np.ones((9, 9), bool))
    with pytest.raises(pmlda_gui.PmldaError, match="A recipe was given, and rate as well"):
        pmlda_gui.segment(image, recipe=pmlda_gui.Recipe(), rate=2.0)


def test_the_old_name_of_area_fractions_still_works() -> None:
    maps = np.stack([np.full((2, 2), 0.25, np.float32), np.full((2, 2), 0.75, np.float32)])
    found = pmlda_gui.Segmentation(maps, None, np.zeros((2, 1)), 1.0)
    assert found.area_fractions.tolist() == [0.25, 0.75]
    with pytest.warns(DeprecationWarning, match=r"use Segmentation\.area_fractions"):
        assert found.shares.tolist() == [0.25, 0.75]


def test_what_goes_away_works_and_names_its_replacement() -> None:
    @deprecated("pmlda_gui.segment", "0.4")
    def divide(number: int) -> int:
        return number + 1

    with pytest.warns(
        DeprecationWarning, match=r"divide is deprecated.*0\.4: use pmlda_gui\.segment"
    ) as caught:
        assert divide(1) == 2
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DeprecationWarning):
            divide(1)
