"""What users may import from the package, and how names go away."""

from __future__ import annotations

import subprocess
import sys
import warnings

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
