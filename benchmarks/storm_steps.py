"""The steps of a storm on the real window, and what is looked at after each of them."""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pmlda_gui.gui.controller import Controller
    from pmlda_gui.gui.main_window import MainWindow
    from pmlda_gui.imagery.scenes import Scene
    from pmlda_gui.workspace.session import Session

__all__ = ["Found", "Script", "Storm", "image_files"]

NAMES = ("flat", "ripple", "rock")
# Topics are recognised again up to so many sweeps after some came or went.
ENOUGH_SWEEPS = 100
# The least correlation of a name with its seabed; a part of a seabed that several topics
# divide among them has less.
LEAST_LIKENESS, LEAST_OF_A_PART = 0.4, 0.2
KINDS = (
    *("topics", "undo", "undo", "redo", "restart", "image", "documents", "features"),
    *("rate", "rate", "estimate", "pause", "step", "look"),
    *("keep", "return", "forget", "rename", "export", "save", "new", "open"),
)
MOST_BOOKMARKS = 4
MEMORY_SECONDS = 60.0
Script = Iterator[Callable[[], bool]]


@dataclass
class Found:
    """What a storm has come to: how many steps, what was wrong, and memory by the minute."""

    steps: Counter[str] = field(default_factory=Counter)
    names_checked: int = 0
    names_missing: int = 0
    faults: list[str] = field(default_factory=list)
    memory: list[tuple[float, float, float]] = field(default_factory=list)

    @property
    def events(self) -> int:
        return sum(self.steps.values())


