"""The program: creates, joins and ends window, controller and background work."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Slot, qVersion
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller import Controller
from pmlda_gui.gui.controller.analysing import Analysing
from pmlda_gui.gui.controller.autosave import Keeping
from pmlda_gui.gui.controller.bookmarking import Bookmarking
from pmlda_gui.gui.controller.comparing import Comparing
from pmlda_gui.gui.controller.exporting import Exporting
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.controller.hint_exchange import HintExchange
from pmlda_gui.gui.controller.missing_names import MissingNames
from pmlda_gui.gui.controller.overlaying import Overlaying
from pmlda_gui.gui.controller.panel_binding import PanelLink
from pmlda_gui.gui.controller.picture_saving import PictureSaving
from pmlda_gui.gui.controller.queueing import Queueing
from pmlda_gui.gui.controller.recovering import Recovering
from pmlda_gui.gui.controller.resting import Resting
from pmlda_gui.gui.controller.shape_export import ShapeExport
from pmlda_gui.gui.controller.start_on_open import Starting
from pmlda_gui.gui.controller.swiping import Swiping
from pmlda_gui.gui.controller.teaching import Teaching
from pmlda_gui.gui.controller.topic_counting import TopicCounting
from pmlda_gui.gui.controller.topic_keeping import TopicKeeping
from pmlda_gui.gui.controller.topic_using import TopicUsing
from pmlda_gui.gui.controller.unknown_picture import UnknownPictures
from pmlda_gui.gui.controller.view_commands import Extras, stored_theme
from pmlda_gui.gui.dialogs.errors import ErrorReport
from pmlda_gui.gui.main_window import MainWindow
from pmlda_gui.gui.shutdown import Ending
from pmlda_gui.gui.theme import apply_theme
from pmlda_gui.gui.warm_up import WarmUp
from pmlda_gui.imagery.readers.reader_process import end_reader_process
from pmlda_gui.workspace.settings import settings

__all__ = ["Program"]

_PATIENCE_SECONDS = 0.4
# With unsaved work the chain's thread has a copy to make first; the window is gone by then.
_COPYING_SECONDS = 10.0
_FOREVER_SECONDS = 600.0
_SWITCH_SECONDS = 0.001
_SETTLE_IN_AFTER_MILLISECONDS = 50
# A window that is never painted, because it is hidden, say, does not wait for ever.
_SETTLE_IN_LATEST_MILLISECONDS = 3000


log = logging.getLogger(__name__)


class Program(QObject):
    """Everything that lives as long as the window."""

    def __init__(self, application: QApplication) -> None:
        super().__init__()
        # The longest the window waits for a thread that computes in Python, in seconds.
        sys.setswitchinterval(_SWITCH_SECONDS)
        pg.setConfigOptions(imageAxisOrder="row-major", useNumba=False, useOpenGL=False)
        apply_theme(application, stored_theme())
        self.window = MainWindow()
        self.controller = Controller(self.window)
        self.panel_link = PanelLink(self.controller)
        self.files = Files(self.controller)
        self.exporting = Exporting(self.controller)
        self.bookmarking = Bookmarking(self.controller, self.files, self.exporting)
        self.recovering = Recovering(self.controller, self.files.resuming)
        self.keeping = Keeping(self.controller, self.files, self.recovering)
        self.missing_names = MissingNames(self.controller)
        self.comparing = Comparing(self.controller)
        self.overlaying = Overlaying(self.controller)
        self.analysing = Analysing(self.controller)
        self.shape_export = ShapeExport(self.controller, self.analysing)
        self.teaching = Teaching(self.controller)
        self.hint_exchange = HintExchange(self.controller)
        self.topic_keeping = TopicKeeping(self.controller)
        self.topic_using = TopicUsing(self.controller)
        self.unknown_pictures = UnknownPictures(self.controller)
        self.queueing = Queueing(self.controller)
        self.topic_counting = TopicCounting(self.controller)
        self.swiping = Swiping(self.controller, self.bookmarking, self.comparing)
        self.starting = Starting(self.controller)
        self.resting = Resting(self.controller)
        self.picture_saving = PictureSaving(self.controller)
        self.extras = Extras(self.controller)
        self.warm_up = WarmUp()
        self._report: ErrorReport | None = None
        self._looks_for_work = False
        self._ended = False
        self._application = application
        self._ending: Ending | None = None
        self.controller.error_raised.connect(self.tell)
        self.controller.changed.connect(self._show_title)
        self.controller.work_changed.connect(self._show_title)
        self.files.path_changed.connect(self._show_title)
        self.window.closing.connect(self._close)
        self._hook, sys.excepthook = sys.excepthook, self._unexpected
        self._thread_hook, threading.excepthook = threading.excepthook, self._unexpected_in_thread
        self._show_title()
        if settings().trouble is not None:
            self.window.message_bar.show_warning(str(settings().trouble))

    def show(self) -> None:
        """Show the window, and once it is painted load the rest."""
        self.window.installEventFilter(self)
        self.window.show()
        QTimer.singleShot(_SETTLE_IN_LATEST_MILLISECONDS, self, self._settle_in)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        """Wait for the first paint, which loading libraries would hold up."""
        if watched is self.window and event.type() == QEvent.Type.Paint:
            self.window.removeEventFilter(self)
            QTimer.singleShot(_SETTLE_IN_AFTER_MILLISECONDS, self, self._settle_in)
        return False

    @Slot()
    def _settle_in(self) -> None:
        if self._ended or self.warm_up.ident is not None:
            return
        log.info("the window is there; Qt %s", qVersion())
        if self._looks_for_work:
            self.recovering.look_for_work()
            self.extras.offer_tour()
        self.warm_up.start()

    def open_later(self, files: Sequence[Path], demo: bool) -> None:
        """Open what the command line asks for; without that, look for unsaved work.

        That needs libraries, so it waits for the first paint.
        """
        if demo:
            QTimer.singleShot(0, self.files, self.files.open_demo)
        elif files:
            self.files.open(files)
        else:
            self._looks_for_work = True

    def heed_the_system(self) -> None:
        """Autosave and end when a signal or the end of the desktop's session asks for it."""
        self._ending = Ending(self._application, self)
        self._ending.requested.connect(self._end)
        self._ending.session_ends.connect(self._save_now)

    @Slot(int)
    def _end(self, code: int) -> None:
        self.window.close()
        self._application.exit(code)

    @Slot()
    def _save_now(self) -> None:
        if not self._ended:
            self.keeping.save_now()

    # -- errors ------------------------------------------------------------------------------

    @Slot(object)
    def tell(self, error: BaseException) -> None:
        """One sentence for what an operator can mend; a report for what only we can."""
        if isinstance(error, PmldaError):
            log.warning("shown: %s", error)
            self.window.message_bar.show_warning(str(error))
            return
        log.error("an unexpected error", exc_info=error)
        details = "".join(traceback.format_exception(error))
        if self._report is None:
            self._report = ErrorReport(self.window)
        self._report.show_error(
            "An unexpected error occurred",
            "The program has a fault; your work is still here.",
            details,
        )

    def _unexpected(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self.window.close()
        else:
            self.tell(error)

    def _unexpected_in_thread(self, failure: threading.ExceptHookArgs) -> None:
        """The window goes on without that thread; whoever reads the log should know."""
        name = failure.thread.name if failure.thread is not None else "that is gone"
        log.error("an unexpected error in the thread %s", name, exc_info=failure.exc_value)
        self._thread_hook(failure)

    # -- title and end -----------------------------------------------------------------------

    @Slot()
    def _show_title(self) -> None:
        session, path = self.controller.session, self.files.path
        name = path.name if path is not None else "new workspace"
        if path is None and session.images:
            name = session.images[0].name
        self.window.setWindowTitle(f"{name}[*] – pmlda_gui")
        self.window.setWindowModified(self.controller.has_unsaved_work)

    @Slot(object)
    def _close(self, event: QCloseEvent) -> None:
        event.accept()
        self.window.hide()
        self.shut_down()

    def shut_down(self) -> None:
        """Have all threads end, and wait for them no longer than an operator would."""
        if self._ended:
            return
        self._ended = True
        sys.excepthook, threading.excepthook = self._hook, self._thread_hook
        self.warm_up.stop()
        farewell = self.keeping.farewell
        self.controller.shut_down(farewell)
        chain = self.controller.chain
        chain_ended = chain.wait(_PATIENCE_SECONDS if farewell is None else _COPYING_SECONDS)
        self.controller.wait(_PATIENCE_SECONDS)
        self.recovering.shut_down()
        self.keeping.shut_down(chain_ended)
        end_reader_process()
        if self._ending is not None:
            self._ending.stop()

    def wait(self) -> None:
        """Wait until all threads have ended."""
        self.controller.wait(_FOREVER_SECONDS)

    def dispose(self) -> None:
        """Delete the window and all it holds now, in Qt's order, and not when Python gets to it."""
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
