"""How the built program is started for a trial: as whom, where, with which screen."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

LONGEST_SECONDS = 600


@dataclass(frozen=True)
class Trial:
    """What a start of the program has printed, and the code it ended with."""

    code: int
    output: str

    def figure(self, pattern: str) -> float | None:
        """A number that the output tells, by a pattern with one group."""
        found = re.search(pattern, self.output)
        return None if found is None else float(found[1])


def start(
    command: Sequence[str | Path],
    environment: Mapping[str, str],
    folder: Path,
    user: int | None = None,
) -> subprocess.Popen[str]:
    """Start a program in a folder, as another user if that is given."""
    whom = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    return subprocess.Popen(
        [str(each) for each in command],
        env=dict(environment),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **whom,
    )


def finish(process: subprocess.Popen[str]) -> Trial:
    """Wait for a program to end."""
    try:
        output, _ = process.communicate(timeout=LONGEST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        return Trial(-1, f"{output}\nIt did not end within {LONGEST_SECONDS} s.")
    return Trial(process.returncode, output)


@contextmanager
def virtual_screen() -> Iterator[str]:
    """The name of a display that nobody sees, there as long as this lasts."""
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    try:
        yield f":{server.stdout.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


@dataclass
class Report:
    """Says what was tried, and remembers whether anything went wrong."""

    failures: list[str] = field(default_factory=list)
    figures: dict[str, list[float]] = field(default_factory=dict)

    def tell(self, name: str, well: bool, details: str = "") -> None:
        """One line for a trial, and what it printed if it went wrong."""
        print(f"{'ok' if well else 'FAILED':7} {name}", flush=True)
        if not well:
            self.failures.append(name)
            print("        " + details.strip().replace("\n", "\n        "), flush=True)

    def note(self, name: str, value: float | None) -> None:
        """Keep a measured figure."""
        if value is not None:
            self.figures.setdefault(name, []).append(value)

    def skip(self, name: str, why: str) -> None:
        """Say that something was left out."""
        print(f"left    {name}: {why}", flush=True)


def size_of(path: Path) -> int:
    """The bytes in a file, or in all files of a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(each.lstat().st_size for each in path.rglob("*") if not each.is_dir())


def found(command: str) -> bool:
    """Whether this machine has a command."""
    return shutil.which(command) is not None
