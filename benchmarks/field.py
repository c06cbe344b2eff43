"""Speed of learning on the lattice and of maps, beside the first release's way in one run.

The first release swept over every pixel in hard documents; `lattice=1` with no smoothness and
no coupling still does.  The scene is the demo at the size of the paper's sonar image.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.tables import best_of, show
from pmlda_gui.core.thread_pool import available_threads
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.batch.segment import segment
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, Prepared, prepare
from pmlda_gui.workspace.run import Run

SHAPE = (600, 544)
HARD = replace(DEFAULT_PARAMETERS, rate=30.0, smoothness=0.0, coupling=0.0)


def _first_map(prepared: Prepared) -> float:
    """From Run to a map at the step the window begins with."""

    def work() -> None:
        run = Run(prepared, DEFAULT_PARAMETERS)
        run.sweep(4)
        run.maps(step=8)
        run.close()

    return best_of(5, work)


def _full_mean(prepared: Prepared) -> float:
    """From Run to the mean and deviation of every pixel after 60 sweeps."""

    def work() -> None:
        run = Run(prepared, DEFAULT_PARAMETERS)
        run.sweep(60)
        run.maps()
        run.close()

    return best_of(3, work)


def run(quick: bool) -> None:
    """Print the table."""
    scene = make_scene("demo", SHAPE, 0)
    pixels = SHAPE[0] * SHAPE[1]
    lattice = prepare([scene.image], FeatureChoice(), DocumentChoice())
    lattice.tuned(DEFAULT_PARAMETERS.topics)
    fast = Run(lattice, DEFAULT_PARAMETERS)
    fast.sweep(50)
    sweep = best_of(4 if quick else 20, lambda: fast.sweep(25)) / 25
    maps = {step: best_of(3, lambda step=step: fast.maps(step=step)) for step in (8, 4, 2, 1)}
    fast.close()
    every = prepare([scene.image], FeatureChoice(lattice=1), DocumentChoice())
    before = Run(every, HARD)
    before.sweep(100)
    full_sweep = best_of(3, lambda: before.sweep(1))
    before.close()
    whole = best_of(1 if quick else 3, lambda: segment(scene.image))
    rows = [
        ("lattice sweep", f"{sweep * 1e3:.2f} ms", f"{sweep / pixels * 1e9:.1f} ns a pixel"),
        ("sweep over every pixel", f"{full_sweep * 1e3:.1f} ms", f"{full_sweep / sweep:.0f} times"),
        ("first map from Run", f"{_first_map(lattice):.3f} s", "4 sweeps, every 8th pixel"),
        ("mean and deviation of every pixel from Run", f"{_full_mean(lattice):.2f} s", "60 sweeps"),
        *(
            (f"map of every {step}th row and column", f"{seconds:.3f} s", "")
            for step, seconds in maps.items()
        ),
        ("segment, from image to maps", f"{whole:.2f} s", f"{available_threads()} threads"),
    ]
    show("The field, 600 x 544", ("what", "time", ""), rows)
