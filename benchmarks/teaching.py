"""What teaching by painting is worth: errors before and after strokes on a running chain.

An operator who paints by rule (`benchmarks.painting`) corrects the maps of a chain that runs,
a few strokes at a time.  On synthetic scenes ten strokes are painted, on the hand-labelled strips
strokes over 1 % of the pixels.  Strengths are compared on one half of either; what is reported
is the other half at the strength that did best.

Strips are looked for in the folder named by PMLDA_DATA, `../shared/data` without: `sss/*.png`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.painting import Painter
from benchmarks.tables import show
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.metrics import adjusted_rand_index, membership_error
from pmlda_gui.imagery.readers import open_image, read_label_map
from pmlda_gui.imagery.scenes import REPORTING, TUNING, make_scene
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import prepare
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.strokes import DEFAULT_STRENGTH, painted

__all__ = ["run"]

Maps = NDArray[np.float32]
_SHAPE = (360, 330)
_STRENGTHS = (3.0, 10.0, 30.0)
_SWEEPS, _BETWEEN = 150, 60
_STROKES, _AT_ONCE = 10, 2
_SHARE, _STRIP_LENGTH, _STRIP_RADIUS, _STRIP_AT_ONCE = 0.01, 24.0, 3.0, 6
_HARDEST = 5


@dataclass(frozen=True, eq=False)
class _Lesson:
    """An image with its truth, how it is painted, and how its maps are judged."""

    name: str
    image: Image
    truth: Maps
    length: float
    radius: float
    at_once: int
    enough: Callable[[Painter], bool]
    judge: Callable[[Maps, Maps], float]


@dataclass(frozen=True)
class _Learned:
    """What came of it: before, after the strokes, and how much was painted."""

    name: str
    before: float
    after: float
    strokes: int
    share: float


def _maps(run: Run) -> Maps:
    """Maps of all pixels from every second, in the order of the topics' numbers."""
    found = run.maps(step=2)
    assert found is not None
    height, width = run.prepared.images[0].shape
    order = np.argsort(run.topic_ids)
    fine = found.memberships[order].repeat(2, axis=1).repeat(2, axis=2)
    return fine[:, :height, :width]


def _error(truth: Maps, maps: Maps) -> float:
    return float(np.sqrt(np.nanmean((truth - maps) ** 2)))


def _agreement(truth: Maps, maps: Maps) -> float:
    return adjusted_rand_index(truth.argmax(axis=0), np.nan_to_num(maps).argmax(axis=0))


def _learn(lesson: _Lesson, strength: float) -> _Learned:
    """Let a chain run, and correct it until enough is painted."""
    prepared = prepare([lesson.image], seed=0)
    topics = len(lesson.truth)
    parameters = replace(DEFAULT_PARAMETERS, topics=topics)
    chain = Run(prepared, parameters, seed=0)
    chain.sweep(_SWEEPS)
    before = _unmatched(lesson, _maps(chain))
    painter = Painter(lesson.truth, lesson.length, lesson.radius)
    painter.show_each(strength)
    # Whoever paints names the topics: each is painted as the one that lies there.
    shown = painted(painter.strokes, [lesson.image.shape])
    chain.number_topics(chain.numbers_by(shown, chain.topic_ids))
    while True:
        chain.set_hints(painted(painter.strokes, [lesson.image.shape]))
        if lesson.enough(painter):
            break
        chain.sweep(_BETWEEN)
        maps = _maps(chain)
        for _ in range(lesson.at_once):
            if lesson.enough(painter) or not painter.correct(maps, strength):
                break
    chain.sweep(_SWEEPS)
    after = lesson.judge(lesson.truth, _maps(chain))
    chain.close()
    share = painter.pixels / lesson.image.valid.size
    return _Learned(lesson.name, before, after, len(painter.strokes), share)


def _unmatched(lesson: _Lesson, maps: Maps) -> float:
    """What an unsupervised map is worth, whichever topic is which."""
    if lesson.judge is _error:
        return membership_error(lesson.truth, maps)
    return lesson.judge(lesson.truth, maps)


