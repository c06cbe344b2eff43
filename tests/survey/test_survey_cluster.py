"""A real cluster of two processes: the same bits whoever works, and whoever dies."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from pmlda_gui.cli import main
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.survey import all_words, run_survey
from pmlda_gui.survey.workers import Tls, Workers, workers_for
from tests.survey.survey_scenes import SETTINGS, TILE, read_maps, require_same, write_line

# dask says at the end what it could not close in time.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def cluster():
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1",
        dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL,
    ) as made:  # fmt: skip
        yield made


@pytest.fixture(scope="module")
def client(cluster):
    from distributed import Client

    with Client(cluster) as made:
        yield made


@pytest.fixture(scope="module")
def line(tmp_path_factory) -> Path:
    return write_line(tmp_path_factory.mktemp("lines") / "line.tif")


@pytest.fixture(scope="module")
def expected(line, tmp_path_factory):
    """The maps of the line by the plain executor."""
    out = tmp_path_factory.mktemp("expected")
    with ThreadPoolExecutor(2) as pool:
        run_survey([line], out, SETTINGS, Workers(pool, 2, ""), tile=TILE)
    return read_maps(out)


def test_one_worker_or_two_or_four_give_the_same_bits(
    cluster, client, line, expected, tmp_path
) -> None:
    first = list(client.scheduler_info(n_workers=-1)["workers"])[:1]
    one = client.get_executor(pure=False, workers=first)
    run_survey([line], tmp_path / "1", SETTINGS, Workers(one, 1, ""), tile=TILE)
    require_same(read_maps(tmp_path / "1"), expected)
    for count in (2, 4):
        cluster.scale(count)
        client.wait_for_workers(count, timeout=60)
        workers = Workers(client.get_executor(pure=False), count, "")
        run_survey([line], tmp_path / str(count), SETTINGS, workers, tile=TILE)
        require_same(read_maps(tmp_path / str(count)), expected)
    cluster.scale(2)


def test_workers_that_die_in_every_stage_are_replaced(
    cluster, client, line, expected, tmp_path
) -> None:
    killed = []

    def tell(stage, fraction, text) -> None:
        # After the first tile of a stage, while others are being worked on.
        if 0.0 < fraction < 1.0 and stage not in {"topics", *killed}:
            nannies = [each for each in cluster.workers.values() if each.pid is not None]
            os.kill(nannies[len(killed) % len(nannies)].pid, signal.SIGKILL)
            killed.append(stage)

    other = write_line(tmp_path / "other.tif", seed=1, shape=(100, 110))
    workers = Workers(client.get_executor(pure=False), 2, "")
    run_survey([line, other], tmp_path / "out", SETTINGS, workers, tile=TILE, tell=tell)
    assert killed == ["index", "pixels", "cells", "features", "memberships", "writing"]
    with ThreadPoolExecutor(1) as pool:
        run_survey([line, other], tmp_path / "known", SETTINGS, Workers(pool, 1, ""), tile=TILE)
    require_same(read_maps(tmp_path / "out"), read_maps(tmp_path / "known"))


def test_a_damaged_file_among_others_is_left_out_by_the_workers(
    client, line, expected, tmp_path
) -> None:
    damaged = write_line(tmp_path / "damaged.tif", seed=1)
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
    damaged.write_bytes(content)
    (tmp_path / "no raster.tif").write_bytes(b"II*\x00 no raster")
    paths = [tmp_path / "no raster.tif", line, damaged]
    workers = Workers(client.get_executor(pure=False), 2, "")
    outcome = run_survey(paths, tmp_path / "out", SETTINGS, workers, tile=TILE)
    require_same(read_maps(tmp_path / "out"), expected)
    assert len(outcome.refused) == 2
    said = " ".join(map(str, outcome.refused))
    assert "damaged.tif" in said
    assert "no raster.tif" in said


def test_a_full_disk_at_one_tile_is_told_and_the_same_command_goes_on(
    client, line, expected, tmp_path
) -> None:
    wait_until(lambda: len(known_workers(client)) == 2)
    workers = Workers(client.get_executor(pure=False), 2, "")
    client.run(fill_disk)
    try:
        with pytest.raises(PmldaError, match=r"disk of .* is full"):
            run_survey([line], tmp_path, SETTINGS, workers, tile=TILE)
    finally:
        client.run(empty_disk)
    left = {path.name for path in (tmp_path / ".pmlda-survey").glob("*-0-*.tif")}
    assert "memberships-0-0.tif" in left
    assert "uncertainty-0-7.tif" not in left
    run_survey([line], tmp_path, SETTINGS, workers, tile=TILE)
    require_same(read_maps(tmp_path), expected)


def fill_disk() -> None:
    """Have the disk of this worker be full for one file."""
    import errno
    from contextlib import contextmanager

    from pmlda_gui.survey import tile_files
    from pmlda_gui.workspace.export import atomic

    @contextmanager
    def appearing(path):
        with atomic.appearing(path) as unfinished:
            yield unfinished
            if path.name == "uncertainty-0-7.tif":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    tile_files.appearing = appearing


def empty_disk() -> None:
    from pmlda_gui.survey import tile_files
    from pmlda_gui.workspace.export import atomic

    tile_files.appearing = atomic.appearing


@pytest.fixture(scope="module")
def from_all(line, tmp_path_factory):
    """The maps of the line with topics from all words, in this process."""
    out = tmp_path_factory.mktemp("from all")
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(2) as pool:
        patch.setattr(all_words, "WORDS_PER_SHARD", 150)
        workers = Workers(pool, 2, "")
        run_survey([line], out, SETTINGS, workers, tile=TILE, all_words=True)
    return read_maps(out)


def test_words_may_live_on_any_number_of_workers(
    cluster, client, line, from_all, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(all_words, "WORDS_PER_SHARD", 150)
    for count in (1, 2, 4):
        cluster.scale(count)
        client.wait_for_workers(count, timeout=60)
        wait_until(lambda count=count: len(known_workers(client)) == count)
        workers = Workers(client.get_executor(pure=False), count, "", client=client)
        where = []

        def tell(stage, fraction, text, where=where) -> None:
            if stage == "topics" and text.startswith("1 sweeps over") and not where:
                where.append(client.run(actors_here))

        out = tmp_path / str(count)
        run_survey([line], out, SETTINGS, workers, tile=TILE, all_words=True, tell=tell)
        require_same(read_maps(out), from_all)
        assert len(where[0]) == count
        assert sum(where[0].values()) >= 4
        assert all(where[0].values()), "every worker has a shard"
    cluster.scale(2)


def test_a_worker_that_dies_with_its_words_changes_nothing(
    cluster, client, line, from_all, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(all_words, "WORDS_PER_SHARD", 150)
    wait_until(lambda: len(known_workers(client)) == 2)
    killed = []

    def tell(stage, fraction, text) -> None:
        if stage == "topics" and text.startswith("5 sweeps over") and not killed:
            nannies = [each for each in cluster.workers.values() if each.pid is not None]
            os.kill(nannies[0].pid, signal.SIGKILL)
            killed.append(text)

    workers = Workers(client.get_executor(pure=False), 2, "", client=client)
    run_survey([line], tmp_path, SETTINGS, workers, tile=TILE, all_words=True, tell=tell)
    assert killed
    require_same(read_maps(tmp_path), from_all)


def actors_here(dask_worker) -> int:
    return len(dask_worker.state.actors)


def known_workers(client) -> dict:
    return client.scheduler_info(n_workers=-1)["workers"]


def wait_until(holds, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_scheduler_of_the_operators_is_used_as_it_is(cluster, line, tmp_path, capsys) -> None:
    with workers_for(None, cluster.scheduler_address, Tls(), 1) as workers:
        assert not workers.local
        assert cluster.scheduler_address in workers.said
    assert main(["survey", str(line), "--out", str(tmp_path), "--scheduler", "tcp:/nowhere"]) == 2
    assert "No scheduler answers at tcp:/nowhere" in capsys.readouterr().err


def test_nothing_listens_beyond_this_machine() -> None:
    before = {*psutil.Process().children(recursive=True)}
    known = {each.laddr for each in psutil.Process().net_connections("inet")}
    with workers_for(1, None, Tls(), 100_000_000) as workers:
        children = {*psutil.Process().children(recursive=True)} - before
        asked = {
            socket.laddr
            for process in (psutil.Process(), *children)
            for socket in process.net_connections("inet")
            if socket.status == psutil.CONN_LISTEN
        } - known
        assert len(asked) >= 3
        assert {address.ip for address in asked} == {"127.0.0.1"}
        assert "1 process of this machine" in workers.said
    with (
        pytest.raises(PmldaError, match="give its address"),
        workers_for(1, None, Tls(ca=Path("ca.pem")), 1),
    ):
        pass


def test_a_client_that_is_killed_goes_on_when_it_is_started_again(line, expected, tmp_path) -> None:
    command = [sys.executable, "-m", "tests.survey.survey_client", str(line), str(tmp_path)]
    store = tmp_path / ".pmlda-survey"
    process = subprocess.Popen(command)
    deadline = time.monotonic() + 120
    while len(list(store.glob("uncertainty-*.tif"))) < 3:
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not list(tmp_path.glob("*.tif"))
    done = {path: path.stat().st_mtime_ns for path in store.glob("memberships-*.tif")}
    subprocess.run(command, check=True, timeout=120)
    require_same(read_maps(tmp_path), expected)
    assert len(done) >= 3
    assert not store.exists()
