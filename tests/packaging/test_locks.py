"""The locks are what the ranges of pyproject.toml allow, and every file in them has its hash."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
PYTHONS = ("3.11", "3.12", "3.13")
SYSTEMS = ("linux", "darwin", "win32")
EACH = [(extra, python) for extra in EXTRAS for python in PYTHONS]
PINNED = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>[^ ]+)(?: ; (?P<marker>.+?))?"
    r"(?P<hashes>(?: --hash=sha256:[0-9a-f]{64})+)"
)


def lock(extra: str, python: str) -> str:
    return (ROOT / "locks" / f"{extra}-{python}.txt").read_text(encoding="utf-8")


def entries(extra: str, python: str) -> list[re.Match[str]]:
    """What a lock names, one by one; every line of it is understood."""
    text = re.sub(r"\s*\\\n\s*", " ", lock(extra, python))
    found = []
    for line in text.splitlines():
        if not line.startswith("#"):
            entry = PINNED.fullmatch(line)
            assert entry is not None, f"not pinned with hashes: {line[:80]}"
            found.append(entry)
    return found


def ranges(extra: str) -> list[str]:
    """The ranges of an extra, with those of the extras it includes."""
    found = []
    for text in EXTRAS[extra]:
        requirement = Requirement(text)
        if requirement.name == PROJECT["project"]["name"]:
            found += [each for included in sorted(requirement.extras) for each in ranges(included)]
        else:
            found.append(text)
    return found


def versions(extra: str, python: str, system: str = "linux") -> dict[str, Version]:
    """What is installed by a lock on a system."""
    environment = environment_of(python, system)
    found: dict[str, Version] = {}
    for entry in entries(extra, python):
        if entry["marker"] is None or Marker(entry["marker"]).evaluate(environment):
            assert entry["name"] not in found, f"{entry['name']} is named twice"
            found[entry["name"]] = Version(entry["version"])
    return found


def environment_of(python: str, system: str) -> dict[str, str]:
    return {
        "python_version": python,
        "python_full_version": f"{python}.9",
        "sys_platform": system,
        "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[system],
        "os_name": "nt" if system == "win32" else "posix",
        "extra": "",
    }


def test_there_is_a_lock_for_every_extra_and_supported_python() -> None:
    supported = {
        each.rpartition(" :: ")[2]
        for each in PROJECT["project"]["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", each)
    }
    assert supported == set(PYTHONS)
    names = {path.name for path in (ROOT / "locks").iterdir()}
    assert names == {f"{extra}-{python}.txt" for extra, python in EACH}


@pytest.mark.parametrize(("extra", "python"), EACH)
def test_a_lock_satisfies_the_ranges(extra: str, python: str) -> None:
    wanted = (
        PROJECT["project"]["dependencies"] + ranges(extra) + PROJECT["build-system"]["requires"]
    )
    for system in SYSTEMS:
        locked = versions(extra, python, system)
        for text in wanted:
            requirement = Requirement(text)
            version = locked[canonicalize_name(requirement.name)]
            assert version in requirement.specifier, f"{text}, but {version} is locked"


@pytest.mark.parametrize(("extra", "python"), EACH)
def test_a_lock_has_hashes_for_everything_and_names_no_place(extra: str, python: str) -> None:
    assert all(entry["hashes"] for entry in entries(extra, python))
    text = lock(extra, python)
    for place in (
        "://",
        "@ ",
        "--index-url",
        "--extra-index-url",
        "--find-links",
        "--trusted-host",
    ):
        assert place not in text
    body = [line for line in text.splitlines() if not line.startswith("#")]
    assert not [line for line in body if "/" in line or "\\" in line.rstrip("\\")]


@pytest.mark.parametrize("python", PYTHONS)
def test_all_locks_of_a_python_agree(python: str) -> None:
    chosen: dict[str, Version] = {}
    for extra in EXTRAS:
        for name, version in versions(extra, python).items():
            assert chosen.setdefault(name, version) == version, name


@pytest.mark.parametrize("extra", list(EXTRAS))
def test_nothing_that_a_locked_package_needs_is_missing(extra: str) -> None:
    """Seen from what is installed here: pip would refuse to install anything without a hash."""
    python = ".".join(map(str, sys.version_info[:2]))
    environment = environment_of(python, sys.platform)
    locked = versions(extra, python, sys.platform)
    for name, version in locked.items():
        try:
            installed = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if Version(installed.version) != version:
            continue
        for text in installed.requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate(environment):
                needed = canonicalize_name(requirement.name)
                assert needed in locked, f"{name} needs {needed}"
                assert locked[needed] in requirement.specifier


# -- what the setup does with them ----------------------------------------------------------------

COMMANDS = ("bash", "cat", "dirname", "ls", "rm", "touch", "tr", "uname")
PIP = """#!{bash}
if [ "$1" = -m ]; then
    shift 3
    echo "$*" >> "{folder}/asked"
    case "$*" in *--require-hashes*) echo "{says}" >&2; exit {code} ;; esac
elif [ "$1" = -c ]; then
    echo 3.12
else
    cat > "{folder}/script"
fi
"""


def set_up(
    folder: Path, says: str, code: int
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run the setup with a pip that says something about the lock; what it was asked for."""
    bash = shutil.which("bash")
    commands, environment = folder / "commands", folder / "venv" / "bin"
    for each in (commands, environment):
        each.mkdir(parents=True)
    for name in COMMANDS:
        where = shutil.which(name)
        assert where is not None
        (commands / name).symlink_to(where)
    (commands / "python3").symlink_to(sys.executable)
    (environment / "python").write_text(PIP.format(bash=bash, folder=folder, says=says, code=code))
    (environment / "python").chmod(0o755)
    finished = subprocess.run(
        [str(bash), "tools/setup.sh", str(folder / "venv"), "test"],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=60,
        # Without apt-get nothing is installed on this computer.
        env={"PATH": str(commands), "HOME": str(folder), "LANG": os.environ.get("LANG", "C")},
    )  # fmt: skip
    return finished, (folder / "asked").read_text().splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="the setup is a shell script")
class TestSetup:
    def test_it_installs_the_lock_of_its_python_and_then_the_program_alone(
        self, tmp_path: Path
    ) -> None:
        finished, asked = set_up(tmp_path, "", 0)
        assert finished.returncode == 0, finished.stderr
        locked, program = asked
        assert "--require-hashes" in locked
        assert locked.endswith("locks/test-3.12.txt")
        assert program.endswith("--no-deps --no-build-isolation --editable .")
        assert (tmp_path / "venv" / ".ready").exists()

    def test_where_the_files_cannot_be_had_the_ranges_have_to_do(self, tmp_path: Path) -> None:
        finished, asked = set_up(tmp_path, "ERROR: No matching distribution found", 1)
        assert finished.returncode == 0, finished.stderr
        assert "installing what pyproject.toml allows" in finished.stdout
        assert asked[-1].endswith("--editable .[test]")

    def test_a_file_that_is_another_than_the_lock_says_stops_it(self, tmp_path: Path) -> None:
        says = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."
        finished, asked = set_up(tmp_path, says, 1)
        assert finished.returncode == 1
        assert "find out where it comes from" in finished.stderr
        assert len(asked) == 1
        assert not (tmp_path / "venv" / ".ready").exists()
