"""A survey in a process of its own, with figures by stage: SOURCE OUT WORKERS FIGURES.

It can be killed and started again; the figures of what it did until then are in the file.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from pathlib import Path

import psutil
from distributed import Client, LocalCluster

from pmlda_gui.survey import run_survey
from pmlda_gui.survey.workers import Workers
from pmlda_gui.workspace.batch.options import settings_from
from pmlda_gui.workspace.export.atomic import write_whole

__all__ = ["FEATURES", "MEMORY_LIMIT"]

FEATURES = "seabed"
MEMORY_LIMIT = "3GB"
_SECONDS_BETWEEN_LOOKS = 1.0


class Figures:
    """Seconds of the clock and of the processor by stage, of this process and of the workers."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stage = "start"
        self._seconds: dict[str, list[float]] = {}
        self._peaks: dict[int, int] = {}
        self._workers: dict[int, float] = {}
        self._before = self._now()

    def _now(self) -> list[float]:
        for child in psutil.Process().children(recursive=True):
            try:
                spent = child.cpu_times()
                self._workers[child.pid] = spent.user + spent.system
                status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
            except (psutil.Error, OSError):
                continue
            for line in status.splitlines():
                if line.startswith("VmHWM:"):
                    self._peaks[child.pid] = int(line.split()[1]) * 1024
        return [time.perf_counter(), time.process_time(), sum(self._workers.values())]

    def tell(self, stage: str, _fraction: float, _text: str) -> None:
        """Note what was spent since the last time."""
        if stage == self._stage and (
            time.perf_counter() - self._before[0] < _SECONDS_BETWEEN_LOOKS
        ):
            return
        now = self._now()
        spent = self._seconds.setdefault(self._stage, [0.0, 0.0, 0.0])
        for place in range(3):
            spent[place] += now[place] - self._before[place]
        self._stage, self._before = stage, now
        values = {"stages": self._seconds, "peak": max(self._peaks.values(), default=0)}
        write_whole(self._path, json.dumps(values).encode())


def main() -> None:
    source, out, count, figures = sys.argv[1:]
    with (
        LocalCluster(
            n_workers=int(count), threads_per_worker=1, processes=True, host="127.0.0.1",
            dashboard_address="127.0.0.1:0", memory_limit=MEMORY_LIMIT,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        workers = Workers(client.get_executor(pure=False), int(count), "", client=client)
        noted = Figures(Path(figures))
        settings = settings_from(features=FEATURES)
        run_survey([source], Path(out), settings, workers, tell=noted.tell)
        noted.tell("end", 1.0, "")


if __name__ == "__main__":
    main()
