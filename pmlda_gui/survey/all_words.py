"""Topics learned from all words of a survey, which stay with the workers in shards.

A short chain on a few thousand words has found the topics; from there a chain on all words
goes on.  Each sweep sends means and variance to the shards and brings sums back.  With
dask the shards are actors on its workers, otherwise they are in this process; the bits
are the same.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.core.shard import ShardSums
from pmlda_gui.core.sharded_chain import Documents, ShardedChain
from pmlda_gui.core.state import Globals
from pmlda_gui.imagery.lattice import lattice_stride
from pmlda_gui.survey.learned import store_fields
from pmlda_gui.survey.shards import Part, ShardTask, ShardWorker, parts_of
from pmlda_gui.survey.store import Store
from pmlda_gui.survey.workers import Workers
from pmlda_gui.workspace.run import Run

__all__ = ["AllWords", "learn_from_all"]

log = logging.getLogger(__name__)

Array = NDArray[np.float64]
WORDS_PER_SHARD = 100_000
"""About how many words a shard has, unless a document has more."""
USUAL_SWEEPS = 200
_FOLLOWED = 32
# A worker that dies takes its shards along, and all begin again.
_MOST_BEGINNINGS = 4


@dataclass(frozen=True, eq=False)
class AllWords:
    """What all words are read from: features on every `step`-th row and column of the images.

    `shapes` and `tiles` are those of the images, which have `pixels` valid pixels in all.
    """

    workers: Workers
    store: Store
    shapes: tuple[tuple[int, int], ...]
    tiles: tuple[tuple[Any, ...], ...]
    pixels: int
    step: int


def learn_from_all(given: AllWords, run: Run, sweeps: int | None, progress: Progress) -> Run:
    """The run that goes on from `run` with all words of its documents.

    It is the same run with the draws of the chain on all words.
    """
    store_fields(given.store, run.prepared.fields)
    shards = _shards(given, run)
    for beginning in range(_MOST_BEGINNINGS):
        try:
            with _placed(given.workers, shards) as group:
                return _learned(group, shards, run, sweeps or USUAL_SWEEPS, progress)
        except _ShardsLostError as error:
            log.warning("a worker died with its shards (%s); all begin again", error)
            progress.check()
            if beginning + 1 == _MOST_BEGINNINGS:
                raise PmldaError(
                    "The workers died several times while the topics were learned, most likely for "
                    "want of memory: use more machines, or leave out --all-words."
                ) from error
    raise AssertionError


def _shards(given: AllWords, run: Run) -> list[ShardTask]:
    prepared, chain = run.prepared, run.chain
    choice, factor = prepared.feature_choice, prepared.pixels_per_cell
    stride = choice.lattice or lattice_stride(choice.scaled_window, given.pixels, None)
    every = max(1, round(stride / given.step))
    cells_per_word = (every * given.step / factor) ** 2
    sizes = []
    for field in prepared.fields:
        owners = field.labels[field.labels >= 0]
        cells = np.bincount(owners, minlength=field.documents.count)
        sizes.append(np.ceil(cells / cells_per_word).astype(np.int64))
    return [
        ShardTask(
            given.store, parts, given.step, every, factor, choice.scaled_window / factor,
            prepared.standardisation, chain.parameters, chain.prior, chain.seed,
        )
        for parts in parts_of(sizes, given.shapes, given.tiles, WORDS_PER_SHARD)
    ]  # fmt: skip


def _learned(
    group: _Group, shards: Sequence[ShardTask], run: Run, sweeps: int, progress: Progress
) -> Run:
    start, prepared = run.chain.globals, run.prepared
    sizes = group.ask("size", [()] * len(shards))
    before = np.cumsum([0, *sizes])
    documents = np.cumsum([0, *(_documents(task.parts) for task in shards)])
    followed = -(-_FOLLOWED // len(shards))
    group.ask(
        "begin",
        [
            (
                Globals(
                    start.proportions[first:end], start.scaling[first:end],
                    start.means, start.variance,
                ),
                int(word), int(first), followed,
            )
            for word, first, end in zip(before[:-1], documents[:-1], documents[1:], strict=True)
        ],
    )  # fmt: skip
    held = np.isin(run.topic_ids, run.chain.parameters.held)
    chain = ShardedChain(
        group, int(before[-1]), int(documents[-1]), run.chain.parameters, run.chain.prior,
        start, run.seed, held if held.any() else None,
    )  # fmt: skip
    for number in range(sweeps):
        progress.check()
        progress.report(number / sweeps, f"{number} sweeps over {int(before[-1]):,} words")
        chain.sweep()
    checkpoint = chain.checkpoint(run.checkpoint(), run.corpus)
    return Run.resume(prepared, checkpoint, run.journal)


def _documents(parts: Sequence[Part]) -> int:
    return sum(part.end - part.first for part in parts)


class _ShardsLostError(Exception):
    """A worker died, and its shards with it."""


class _Group:
    """Shards somewhere; `call` has all of them do something, each with its own arguments."""

    def __init__(self, call: Callable[[str, Sequence[tuple[Any, ...]]], list[Any]], count: int):
        self.ask = call
        self._count = count

    def sweep(self, number: int, means: Array, variance: float) -> list[ShardSums]:
        return self.ask("sweep", [(number, means, variance)] * self._count)

    def documents(self) -> list[Documents]:
        return self.ask("documents", [()] * self._count)


@contextmanager
def _placed(workers: Workers, shards: Sequence[ShardTask]) -> Iterator[_Group]:
    """The shards where they live, until the block ends."""
    with (
        _here(workers.count, shards)
        if workers.client is None
        else _on_workers(workers.client, shards) as group
    ):
        yield group


@contextmanager
def _here(threads: int, shards: Sequence[ShardTask]) -> Iterator[_Group]:
    with ThreadPoolExecutor(threads, thread_name_prefix="pmlda-shards") as pool:
        made = list(pool.map(ShardWorker, shards))

        def call(what: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
            return list(pool.map(lambda pair: getattr(pair[0], what)(*pair[1]),
                                 zip(made, arguments, strict=True)))  # fmt: skip

        yield _Group(call, len(made))


@contextmanager
def _on_workers(client: Any, shards: Sequence[ShardTask]) -> Iterator[_Group]:
    """Actors of dask, which live on its workers."""
    futures = [client.submit(ShardWorker, task, actor=True, pure=False) for task in shards]
    try:
        made = [_found(future) for future in futures]

        def call(what: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
            pairs = zip(made, arguments, strict=True)
            return [_found(each) for each in [getattr(actor, what)(*a) for actor, a in pairs]]

        yield _Group(call, len(made))
    finally:
        client.cancel(futures)


def _found(future: Any) -> Any:
    try:
        return future.result()
    except PmldaError:
        raise
    except Exception as error:
        gone = isinstance(error, OSError) or type(error).__name__ == "KilledWorker"
        if gone or "Actor was lost" in str(error):
            raise _ShardsLostError(str(error)) from error
        raise