def _scene(name: str) -> _Lesson:
    scene = make_scene(name, _SHAPE)
    return _Lesson(
        name, scene.image, scene.memberships, 40.0, 6.0, _AT_ONCE,
        lambda painter: len(painter.strokes) >= _STROKES, _error,
    )  # fmt: skip


def _strip(path: Path) -> _Lesson:
    labels = read_label_map(path)
    truth = (labels[None] == np.unique(labels)[:, None, None]).astype(np.float32)
    image = open_image(path.with_name(path.name.replace("_labels", "")))
    most = _SHARE * labels.size
    return _Lesson(
        path.stem.replace("_labels", ""), image, truth, _STRIP_LENGTH, _STRIP_RADIUS,
        _STRIP_AT_ONCE, lambda painter: painter.pixels >= most - 150, _agreement,
    )  # fmt: skip


def _strips() -> list[Path]:
    folder = Path(os.environ.get("PMLDA_DATA", "../shared/data")) / "sss"
    return sorted(folder.glob("*_labels.png"))


def _unsupervised(name: str) -> float:
    scene = make_scene(name, _SHAPE)
    parameters = replace(DEFAULT_PARAMETERS, topics=len(scene.topics))
    chain = Run(prepare([scene.image], seed=0), parameters, seed=0)
    chain.sweep(_SWEEPS)
    error = membership_error(scene.memberships, _maps(chain))
    chain.close()
    return error


def _hardest(names: Sequence[str], count: int) -> list[str]:
    errors = {name: _unsupervised(name) for name in names}
    return sorted(errors, key=lambda name: -errors[name])[:count]


def _table(title: str, learned: Sequence[_Learned], lower: bool) -> None:
    rows: list[tuple[object, ...]] = [
        (each.name, each.before, each.after, _gain(each.before, each.after, lower),
         each.strokes, f"{each.share:.2%}")
        for each in learned
    ]  # fmt: skip
    before, after = (
        float(np.mean([getattr(each, name) for each in learned])) for name in ("before", "after")
    )
    rows.append(("mean", before, after, _gain(before, after, lower), "", ""))
    show(title, ("image", "before", "after", "change", "strokes", "painted"), rows)


def _gain(before: float, after: float, lower: bool) -> str:
    return f"{after / before - 1.0:+.0%}" if lower else f"{after - before:+.3f}"


def _study(
    what: str,
    tuning: Sequence[_Lesson],
    reporting: Sequence[_Lesson],
    strengths: Sequence[float],
    lower: bool,
) -> None:
    """Compare strengths on one half, and report the other at the best."""
    means, chosen_by = {}, {}
    for strength in strengths:
        chosen_by[strength] = learned = [_learn(each, strength) for each in tuning]
        _table(f"{what}, half to choose by, strength {strength:g}", learned, lower)
        means[strength] = float(np.mean([each.after for each in learned]))
    best = (min if lower else max)(means, key=lambda each: means[each])
    learned = [_learn(each, best) for each in reporting]
    _table(f"{what}, the other half, strength {best:g}", learned, lower)
    both = sorted([*chosen_by[best], *learned], key=lambda each: each.before, reverse=lower)
    _table(f"{what}, the hardest of both halves", both[: len(reporting)], lower)


def run(quick: bool = False) -> None:
    """Print what strokes are worth, by strength and for the half that is reported."""
    strengths = (DEFAULT_STRENGTH,) if quick else _STRENGTHS
    count = 2 if quick else _HARDEST
    hardest = [_hardest(half[:6] if quick else half, count) for half in (TUNING, REPORTING)]
    _study(
        "Membership error of the hardest scenes, ten strokes",
        *([_scene(name) for name in half] for half in hardest),
        strengths, lower=True,
    )  # fmt: skip
    strips = [_strip(path) for path in _strips()]
    if strips:
        _study(
            "Adjusted Rand index of the strips, 1 % painted",
            strips[::2], strips[1::2], strengths, lower=False,
        )  # fmt: skip
