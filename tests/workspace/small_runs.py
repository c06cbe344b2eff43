"""Small images, preparations and runs that the tests of the workspace share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, Prepared, prepare
from pmlda_gui.workspace.run import ESTIMATES, Run
from pmlda_gui.workspace.session import ImageEntry, Session

SHAPE = (120, 110)
# Every pixel is learned from, so that there are levels to climb.
MEAN = FeatureChoice(("mean", "std"), window=9, lattice=1)
ENTROPY = FeatureChoice(("mean", "std", "entropy"), window=9, lattice=1)
# Every fourth row and column is.
LATTICE = FeatureChoice(("mean", "std"), window=9)
FIELD = Parameters(3, smoothness=0.7, coupling=1.0)
COARSE = DocumentChoice("grid", 12)
FINE = DocumentChoice("grid", 30)
WINDOWS = DocumentChoice("window", window=40, stride=30)
# 12870 words: the coarsest level has an eighth of them and lasts 64 sweeps.
FIRST_LEVEL = 64


@cache
def image() -> Image:
    """A synthetic seabed whose last rows are not valid."""
    pixels = make_scene("demo", SHAPE).image.pixels
    valid = np.ones(SHAPE, np.bool_)
    valid[-3:] = False
    return Image(np.where(valid, pixels, np.float32(0)), valid)


@cache
def prepared(features: FeatureChoice = MEAN, documents: DocumentChoice = COARSE) -> Prepared:
    """The image prepared with these choices."""
    return prepare([image()], features, documents)


def run(sweeps: int = 0, topics: int = 3, threads: int = 1) -> Run:
    """A run on all pixels of the image, in hard documents."""
    begun = Run(prepared(), Parameters(topics), seed=5, threads=threads)
    begun.sweep(sweeps)
    return begun


def field_run(sweeps: int = 0, threads: int = 1) -> Run:
    """A run on the lattice of the image, whose documents act beyond their borders."""
    begun = Run(prepared(LATTICE), FIELD, seed=5, threads=threads)
    begun.sweep(sweeps)
    return begun


def stored_session(folder: Path, **changes: object) -> Session:
    """A session on the image, which is written into the folder."""
    path = folder / "seabed.npy"
    np.save(path, np.where(image().valid, image().pixels, np.float32(np.nan)))
    session = Session(
        images=(ImageEntry.of_file(path),),
        features=MEAN,
        documents=COARSE,
        parameters=Parameters(3),
        seed=5,
    )
    return session.replace(**changes)


def interrupt(running: Run, pieces: int = 0) -> None:
    """Begin a sweep and stop it after so many pieces of work; only all words make several."""
    asked = iter(range(10**6))
    assert not running.sweep(1, cancel=lambda: next(asked) >= pieces).finished


def assert_same(first: Run, second: Run) -> None:
    """Two runs are at the same place, bit for bit, in all that the next sweep depends on."""
    assert first.sweeps == second.sweeps
    assert first.full_sweeps == second.full_sweeps
    assert first.topic_ids == second.topic_ids
    assert first.parameters == second.parameters
    one, other = first.chain.state, second.chain.state
    np.testing.assert_array_equal(one.log_memberships, other.log_memberships)
    np.testing.assert_array_equal(one.proportions, other.proportions)
    np.testing.assert_array_equal(one.scaling, other.scaling)
    np.testing.assert_array_equal(one.means, other.means)
    assert one.variance == other.variance
    for mine, others in zip(first.chain.draws, second.chain.draws, strict=True):
        np.testing.assert_array_equal(mine.concentration, others.concentration)
        np.testing.assert_array_equal(mine.means, others.means)
    for kind in ESTIMATES:
        for left, right in zip(first.segmentations(kind), second.segmentations(kind), strict=True):
            np.testing.assert_array_equal(left.memberships, right.memberships)
            np.testing.assert_array_equal(left.uncertainty, right.uncertainty)
            np.testing.assert_array_equal(left.trace, right.trace)
