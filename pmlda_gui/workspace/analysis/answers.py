"""Everything that was asked of the map of a run: all its profiles, regions and measurements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.workspace.analysis.ground import Measured, ground_at, measure
from pmlda_gui.workspace.analysis.profile import Profile, profile_of
from pmlda_gui.workspace.analysis.region import RegionReport, region_of
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.shapes import Shape

__all__ = ["Answer", "Answers", "answer_of", "answers_of"]

Answer = Profile | RegionReport | Measured


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers in the order of their shapes; `unanswered` are sentences about the others."""

    profiles: tuple[Profile, ...] = ()
    regions: tuple[RegionReport, ...] = ()
    measurements: tuple[tuple[Shape, Measured], ...] = ()
    unanswered: tuple[str, ...] = ()

    def of_image(self, number: int) -> Answers:
        """Those on one image."""
        return Answers(
            tuple(each for each in self.profiles if each.shape.image == number),
            tuple(each for each in self.regions if each.shape.image == number),
            tuple(each for each in self.measurements if each[0].image == number),
        )

    @property
    def any(self) -> bool:
        """Whether there is an answer at all."""
        return bool(self.profiles or self.regions or self.measurements)


def answer_of(
    run: Run,
    shape: Shape,
    groups: Sequence[Sequence[int]] | None = None,
    feature: str | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Answer:
    """What the map says about one shape; `groups` are the topics' rows that are shown as one."""
    if shape.kind == "profile":
        return profile_of(run, shape, groups, cancel)
    if shape.kind == "region":
        return region_of(run, shape, groups, feature, cancel)
    if shape.image >= len(run.prepared.images):
        raise PmldaError(f"The image of {shape.name!r} is no longer open.")
    return measure(ground_at(run.prepared.images[shape.image], shape.points), shape.points)


def answers_of(
    run: Run,
    shapes: Sequence[Shape],
    groups: Sequence[Sequence[int]] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Answers:
    """What the map says about all shapes; those it says nothing about are left out and named."""
    profiles, regions, measurements, unanswered = [], [], [], []
    for shape in shapes:
        try:
            found = answer_of(run, shape, groups, cancel=cancel)
        except Cancelled:
            raise
        except PmldaError as error:
            unanswered.append(str(error))
            continue
        if isinstance(found, Profile):
            profiles.append(found)
        elif isinstance(found, RegionReport):
            regions.append(found)
        else:
            measurements.append((shape, found))
    return Answers(tuple(profiles), tuple(regions), tuple(measurements), tuple(unanswered))
