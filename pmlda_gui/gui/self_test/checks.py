"""The checks of the self-test, in order; each returns what it saw in a few words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication, QCheckBox, QSlider

from pmlda_gui.gui.dialogs.export import ExportChoice
from pmlda_gui.gui.frame import Snapshot
from pmlda_gui.gui.self_test.files import (
    PIXEL_SIZE,
    REFERENCE_SYSTEM,
    write_geotiff,
    write_matlab,
    write_recording,
)
from pmlda_gui.gui.self_test.screen_checks import covers, likeness, unreadable
from pmlda_gui.gui.self_test.stage import CheckError, Stage, demand
from pmlda_gui.imagery.display import to_levels
from pmlda_gui.resources import resource_names
from pmlda_gui.workspace.session import Session

__all__ = ["CHECKS", "Check"]

Check = Callable[[Stage], str]
SIGNALS = 5000
_LEAST_LIKENESS = 0.8
_SLIDER_STEPS = 2
# Sliders that act only while a box is ticked; the others act while it is not.
_TICK_FIRST = {"scaling": "scaling_fixed", "outlines_opacity": "outlines_shown"}
_EXPORTED = ("memberships.tif", "uncertainty.tif", "labels.tif", ".gpkg")


def fonts(_stage: Stage) -> str:
    """Without fonts Qt draws boxes and says nothing."""
    families = QFontDatabase.families()
    demand(bool(families), "this system has no fonts: install some, such as DejaVu")
    boxes = unreadable(QApplication.font())
    demand(not boxes, f"no font on this system can draw {boxes}: install one, such as DejaVu")
    return f"{len(families)} families, letters are drawn"


def resources(_stage: Stage) -> str:
    """Icons and help pages are there."""
    counts = {kind: len(resource_names(*kind)) for kind in (("icons", ".svg"), ("help", ".md"))}
    for (folder, _), count in counts.items():
        demand(count > 0, f"the program's folder {folder} is missing: install it again")
    return ", ".join(f"{count} {folder}" for (folder, _), count in counts.items())


def warm_up(stage: Stage) -> str:
    """Every library loads and every kernel of a first run is ready."""
    thread = stage.program.warm_up
    seconds = stage.wait_until(
        lambda: thread.ident is not None and not thread.is_alive(), "the warm-up did not end"
    )
    stage.require_no_errors()
    return f"everything loaded {seconds:.2f} s after the first paint"


def geotiff(stage: Stage) -> str:
    """An image opens with its place on the Earth, which takes GDAL and PROJ with their data."""
    seconds = _open(stage, write_geotiff(stage.folder / "seabed.tif"))
    image = stage.image
    if image.georeference is None:
        raise CheckError("its georeference was lost")
    place = image.georeference
    demand(image.pixel_size == PIXEL_SIZE, f"its pixels measure {image.pixel_size} m")
    demand("UTM zone 19N" in place.crs, f"EPSG:{REFERENCE_SYSTEM} was read as {place.crs[:60]!r}")
    return f"{image.shape[1]} × {image.shape[0]} pixels in UTM zone 19N after {seconds:.2f} s"


def _open(stage: Stage, path: Path) -> float:
    """Open a file in place of what is open; the seconds until there is a map of it."""
    presenter = stage.controller.presenter
    before = presenter.snapshot
    stage.program.files.open([path])
    # A frame of what was open may still be on its way: only one of another run counts.
    return stage.wait_until(
        lambda: (
            presenter.snapshot is not None
            and (before is None or presenter.snapshot.run != before.run)
        ),
        f"{path.name} did not open",
    )


def superpixels(stage: Stage) -> str:
    """The image is divided into documents that hold all of its pixels."""
    documents = stage.snapshot.prepared.documents[0]
    wanted = stage.controller.session.documents.count
    demand(
        wanted / 2 <= documents.count <= 2 * wanted,
        f"{documents.count} superpixels were made instead of about {wanted}",
    )
    demand(documents.left_out == 0, f"{documents.left_out} pixels are in no superpixel")
    return f"{documents.count} hold all pixels"


def picture(stage: Stage) -> str:
    """The view covers the image and has it painted."""
    view, image, controller = stage.window.grid.view("source_view"), stage.image, stage.controller
    stage.wait_until(lambda: "source" not in controller.jobs.names, "the image was not painted")
    demand(covers(view.visible_range, image.shape), "the view does not cover the image")
    # The outlines would lie over what is compared.
    stage.press("outlines_shown")
    alike = likeness(view, to_levels(image, controller.session.display))
    stage.press("outlines_shown")
    demand(alike > _LEAST_LIKENESS, f"the view does not show the image (likeness {alike:.2f})")
    return f"the view shows all of the image (likeness {alike:.2f})"


def chain(stage: Stage) -> str:
    """Run gives a map at once, and soon one as fine as the screen."""
    before = stage.snapshot
    stage.press("run")
    first = stage.wait_until(
        lambda: stage.snapshot is not before and stage.snapshot.figures.sweep > 0,
        "Run gave no map",
    )
    rest = stage.wait_until(lambda: stage.snapshot.sharp, "the map did not become sharp")
    maps = stage.snapshot.pictures.maps
    demand(int(maps.max()) > int(maps.min()), "the maps are empty")
    view = stage.window.grid.view("membership_view_0")
    alike = likeness(view, maps[0])
    demand(alike > _LEAST_LIKENESS, f"the view does not show the map (likeness {alike:.2f})")
    stage.window.grab().save(str(stage.folder / "screenshot.png"))
    return f"first map {first:.2f} s after Run, sharp {first + rest:.2f} s after it"


def sliders(stage: Stage) -> str:
    """Every slider changes the session, and the running chain goes on under the change."""
    found = [
        each
        for each in stage.window.findChildren(QSlider)
        if each.objectName()
        and not stage.window.overlay.isAncestorOf(each)
        and not stage.window.teach.isAncestorOf(each)
    ]
    demand(len(found) >= 9, f"only {len(found)} sliders were found")
    for slider in found:
        _move(stage, slider)
    return f"{len(found)} moved: {', '.join(each.objectName() for each in found)}"


def _move(stage: Stage, slider: QSlider) -> None:
    name, controller = slider.objectName(), stage.controller
    box = stage.window.findChild(QCheckBox, _TICK_FIRST.get(name, "none"))
    if box is not None and box.isChecked():
        box = None
    stage.bring_forward(slider)
    if box is not None:
        box.click()
    demand(slider.isEnabled(), f"the slider {name} cannot be moved")
    before, shown = controller.session, stage.snapshot
    up = slider.value() + _SLIDER_STEPS
    slider.setValue(up if up <= slider.maximum() else slider.value() - _SLIDER_STEPS)
    after = controller.session
    demand(after != before, f"the slider {name} changes nothing")
    stage.wait_until(
        lambda: _took_effect(before, after, shown, stage.snapshot),
        f"the slider {name} had no effect on the running chain",
    )
    if box is not None:
        box.click()


def _took_effect(before: Session, after: Session, shown: Snapshot, newest: Snapshot) -> bool:
    """Whether the chain has taken up what is different."""
    if (before.documents, before.features) != (after.documents, after.features):
        return newest.prepared is not shown.prepared
    if before.parameters != after.parameters:
        return len(newest.marks) > len(shown.marks)
    return newest is not shown


def export(stage: Stage) -> str:
    """Maps, polygons, pictures and the report are written, and the maps lie where they should."""
    from pmlda_gui.imagery.readers import open_image

    stage.press("pause")
    folder, bar = stage.folder / "results", stage.window.message_bar
    stage.program.exporting.export(ExportChoice(folder, "mean"))
    seconds = stage.wait_until(lambda: "were written" in bar.text, "the export did not end")
    names = [path.name for path in folder.iterdir()]
    for ending in _EXPORTED:
        demand(any(each.endswith(ending) for each in names), f"no file …{ending} was exported")
    maps = open_image(folder / "seabed_memberships.tif")
    demand(maps.pixel_size == PIXEL_SIZE, "the exported maps lost their georeference")
    return f"{len(names)} files in {seconds:.2f} s"


def workspace(stage: Stage) -> str:
    """Everything is saved into one file and comes back from it."""
    path, history = stage.folder / "work.pmlda", stage.controller.history
    stage.program.files.save_to(path)
    stage.wait_until(lambda: path.exists() and history.saved, "the workspace was not saved")
    sweep = stage.snapshot.figures.sweep
    _open(stage, path)
    demand(stage.snapshot.figures.sweep == sweep, "the workspace came back with another chain")
    return f"saved and opened again at sweep {sweep}"


def recording(stage: Stage) -> str:
    """A side-scan recording opens and can be run."""
    _open(stage, write_recording(stage.folder / "line.xtf"))
    stage.press("run")
    stage.wait_until(lambda: stage.snapshot.figures.sweep > 3, "the chain did not run on it")
    stage.press("pause")
    image = stage.snapshot.prepared.images[0]
    demand(not image.valid.all(), "its water column was not masked")
    return f"{image.shape[1]} × {image.shape[0]} pixels, water column masked"


def hdf5(stage: Stage) -> str:
    """A file whose library may abort is read by the program started once more."""
    from pmlda_gui.core.progress import Progress
    from pmlda_gui.imagery.readers import ReadOptions
    from pmlda_gui.imagery.readers.reader_process import open_apart

    path = write_matlab(stage.folder / "seabed.mat")
    image = open_apart(path, ReadOptions(), Progress())
    if image is None:
        raise CheckError("no process could be started to read it")
    demand(bool(image.valid.any()), "its pixels were lost on the way")
    return f"{image.shape[1]} × {image.shape[0]} pixels came from a process of their own"


class _Emitter(QObject):
    sent = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.arrived = 0
        self.sent.connect(self._take, Qt.ConnectionType.QueuedConnection)

    @Slot(object)
    def _take(self, _payload: object) -> None:
        self.arrived += 1


def signals(stage: Stage) -> str:
    """Some releases of Qt for Python lose a reference at every emission, and abort later."""
    emitter, payload = _Emitter(), object()
    before = sys.getrefcount(payload)
    for _ in range(SIGNALS):
        emitter.sent.emit(payload)
    stage.wait_until(lambda: emitter.arrived >= SIGNALS, "signals were lost")
    change = sys.getrefcount(payload) - before
    demand(change == 0, f"{SIGNALS} signals changed the count of references by {change}")
    return f"{SIGNALS} sent, all arrived"


def kernels(_stage: Stage) -> str:
    """A built program compiles nothing on a processor its kernels were made for."""
    from numba import config

    from pmlda_gui.core.kernel_cache import build_id
    from pmlda_gui.core.kernel_compiler import compiled_here

    compiled = compiled_here()
    if build_id() is None:
        return f"{len(compiled)} compiled by this start; this is not a built program"
    if config.CPU_NAME is None:
        return f"{len(compiled)} compiled by this start: this processor is an older one"
    demand(
        not compiled,
        f"{len(compiled)} kernels were compiled although the program should carry them: "
        + ", ".join(compiled[:5]),
    )
    return f"none compiled, all came from the cache for {config.CPU_NAME}"


CHECKS: Mapping[str, Check] = {
    "fonts": fonts,
    "resources": resources,
    "warm-up": warm_up,
    "GeoTIFF": geotiff,
    "superpixels": superpixels,
    "picture": picture,
    "chain": chain,
    "sliders": sliders,
    "export": export,
    "workspace": workspace,
    "recording": recording,
    "HDF5": hdf5,
    "signals": signals,
    "kernels": kernels,
}
