"""Who does the work: processes of this machine, a cluster of the operator's, or own threads.

All are a `concurrent.futures.Executor`.  Processes and clusters need dask.distributed,
which the extra `survey` brings; nothing of it listens beyond this machine unless the
operator's own scheduler does.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.thread_pool import available_threads
from pmlda_gui.workspace.tiled_preparation import TILE_ROWS

__all__ = [
    "Tls",
    "Workers",
    "available_memory",
    "check_memory",
    "dask_is_there",
    "task_bytes",
    "workers_for",
]

_LOOPBACK = "127.0.0.1"
_SECONDS_TO_CONNECT = 20
# What a process takes before its first tile, with all libraries loaded.
PROCESS_BYTES = 350_000_000
# What features of one band take while they are measured, in bytes a pixel; and how many
# pixels around a tile the usual ones need.
BYTES_PER_PIXEL, USUAL_MARGIN = 190, 102
# What dask lets a worker have: several times what a task is held to.
_LIMIT_PER_TASK = 4


@dataclass(frozen=True)
class Tls:
    """Files for an encrypted connection to a scheduler, as dask wants them."""

    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    @property
    def given(self) -> bool:
        return any((self.ca, self.certificate, self.key))


@dataclass(frozen=True, eq=False)
class Workers:
    """What runs tasks, how many at once, and a sentence about it for the operator.

    `local` tells that they take the memory of this machine, and `processes` that each takes
    that of a process.  `client` is dask's, for what lives on its workers.
    """

    executor: Executor
    count: int
    said: str
    local: bool = True
    processes: bool = False
    client: Any = None


def task_bytes(bands: int, tile: int = TILE_ROWS, around: int = USUAL_MARGIN) -> int:
    """What a task takes at most: features of a tile, with the pixels `around` it, in `bands`."""
    return BYTES_PER_PIXEL * bands * (tile + 2 * around) ** 2


def dask_is_there() -> bool:
    """Whether the extra `survey` is installed."""
    return importlib.util.find_spec("distributed") is not None


@contextmanager
def workers_for(
    count: int | None, scheduler: str | None, tls: Tls, task_bytes: int
) -> Iterator[Workers]:
    """Workers until the block ends: `count` of this machine, or those of a scheduler."""
    wanted = count or available_threads()
    if scheduler is not None:
        with _cluster(scheduler, tls) as workers:
            yield workers
    elif tls.given:
        raise PmldaError("TLS files need a scheduler: also give its address.")
    elif dask_is_there():
        check_memory(wanted, task_bytes + PROCESS_BYTES)
        with _processes(wanted, task_bytes) as workers:
            yield workers
    else:
        check_memory(wanted, task_bytes)
        with ThreadPoolExecutor(wanted, thread_name_prefix="pmlda-survey") as pool:
            yield Workers(
                pool,
                wanted,
                "dask.distributed is not part of this installation, so the survey runs on "
                f"{_counted(wanted, 'thread')} of this program.",
            )


@contextmanager
def _processes(count: int, task_bytes: int) -> Iterator[Workers]:
    import logging

    from distributed import Client, LocalCluster

    # Scheduler and workers answer questions about themselves, on all interfaces unless told.
    page = f"{_LOOPBACK}:0"
    with (
        LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            host=_LOOPBACK,
            dashboard_address=page,
            worker_dashboard_address=page,
            memory_limit=_LIMIT_PER_TASK * task_bytes + PROCESS_BYTES,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        said = f"The survey runs on {_counted(count, 'process')} of this machine."
        if importlib.util.find_spec("bokeh") is not None:
            said += f"  Progress page: {cluster.dashboard_link}"
        executor = client.get_executor(pure=False)
        yield Workers(executor, count, said, processes=True, client=client)


@contextmanager
def _cluster(address: str, tls: Tls) -> Iterator[Workers]:
    if not dask_is_there():
        raise PmldaError(
            "A scheduler was given, but dask.distributed is not part of this installation: install "
            "pmlda-gui[survey], or leave the scheduler out to use this machine alone."
        )
    from distributed import Client, Security

    security: Any = None
    if tls.given:
        security = Security(
            tls_ca_file=None if tls.ca is None else str(tls.ca),
            tls_client_cert=None if tls.certificate is None else str(tls.certificate),
            tls_client_key=None if tls.key is None else str(tls.key),
            require_encryption=True,
        )
    try:
        client = Client(address, timeout=_SECONDS_TO_CONNECT, security=security)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise PmldaError(
            f"No scheduler answers at {address} ({error}): check the address, which looks like "
            "tcp://HOST:8786, and that the scheduler runs."
        ) from error
    with client:
        count = len(client.scheduler_info(n_workers=-1)["workers"])
        if count == 0:
            raise PmldaError(f"The scheduler at {address} has no workers: start some.")
        said = f"The survey runs on {_counted(count, 'worker')} of {address}."
        if client.dashboard_link:
            said += f"  Progress page: {client.dashboard_link}"
        executor = client.get_executor(pure=False)
        yield Workers(executor, count, said, local=False, processes=True, client=client)


def _counted(count: int, what: str) -> str:
    plural = f"{what}es" if what.endswith("s") else f"{what}s"
    return f"{count} {what if count == 1 else plural}"


def available_memory() -> int | None:
    """Bytes that can be taken without swapping, None where the system does not say."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def check_memory(count: int, bytes_each: int) -> None:
    """Refuse more workers than there is memory for."""
    free = available_memory()
    if free is None or count * bytes_each <= free:
        return
    fitting = free // bytes_each
    remedy = f"use {fitting}" if fitting else "end other programs, or use smaller tiles"
    raise PmldaError(
        f"{_counted(count, 'worker')} with {bytes_each / 1e9:.2f} GB each need more than the "
        f"{free / 1e9:.1f} GB that are free: {remedy}."
    )
