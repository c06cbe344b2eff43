"""Loads and compiles everything heavy in the background once the window is shown.

Garbage collection is off meanwhile: importing makes millions of objects, and each
full collection over them would stall the window.
"""

from __future__ import annotations

import gc
import threading
from dataclasses import replace

import numpy as np

from pmlda_gui.gui.library_loading import load_libraries
from pmlda_gui.gui.priority import lower_priority

__all__ = ["WarmUp"]

_WINDOW = 31


class WarmUp(threading.Thread):
    """Runs a tiny job through every layer and then ends.

    Loading a library cannot be interrupted, so the program may end without waiting
    for this thread: it is a daemon.
    """

    def __init__(self) -> None:
        super().__init__(name="warm-up", daemon=True)
        self._stopped = False

    def stop(self) -> None:
        """End at the next opportunity."""
        self._stopped = True

    def _is_unwanted(self) -> bool:
        return self._stopped

    def run(self) -> None:
        """The thread's whole life."""
        lower_priority()
        gc.disable()
        try:
            self.touch_everything()
            gc.freeze()
        finally:
            gc.enable()

    def touch_everything(self) -> None:
        """Load every library and compile every kernel that a first run needs."""
        load_libraries()
        from pmlda_gui.core.parameters import Parameters
        from pmlda_gui.gui.frame_maker import Framer
        from pmlda_gui.gui.view_request import ViewRequest
        from pmlda_gui.imagery.image import Image
        from pmlda_gui.imagery.similar_ground import averaged_alike
        from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
        from pmlda_gui.workspace.preparation import DocumentChoice, prepare
        from pmlda_gui.workspace.run import Run

        pixels = np.random.default_rng(0).random((48, 48), np.float32)
        image = Image(pixels, np.ones(pixels.shape, np.bool_))
        prepared = prepare([image], document_choice=DocumentChoice(count=6))
        prepared.documents[0].outline_segments()
        # The image is too small for its noise to be known.
        measured = prepared.features[0]
        known = replace(prepared.standardisation, guide=np.eye(len(measured.names)))
        averaged_alike(measured, known, image.valid, _WINDOW)
        run = Run(prepared, replace(DEFAULT_PARAMETERS, topics=2), threads=1)
        framer = Framer(run, 0)
        try:
            for parameters in (
                replace(DEFAULT_PARAMETERS, topics=2),
                DEFAULT_PARAMETERS,
                replace(DEFAULT_PARAMETERS, fuzzifier=1.5),
                Parameters(3),
            ):
                if self._stopped:
                    return
                run.set_parameters(parameters)
                run.sweep(2)
                framer.mapper.note_sweeps()
                for kind in ("mean", "map"):
                    framer.set_view(ViewRequest(kind))
                    wanted = framer.mapper.next_pass(at_rest=True)
                    if wanted is not None:
                        framer.mapper.make(wanted, self._is_unwanted)
                    framer.snapshot()
            run.diagnosis()
        finally:
            run.close()
