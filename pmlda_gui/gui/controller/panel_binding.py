"""Binds panels to the session: a change in a panel is an undo step, a change is shown."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QImage

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.actions import ESTIMATE_COMMANDS, VIEW_COMMANDS
from pmlda_gui.gui.controller.background_tasks import thumbnail
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.presenter import PICTURES
from pmlda_gui.gui.controller.session_differences import pictures_of
from pmlda_gui.imagery.display import Display
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice
from pmlda_gui.workspace.session import ImageEntry, OutlineLook, Session, TopicLook

__all__ = ["PanelLink", "choose_sampler"]

HARD_DOCUMENTS = (
    "Documents end at their borders with this sampler: smoothness and coupling were set "
    "to 0, and the program learns from every pixel. Fast brings your values back."
)


GIVEN_FEATURES = (
    "The features belong to the topics from the file: choose Chain > Learn topics anew for others."
)
GIVEN_SAMPLER = (
    "Only the sampler 'fast' holds topics from a file: choose Chain > Learn topics anew for others."
)


class PanelLink(QObject):
    """Joins the panels, and the commands that change settings, with the session."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        self._shown: dict[str, object] = {}
        self._last_fast = Session()
        self._thumbnails: dict[tuple[ImageEntry, Display], QImage] = {}
        window.parameters.parameters_changed.connect(self._set_parameters)
        window.parameters.features_changed.connect(self._set_features)
        window.parameters.documents_changed.connect(self._set_documents)
        window.parameters.sampler_changed.connect(self._set_sampler)
        window.display.display_changed.connect(self._set_display)
        window.outlines.look_changed.connect(self._set_outlines)
        window.topics.topics_changed.connect(self._set_topics)
        window.topics.held_changed.connect(self._set_held)
        window.history.chosen.connect(controller.go_to)
        window.images.remove_requested.connect(self._remove_image)
        window.images.reordered.connect(self._reorder_images)
        window.images.current_changed.connect(controller.show_image)
        window.scatter.features_chosen.connect(controller.send_look)
        window.chain.run_requested.connect(controller.run)
        window.chain.pause_requested.connect(controller.pause)
        window.chain.step_requested.connect(controller.step)
        window.chain.restart_requested.connect(controller.restart)
        self._connect_commands()
        controller.changed.connect(self._show)
        controller.chain.state_changed.connect(self._show_state)
        self._show(controller.session, controller.session)

    def _connect_commands(self) -> None:
        controller, actions = self._controller, self._window.actions_by_name
        actions["run_chain"].triggered.connect(controller.run)
        actions["pause_chain"].triggered.connect(controller.pause)
        actions["toggle_chain"].triggered.connect(controller.toggle)
        actions["step_chain"].triggered.connect(controller.step)
        actions["restart_chain"].triggered.connect(controller.restart)
        actions["undo"].triggered.connect(controller.undo)
        actions["redo"].triggered.connect(controller.redo)
        actions["outlines"].toggled.connect(self._show_outlines)
        for name in ESTIMATE_COMMANDS.values():
            actions[name].triggered.connect(self._choose_estimate)
        for name in VIEW_COMMANDS.values():
            actions[name].triggered.connect(self._choose_pictures)

    # -- what panels ask for -----------------------------------------------------------------

    @Slot(object, str)
    def _set_parameters(self, parameters: Parameters, merge: str) -> None:
        before = self._controller.session.parameters
        self._controller.do(_in_words(before, parameters), merge, parameters=parameters)

    @Slot(object)
    def _set_features(self, features: FeatureChoice) -> None:
        if self._refused(GIVEN_FEATURES):
            return
        self._controller.do("Change features", "features", features=features)

    @Slot(object)
    def _set_documents(self, documents: DocumentChoice) -> None:
        self._controller.do("Change documents", "documents", documents=documents)

    @Slot(str)
    def _set_sampler(self, sampler: str) -> None:
        session = self._controller.session
        if sampler != "fast" and self._refused(GIVEN_SAMPLER):
            return
        if session.sampler == "fast":
            self._last_fast = session
        text = f"Choose the sampler {sampler}"
        self._controller.do(text, **choose_sampler(session, sampler, self._last_fast))
        if sampler != "fast":
            self._window.message_bar.show_note(HARD_DOCUMENTS)

    def _refused(self, sentence: str) -> bool:
        """Whether topics from elsewhere forbid a change, which is then taken back and said."""
        session = self._controller.session
        if session.given is None:
            return False
        self._window.parameters.set_session(session)
        self._controller.error_raised.emit(PmldaError(sentence))
        return True

    @Slot(object)
    def _set_display(self, display: Display) -> None:
        self._controller.do("Change display", "display", display=display)

    @Slot(object)
    def _set_outlines(self, look: OutlineLook) -> None:
        self._controller.do("Change outlines", "outlines", outlines=look)

    @Slot(object, str)
    def _set_topics(self, looks: tuple[TopicLook, ...], text: str) -> None:
        # Looks of topics that are not there now stay for when undo brings them back.
        shown = {look.id for look in looks}
        others = tuple(look for look in self._controller.session.topics if look.id not in shown)
        self._controller.do(text, topics=(*looks, *others))

    @Slot(object, str)
    def _set_held(self, held: tuple[int, ...], text: str) -> None:
        session = self._controller.session
        if session.sampler != "fast":
            error = PmldaError(
                f"The sampler {session.sampler!r} cannot hold topics: choose 'fast'."
            )
            self._controller.error_raised.emit(error)
            return
        self._controller.do(text, parameters=replace(session.parameters, held=held))

    @Slot(int)
    def _remove_image(self, number: int) -> None:
        images = self._controller.session.images
        if 0 <= number < len(images):
            self._set_images(
                f"Remove {images[number].name}", images[:number] + images[number + 1 :]
            )

    @Slot(list)
    def _reorder_images(self, order: list[int]) -> None:
        images = self._controller.session.images
        if sorted(order) == list(range(len(images))):
            self._set_images("Reorder images", tuple(images[each] for each in order))

    def _set_images(self, text: str, images: tuple[ImageEntry, ...]) -> None:
        """Have other images of those there are; what was drawn on them follows."""
        session = self._controller.session.with_images(images)
        self._controller.do(text, images=images, shapes=session.shapes, strokes=session.strokes)

    @Slot(bool)
    def _show_outlines(self, shown: bool) -> None:
        look = self._controller.session.outlines
        if shown != look.shown:
            self._set_outlines(replace(look, shown=shown))

    @Slot()
    def _choose_estimate(self) -> None:
        actions = self._window.actions_by_name
        for estimate, name in ESTIMATE_COMMANDS.items():
            if actions[name].isChecked():
                self._controller.do("Choose estimate", estimate=estimate)

    @Slot()
    def _choose_pictures(self) -> None:
        actions = self._window.actions_by_name
        chosen = tuple(kind for kind in PICTURES if actions[VIEW_COMMANDS[kind]].isChecked())
        # An empty window would look like a broken one.
        view = {**self._controller.session.view, "pictures": chosen or ("source",)}
        self._controller.do("Choose pictures", view=view)

    # -- what is shown -----------------------------------------------------------------------

    @Slot(object, object)
    def _show(self, _old: Session, session: Session) -> None:
        """Show a session; lists that have not changed keep what is selected or being edited."""
        window, controller = self._window, self._controller
        window.parameters.set_session(session)
        window.explain.set_parameters(session.parameters)
        window.display.set_display(session.display)
        window.outlines.set_view(session.outlines)
        if self._is_news("bookmarks", session.bookmarks):
            window.bookmarks.set_bookmarks(session.bookmarks)
        held = session.parameters.held
        if self._is_news("topics", (controller.looks, held)):
            window.topics.set_topics(controller.looks, held)
        images = [controller.images.get(entry) for entry in session.images]
        if self._is_news("images", (session.images, session.display, images)):
            window.images.set_entries(
                [(entry.name, *self._described(entry, session)) for entry in session.images]
            )
        window.images.set_current(controller.current_image)
        window.history.set_steps(controller.history.texts, controller.history.done)
        self._show_state()

    def _is_news(self, name: str, value: object) -> bool:
        """Whether something differs from when it was shown last."""
        known = self._shown.get(name) == value
        self._shown[name] = value
        return not known

    def _described(self, entry: ImageEntry, session: Session) -> tuple[QImage, str]:
        """A thumbnail and what the tooltip says; both are bare while the image is being read."""
        image = self._controller.images.get(entry)
        if image is None:
            return QImage(), entry.name
        key = (entry, session.display)
        if key not in self._thumbnails:
            self._thumbnails = {
                known: picture
                for known, picture in self._thumbnails.items()
                if known[1] == session.display
            }
            self._thumbnails[key] = thumbnail(image, session.display)
        return self._thumbnails[key], _tooltip(entry, image)

    @Slot()
    def _show_state(self) -> None:
        controller, actions = self._controller, self._window.actions_by_name
        ready, running = controller.can_run, controller.chain.running
        self._window.chain.set_state(ready, running)
        enabled = {
            "run_chain": ready and not running,
            "pause_chain": ready and running,
            "step_chain": ready and not running,
            "restart_chain": ready,
            "toggle_chain": ready,
            "keep_bookmark": controller.chain.exists,
            "export": controller.chain.exists,
            "learn_anew": controller.session.given is not None,
            "show_unknown": controller.session.given is not None,
            "undo": controller.history.can_undo,
            "redo": controller.history.can_redo,
        }
        for name, state in enabled.items():
            actions[name].setEnabled(state)
        for name, text in (
            ("undo", controller.history.undo_text),
            ("redo", controller.history.redo_text),
        ):
            word = name.capitalize()
            shown = text.replace("&", "&&")
            actions[name].setText(f"&{word}: {shown}" if text else f"&{word}")
            actions[name].setIconText(word)
        session = controller.session
        for estimate, name in ESTIMATE_COMMANDS.items():
            actions.check(name, session.estimate == estimate)
        for kind, name in VIEW_COMMANDS.items():
            actions.check(name, kind in pictures_of(session))
        actions.check("outlines", session.outlines.shown)


