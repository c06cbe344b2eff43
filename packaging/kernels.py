"""Fills the kernel cache that a built program carries, by using the program.

Run with the Python of an environment where the program is installed with a build id:
it compiles for the portable processor then, as the built program will.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pmlda_gui.gui.self_test.files import write_recording

SMALL = "150x130"
PEERS = "pmlda,fcm,lda,slda,kmeans,gmm,bpm,bfc,unified,flicm,sfcm,fcm+smooth"


def tour(image: Path, recording: Path, out: Path) -> list[list[str]]:
    """Commands that between them use every kernel, whatever an operator may choose."""
    corrected = ["--slant-range", "correct", "--picture", str(out / "line.png")]
    segment = ["segment", str(image), "--out", str(out), "--quiet", "--sweeps", "3"]
    documents = [["--documents", kind] for kind in ("slic", "ncut", "texture", "window", "grid")]
    samplers = [["--sampler", name] for name in ("paper", "least-squares")]
    models = [
        ["--estimate", "map", "--fuzzifier", "1.5"],
        ["--scaling", "10", "--proportions", "uniform"],
        ["--features", "paper-sas-ripple", "--chains", "2"],
    ]
    return [
        *([*segment, "--document-count", "30", *options] for options in documents),
        *([*segment, *options] for options in samplers + models),
        ["survey", *segment[1:3], str(out / "survey"), *segment[4:], "--workers", "1"],
        ["info", str(recording), *corrected],
        ["project", str(recording), "--out", str(out / "map")],
        ["compare", str(image), "--out", str(out), "--quiet", "--sweeps", "3", "--methods", PEERS],
    ]


def fill(kernels: Path) -> None:
    """Go on the tour with an empty cache and keep what it leaves there."""
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        _run(home, ["scene", "demo", "--size", SMALL, "--out", str(home)])
        recording = write_recording(home / "line.xtf")
        for arguments in tour(home / "demo.tif", recording, home / "out"):
            _run(home, arguments)
        # The first finds fault with what it compiles; the second has to find nothing.
        _run(home, ["--self-test"], may_fail=True)
        _run(home, ["--self-test"])
        (filled,) = home.rglob("kernels-*")
        shutil.rmtree(kernels, ignore_errors=True)
        shutil.copytree(filled, kernels)
    missing = _names() - {path.name.split("-")[0] for path in kernels.glob("*.nbi")}
    print(f"{len(list(kernels.glob('*.nbi')))} kernels compiled in advance.")
    if missing:
        print(f"Compiled when first used: {', '.join(sorted(missing))}.")


def home_environment(home: Path) -> dict[str, str]:
    """The environment of a user whose home is this folder, on any system."""
    places = dict.fromkeys(("HOME", "USERPROFILE", "LOCALAPPDATA"), str(home))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    if sys.platform == "linux":
        # Elsewhere there is always a screen, and Qt finds no fonts without it.
        places |= {"QT_QPA_PLATFORM": "offscreen", "QT_LOGGING_RULES": "default.warning=false"}
    return kept | places


def _run(home: Path, arguments: list[str], may_fail: bool = False) -> None:
    # -P: the installed program, not a checkout that happens to be the current folder.
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pmlda_gui", *arguments],
        env=home_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and not may_fail:
        sys.exit(f"pmlda-gui {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")


def _names() -> set[str]:
    """The cached kernels of all our modules, as numba names their files."""
    from numba.core.caching import NullCache
    from numba.core.dispatcher import Dispatcher

    import pmlda_gui

    names = set()
    for about in pkgutil.walk_packages(pmlda_gui.__path__, "pmlda_gui."):
        if about.name.endswith("__main__"):
            continue
        for each in vars(importlib.import_module(about.name)).values():
            if isinstance(each, Dispatcher) and not isinstance(each._cache, NullCache):
                function = each.py_func
                names.add(f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}")
    return names


if __name__ == "__main__":
    fill(Path(sys.argv[1]))
