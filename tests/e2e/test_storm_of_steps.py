"""Whatever an operator does, in whatever order, names stay on their seabed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.gui.controller.files import Files
from pmlda_gui.imagery.scenes import make_survey
from tests.e2e.driver import Script, Stage, drive
from tests.e2e.test_work_kept import (
    NAMES,
    assert_names_sit_on_their_seabed,
    at_rest,
    frame,
    maps,
    name_the_topics,
    swept,
    topics,
)

pytestmark = pytest.mark.usefixtures("qapp")

STEPS = 8
KINDS = ("topics", "undo", "undo", "redo", "restart", "image", "keep", "return", "documents")


def test_a_storm_of_steps_leaves_names_where_they_belong(tmp_path: Path) -> None:
    survey = make_survey(2, "demo", (160, 150), seed=1)
    paths = [tmp_path / f"line_{number}.npy" for number in range(2)]
    for path, scene in zip(paths, survey, strict=True):
        np.save(path, scene.image.pixels)
    rng = np.random.default_rng(7)

    def deed(stage: Stage, kind: str) -> None:
        controller, window = stage.controller, stage.window
        actions = window.actions_by_name
        if kind == "topics":
            topics(stage, int(rng.integers(2, 6)))
        elif kind in ("undo", "redo"):
            # Steps back beyond the naming would take the names away.
            if actions[kind].isEnabled() and "Rename" not in actions[kind].text():
                stage.trigger(kind)
        elif kind == "restart":
            stage.trigger("restart_chain")
        elif kind == "image":
            if len(controller.session.images) == 1:
                window.findChild(Files).add([paths[1]])
            else:
                window.images.remove_requested.emit(1)
        elif kind == "keep":
            stage.trigger("keep_bookmark")
        elif kind == "return" and controller.session.bookmarks:
            window.bookmarks.restore_requested.emit(0)
        elif kind == "documents":
            controller.do(
                "Change documents",
                documents=controller.session.documents.__class__("grid", int(rng.integers(9, 40))),
            )

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.trigger("run_chain")
        yield swept(stage, 100)
        stage.trigger("pause_chain")
        yield at_rest(stage)
        name_the_topics(stage, survey[0])
        yield lambda: set(maps(stage)) == set(NAMES)
        story = []
        for _ in range(STEPS):
            kinds = [str(kind) for kind in rng.choice(KINDS, int(rng.integers(1, 3)))]
            story += kinds
            for kind in kinds:
                deed(stage, kind)
                yield lambda: not {"probe", "open"} & set(stage.controller.jobs.names)
            stage.trigger("run_chain")
            yield (
                lambda: not stage.controller.is_preparing and not stage.controller.chain.starting
            )
            yield lambda: frame(stage).run == stage.controller.chain._number
            yield swept(stage, stage.sweeps + 100)
            stage.trigger("pause_chain")
            yield at_rest(stage)
            wanted = stage.controller.session.parameters.topics
            assert len(frame(stage).topics) == wanted, story
            if wanted >= len(NAMES):
                assert_names_sit_on_their_seabed(stage, survey[0], ", ".join(story[-8:]))

    assert drive([str(paths[0])], script) == 0
