"""What is done with a file that arrived: it is segmented by topics found before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.readers.options import ReadOptions
from pmlda_gui.workspace.batch.segment import compute, open_sources
from pmlda_gui.workspace.batch.settings import Settings
from pmlda_gui.workspace.export import check_targets, write_results
from pmlda_gui.workspace.watched_folder import Writer

__all__ = ["segmenting"]


def segmenting(
    settings: Settings,
    options: ReadOptions,
    ended: Callable[[], bool],
    tell: Callable[[str], None],
    report: Callable[[float, str], None] | None = None,
) -> Callable[[Path], Writer | None]:
    """The `work` of a `Watch`: reads and segments a file, and gives what writes its results.

    `ended` says that nobody wants them any more; `tell` is given sentences about results, and
    `report` how far the present file is.
    """

    def work(path: Path) -> Writer | None:
        progress = Progress(report, ended)
        try:
            images = open_sources([path], progress.unheard(), options=options)
            result = compute(images, settings, progress)
        except PmldaError:
            if ended():
                return None
            raise

        def write(folder: Path) -> None:
            progress.tell(1.0, "writing")
            check_targets(folder, images)
            write_results(result, folder)
            for text in result.warnings:
                tell(text)

        return write

    return work