class Storm:
    """The steps, on a window that shows the first image of a survey, `paths` are its files.

    What is saved and exported goes into the folder of the first.
    """

    def __init__(self, stage: Any, survey: tuple[Scene, ...], paths: list[Path], seed: int) -> None:
        self._stage = stage
        self._survey = survey
        self._paths = paths
        self._folder = paths[0].parent
        self._rng = np.random.default_rng(seed)
        self.found = Found()

    @property
    def _controller(self) -> Controller:
        controller: Controller = self._stage.controller
        return controller

    @property
    def _window(self) -> MainWindow:
        window: MainWindow = self._stage.window
        return window

    # -- the script --------------------------------------------------------------------------

    def script(
        self, events: int, seconds: float = float("inf"), kinds: Sequence[str] = ()
    ) -> Script:
        """So many steps, or as many as that time allows; each is checked.

        First these `kinds`, then any.
        """
        began = time.monotonic()
        yield self._stage.ready
        self._controller.run()
        yield lambda: bool(self._stage.sweeps >= ENOUGH_SWEEPS)
        self._name_topics()
        yield lambda: set(NAMES) <= set(self._maps())
        noted = -MEMORY_SECONDS
        while self.found.events < events and time.monotonic() - began < seconds:
            done = self.found.events
            kind = kinds[done] if done < len(kinds) else str(self._rng.choice(KINDS))
            yield from self._step(kind)
            self.found.steps[kind] += 1
            passed = time.monotonic() - began
            if passed - noted >= MEMORY_SECONDS:
                noted = passed
                kept = self._controller.states.nbytes / 2**20
                self.found.memory.append((passed, resident_megabytes(), kept))
        yield self._is_calm

    def _step(self, kind: str) -> Script:
        from pmlda_gui.gui.controller.session_differences import run_of

        controller = self._controller
        session, number, sweeps = controller.session, controller.chain._number, self._stage.sweeps
        yield from self._do(kind)
        yield self._is_calm
        self._check_kept(kind, session, number, sweeps)
        if controller.chain._number != number or run_of(controller.session) != run_of(session):
            controller.run()
            wanted = self._stage.sweeps + ENOUGH_SWEEPS
            yield lambda: bool(self._is_calm() and self._stage.sweeps >= wanted)
        # Whoever finds a name gone is told so, a moment later.
        yield self._is_told
        self._check_names(kind)

    def _is_calm(self) -> bool:
        """Whether everything that was asked for has come about."""
        controller = self._controller
        shown = controller.presenter.snapshot
        return (
            not set(controller.jobs.names) & {"probe", "open", "load", "resume", "save", "export"}
            and not controller.is_preparing
            and not controller.chain.starting
            and shown is not None
            and shown.run == controller.chain._number
            # A chain that rests takes up another number of topics when it goes on.
            and (not controller.chain.running or len(shown.topics) == self._topics)
            and shown.image == controller.current_image
        )

    def _is_told(self) -> bool:
        """Whether the window says which names belong to no topic now."""
        present = {topic.name for topic in self._window.topics._looks}
        said = self._window.topics.missing.text()
        return all((name in present) != (name in said) for name in NAMES)

    @property
    def _topics(self) -> int:
        return self._controller.session.parameters.topics

    # -- steps -------------------------------------------------------------------------------

    def _do(self, kind: str) -> Script:
        controller, window, rng = self._controller, self._window, self._rng
        session, actions = controller.session, self._window.actions_by_name
        bookmarks = session.bookmarks
        chosen = int(rng.integers(len(bookmarks))) if bookmarks else None
        if kind == "topics":
            wanted = int(rng.integers(2, len(NAMES) + 3))
            controller.do("Change topics", parameters=replace(session.parameters, topics=wanted))
        elif kind in ("undo", "redo"):
            # Steps back beyond the naming would take the names away.
            if actions[kind].isEnabled() and "Rename a topic" not in actions[kind].text():
                actions[kind].trigger()
        elif kind == "restart":
            controller.restart()
        elif kind == "image":
            if len(session.images) == 1:
                self._files.add([self._paths[1]])
            else:
                window.images.remove_requested.emit(1)
        elif kind == "documents":
            documents = replace(session.documents, kind="grid", count=int(rng.integers(9, 40)))
            controller.do("Change documents", documents=documents)
        elif kind == "features":
            window_size = int(rng.choice((27, 31, 35)))
            controller.do("Change features", features=replace(session.features, window=window_size))
        elif kind == "rate":
            rate = float(rng.uniform(5.0, 40.0))
            controller.do("Change the rate", parameters=replace(session.parameters, rate=rate))
        elif kind == "estimate":
            controller.do("Change the estimate", estimate=str(rng.choice(("mean", "map"))))
        elif kind == "pause":
            controller.toggle()
        elif kind == "step":
            controller.pause()
            controller.step()
        elif kind == "look":
            controller.show_image(int(rng.integers(len(session.images))))
            yield self._is_calm
            controller.show_image(0)
        elif kind == "keep" and len(bookmarks) < MOST_BOOKMARKS:
            actions["keep_bookmark"].trigger()
            yield lambda: len(controller.session.bookmarks) > len(bookmarks)
        elif kind == "return" and chosen is not None:
            window.bookmarks.restore_requested.emit(chosen)
        elif kind == "forget" and chosen is not None:
            window.bookmarks.remove_requested.emit(chosen)
        elif kind == "rename" and chosen is not None:
            window.bookmarks.renamed.emit(chosen, f"result {int(rng.integers(1000))}")
        elif kind == "export":
            yield from self._export()
        elif kind == "save":
            yield from self._save()
        elif kind == "new":
            yield from self._refuse_to_lose(kind, actions["new"].trigger)
        elif kind == "open":
            yield from self._refuse_to_lose(kind, lambda: self._files.open([self._paths[1]]))

    @property
    def _files(self) -> Any:
        from pmlda_gui.gui.controller.files import Files

        return self._window.findChild(Files)

    def _save(self) -> Script:
        written: list[bool] = []
        note = partial(written.append, True)
        self._files.path_changed.connect(note)
        self._files.save_to(self._folder / "work.pmlda")
        yield lambda: bool(written)
        self._files.path_changed.disconnect(note)

    def _export(self) -> Script:
        from pmlda_gui.gui.controller.exporting import Exporting
        from pmlda_gui.gui.dialogs.export import ExportChoice

        written: list[object] = []
        exporting = self._window.findChild(Exporting)
        assert exporting is not None
        exporting.exported.connect(written.append)
        exporting.export(ExportChoice(self._folder / "results", "mean"))
        yield lambda: bool(written)
        exporting.exported.disconnect(written.append)

    def _refuse_to_lose(self, kind: str, begin: Callable[[], object]) -> Script:
        """What would replace unsaved work asks first, and the answer is no."""
        from PySide6.QtWidgets import QMessageBox

        if not self._controller.has_unsaved_work:
            return
        session, number = self._controller.session, self._controller.chain._number
        begin()
        yield lambda: True
        questions = [each for each in self._window.findChildren(QMessageBox) if each.isVisible()]
        if not questions:
            self._fault(kind, "nobody was asked about unsaved work")
        for question in questions:
            question.button(QMessageBox.StandardButton.Cancel).click()
        yield self._is_calm
        if (self._controller.session, self._controller.chain._number) != (session, number):
            self._fault(kind, "the work was replaced although the answer was no")

    # -- checks ------------------------------------------------------------------------------

    def _check_kept(self, kind: str, session: Session, number: int, sweeps: int) -> None:
        controller = self._controller
        if controller.chain._number == number:
            if self._stage.sweeps < sweeps:
                self._fault(kind, f"{sweeps} sweeps became {self._stage.sweeps}")
        elif sweeps and not controller.states.has(session):
            self._fault(kind, f"a run of {sweeps} sweeps is gone")

    def _check_names(self, kind: str) -> None:
        found, controller = self._maps(), self._controller
        if controller.current_image or len(found) < len(NAMES):
            return
        self.found.names_checked += 1
        for number, name in enumerate(NAMES):
            if name not in found:
                self.found.names_missing += 1
                continue
            likeness = _likeness(found[name], self._survey[0])
            least = LEAST_LIKENESS if len(found) <= len(NAMES) else LEAST_OF_A_PART
            if int(np.argmax(likeness)) != number or likeness[number] < least:
                told = ", ".join(f"{each:.2f}" for each in likeness)
                self._fault(kind, f"{name} of {len(found)} topics lies on {told}")

    def _fault(self, kind: str, text: str) -> None:
        self.found.faults.append(f"step {self.found.events}, {kind}: {text}")

    def _maps(self) -> dict[str, NDArray[np.uint8]]:
        shown = self._controller.presenter.snapshot
        assert shown is not None
        return {topic.name: shown.pictures.maps[row] for row, topic in enumerate(shown.topics)}

    def _name_topics(self) -> None:
        """Call each topic by the seabed it lies on."""
        for row, levels in enumerate(self._maps().values()):
            name = NAMES[int(np.argmax(_likeness(levels, self._survey[0])))]
            self._window.topics.list.item(row).setText(name)


def _likeness(levels: NDArray[np.uint8], truth: Scene) -> list[float]:
    """The correlation of a map with each true one."""
    return [float(np.corrcoef(levels.ravel(), each.ravel())[0, 1]) for each in truth.memberships]


def image_files(survey: tuple[Scene, ...], folder: Path) -> list[Path]:
    """The images of a survey in files."""
    paths = [folder / f"line_{number}.npy" for number in range(len(survey))]
    for path, scene in zip(paths, survey, strict=True):
        np.save(path, scene.image.pixels)
    return paths


def resident_megabytes() -> float:
    """The memory that this process holds now, or the most it ever held where that is not told."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
