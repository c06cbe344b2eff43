"""One process that tries damaged files of one kind, and says of each how it ended.

`python -m benchmarks.fuzz_trials FOLDER KIND FIRST END [here]`: for each case from FIRST up
to END it prints the number before it begins and the outcome after, so that whoever
reads along knows which case a crash belongs to.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.fuzz_damage import damaged, reworded
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers import reader_process

__all__ = ["KINDS", "READ_APART", "SEED", "WORKSPACES", "make_sound_files", "trial_of"]

SEED = 20_260
WORKSPACES = ("workspace bytes", "workspace values")
KINDS = (
    "png", "jpg", "bmp", "tif", "tiles.tif", "ntf", "npy", "npz", "mat", "plain.mat", "mat73",
    "xtf", *WORKSPACES,
    # Case numbers of the kinds before must stay, so those that came later stand last.
    "bag", "nc", "nc4", "asc", "bil", "envi", "ers", "sdat", "img", "gpkg", "asc.grd", "six.grd",
    "seven.grd", "cog.tif", "gif", "jp2", "lan", "mbtiles", "jsf", "sl2", "sl3", "son",
)  # fmt: skip
# Kinds that the program reads in a process of their own.
READ_APART = ("mat73", "bag", "nc4")
# Kinds whose header is a file of its own, which is what is damaged.
HEADERS = {"bil": ".hdr", "envi": ".hdr", "sdat": ".sgrd"}
IMAGE_SHAPE = (44, 40)
SWEEPS = 3
MOST_CANCEL_QUESTIONS = 2000
MOST_MEGABYTES_MORE = 700


def make_sound_files(folder: Path) -> None:
    """One small sound file of each kind, from which all damaged ones are made."""
    from pmlda_gui.core.parameters import Parameters
    from pmlda_gui.imagery.scenes import make_scene
    from pmlda_gui.workspace import archive
    from pmlda_gui.workspace.bookmarks import keep
    from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
    from pmlda_gui.workspace.run import Run
    from pmlda_gui.workspace.session import ImageEntry, Session, TopicLook
    from tests.imagery import synthetic_files

    for kind, path in synthetic_files.synthetic_file_of_every_kind(folder).items():
        path.rename(folder / f"sound.{kind}")
    _make_rasters(folder)
    image = make_scene("demo", IMAGE_SHAPE).image
    np.save(folder / "seabed.npy", image.pixels)
    features, documents = FeatureChoice(("mean", "std"), window=5), DocumentChoice("grid", 4)
    running = Run(prepare([image], features, documents), Parameters(3), seed=5, threads=1)
    running.sweep(4)
    running.set_parameters(Parameters(3, rate=2.0))
    running.sweep(2)
    session = Session(
        images=(ImageEntry.of_file(folder / "seabed.npy"),),
        features=features,
        documents=documents,
        parameters=running.parameters,
        topics=(TopicLook(0, "sand", (1, 2, 3)),),
        view={"zoom": [1, 2.5], "panels": {"left": True}},
        seed=5,
    )
    bookmark, arrays = keep("first", session, running)
    session = session.replace(bookmarks=(bookmark,))
    for kind in WORKSPACES:
        archive.save(folder / f"sound.{kind}", session, running, arrays)
    running.close()


def _make_rasters(folder: Path) -> None:
    """Sound rasters of the survey formats; `sound.K.header` is the header of kind K."""
    from tests.imagery.synthetic_rasters import synthetic_raster_of_every_format

    made = synthetic_raster_of_every_format(folder)
    for path in made.values():
        kind = "nc4" if path.name == "made4.nc" else path.name.removeprefix("made.")
        path.rename(folder / f"sound.{kind}")
        if kind in HEADERS:
            path.with_suffix(HEADERS[kind]).rename(folder / f"sound.{kind}.header")
        elif kind == "ers":
            path.with_suffix("").rename(folder / "damaged")


def trial_of(kind: str, folder: Path) -> Callable[[int], str]:
    """A function from the number of a case to its outcome: opened, refused, or what went wrong."""
    content = (folder / f"sound.{kind}").read_bytes()
    target = path = folder / f"damaged.{'pmlda' if kind in WORKSPACES else kind}"
    if kind in HEADERS:
        path.write_bytes(content)
        content = (folder / f"sound.{kind}.header").read_bytes()
        target = path.with_suffix(HEADERS[kind])
    use = _use_workspace if kind in WORKSPACES else _use_image
    damage = reworded if kind == "workspace values" else damaged

    def trial(case: int) -> str:
        rng = np.random.default_rng([SEED, KINDS.index(kind), case])
        # A new file each time: HDF5 may keep one open that it could not close.
        target.unlink(missing_ok=True)
        target.write_bytes(damage(content, rng))
        before = _most_megabytes()
        try:
            use(path, case)
        except PmldaError as error:
            sentence = str(error)
            sound = sentence.endswith(".") and sentence.isprintable()
            outcome = "refused" if sound else f"no sentence: {sentence!r:.200}"
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            outcome = f"{type(error).__name__} at {where}: {error!s:.150}".replace("\n", " ")
        else:
            outcome = "opened"
        more = _most_megabytes() - before
        return outcome if more < MOST_MEGABYTES_MORE else f"{more:.0f} MB for a small file"

    return trial


def _use_image(path: Path, case: int) -> None:
    """Read it as the window would, every time with other options."""
    from pmlda_gui.imagery.readers import ReadOptions, offered_documents, open_image, probe

    probe(path)
    options = ReadOptions(
        reduce=1 + case % 2, correct_slant_range=case % 3 == 0, normalise_gain=case % 5 == 0
    )
    image = open_image(path, options)
    assert np.isfinite(image.pixels).all(), "pixels that are not finite"
    assert not image.pixels[~image.valid].any(), "missing pixels that are not 0"
    if case % 4 == 0:
        offered_documents(path)


def _use_workspace(path: Path, case: int) -> None:
    """Open it, go on with its run for some sweeps, look at the maps, and save it again."""
    from pmlda_gui.workspace import archive
    from pmlda_gui.workspace.bookmarks import kept_result
    from pmlda_gui.workspace.replay import resume

    loaded = archive.load(path)
    if loaded.journal is None:
        archive.save(path, loaded.session, None, loaded.arrays)
        return
    questions = 0

    def give_up() -> bool:
        # A journal may ask for more sweeps than anybody waits for.
        nonlocal questions
        questions += 1
        return questions > MOST_CANCEL_QUESTIONS

    run = resume(loaded, threads=1, cancel=give_up)
    try:
        run.sweep(SWEEPS)
        for found in run.segmentations():
            sums = found.memberships.sum(axis=0)
            sums = sums[~np.isnan(sums)]
            assert np.abs(sums - 1.0).max(initial=0.0) < 0.05, "memberships that do not sum to 1"
        run.diagnosis()
        archive.save(path, loaded.session, run, loaded.arrays)
        archive.load(path)
    finally:
        run.close()
    for bookmark in loaded.session.bookmarks:
        kept_result(bookmark, loaded.arrays)


def _most_megabytes() -> float:
    """The most memory this process has held, where the system tells it."""
    if sys.platform == "win32":
        return 0.0
    import resource

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def main(arguments: list[str]) -> None:
    folder, kind, first, end = Path(arguments[0]), arguments[1], *map(int, arguments[2:4])
    if arguments[4:] == ["here"]:
        # This process may die of a file as well as one that it starts.
        reader_process.can_start = lambda: False
    trial = trial_of(kind, folder)
    for case in range(first, end):
        print(case, flush=True)
        print(trial(case), flush=True)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main(sys.argv[1:])