def choose_sampler(session: Session, sampler: str, last_fast: Session) -> dict[str, Any]:
    """What changes with another sampler.

    The paper's samplers know hard documents only, and learn from every pixel as it does;
    `fast` brings back what it had last.
    """
    if sampler == "fast":
        smoothness, coupling = last_fast.parameters.smoothness, last_fast.parameters.coupling
        lattice = last_fast.features.lattice
    else:
        smoothness = coupling = 0.0
        lattice = 1
    return {
        "sampler": sampler,
        "parameters": replace(session.parameters, smoothness=smoothness, coupling=coupling),
        "features": replace(session.features, lattice=lattice),
    }


def _in_words(before: Parameters, after: Parameters) -> str:
    """What the undo menu calls a change of parameters."""
    changed = [
        field.name
        for field in fields(Parameters)
        if getattr(before, field.name) != getattr(after, field.name)
    ]
    # Whatever else changes with the number of topics follows from it.
    name = changed[0] if len(changed) == 1 or "topics" in changed else "parameters"
    return f"Change {name}"


def _tooltip(entry: ImageEntry, image: Image) -> str:
    height, width = image.shape
    lines = [entry.name, f"{width} x {height} pixels"]
    if image.pixel_size is not None:
        lines.append(f"{image.pixel_size:g} m a pixel")
    return "\n".join((*lines, *image.notes))
