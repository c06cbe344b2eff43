"""Starts the built program as operators would, and breaks it to see that it says so.

Prints what was tried and measured; the exit code is 0 if everything went as it should:
`make package-test`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from kernels import PEERS, home_environment
from make_package import DIST, FOLDER, NAME, ROOT, SBOM
from trying import Report, Trial, finish, found, size_of, start, virtual_screen

# Users other than the builder: one like any, and one whom the system does not know.
NOBODY, STRANGER = 65534, 54321
MEGABYTE = 10**6
SIZE_LIMITS = {"folder, MB": 590.0, "archive, MB": 190.0}
TIME_LIMITS = {"start, s": 1.0, "first map, s": 0.5}
DESKTOP_ID = "io.github.pmlda_gui"
KEPT = ROOT / "build" / "self-test"


@dataclass(frozen=True)
class Fault:
    """Something broken on purpose, and the check that has to notice it."""

    name: str
    noticed_by: str
    removed: str = ""
    no_fonts: bool = False


FAULTS = (
    Fault("without its kernels", "kernels", removed="_internal/pmlda_gui/kernels"),
    Fault("without its help pages", "resources", removed="_internal/pmlda_gui/resources/help"),
    Fault("without PROJ's data", "GeoTIFF", removed="_internal/rasterio/proj_data"),
    Fault("on a system without fonts", "fonts", no_fonts=True),
)


def main() -> int:
    """Everything in order; where this system cannot do something, that is said."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="package-test-") as made:
        scratch = Path(made)
        scratch.chmod(0o755)
        (archive,) = DIST.glob(f"{NAME}-*.tar.xz")
        try_on_a_screen(report, scratch)
        copy = unpack(archive, scratch / "moved here")
        try_as_others(report, copy, scratch)
        try_at_once(report, copy, scratch)
        try_commands(report, copy, scratch)
        try_papers(report, copy, scratch)
        for fault in FAULTS:
            try_fault(report, fault, copy, scratch)
        try_wheel(report, scratch)
        report.note("folder, MB", size_of(FOLDER) / MEGABYTE)
        report.note("archive, MB", size_of(archive) / MEGABYTE)
    return conclude(report)


def unpack(archive: Path, place: Path) -> Path:
    """The program as somebody gets it, in a folder that nobody may write to."""
    place.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", place], check=True)
    subprocess.run(["chmod", "-R", "a-w,a+rX", place], check=True)
    return place / NAME


def new_home(scratch: Path, name: str, user: int | None = None) -> Path:
    """An empty home directory."""
    home = scratch / f"home of {name}"
    home.mkdir()
    if user is not None:
        os.chown(home, user, user)
    return home


def self_test(report: Report, name: str, folder: Path, home: Path, user: int | None = None) -> None:
    """The self-test, off screen, has to go well."""
    trial = finish(start([folder / NAME, "--self-test"], home_environment(home), home, user))
    judge(report, name, trial)


def judge(report: Report, name: str, trial: Trial) -> None:
    """A self-test has to end with 0; its times are kept."""
    report.tell(name, trial.code == 0, trial.output)
    report.note("start, s", trial.figure(r"first painted window after ([\d.]+) s"))
    report.note("first map, s", trial.figure(r"first map ([\d.]+) s after Run"))


def try_on_a_screen(report: Report, scratch: Path) -> None:
    """With the platform that most operators have, leaving a screenshot to look at."""
    if not found("Xvfb"):
        report.skip("on a screen (xcb)", "there is no Xvfb")
        return
    home = new_home(scratch, "operator")
    shutil.rmtree(KEPT, ignore_errors=True)
    with virtual_screen() as display:
        environment = home_environment(home) | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        trial = finish(start([FOLDER / NAME, "--self-test", KEPT], environment, home))
        judge(report, "on a screen (xcb), first start, in another directory", trial)
        print("        " + trial.output.strip().replace("\n", "\n        "))
        again = finish(start([FOLDER / NAME, "--self-test"], environment, home))
        judge(report, "on a screen (xcb), second start", again)


def try_as_others(report: Report, copy: Path, scratch: Path) -> None:
    """From a moved, read-only folder: by another user, and by one without a home."""
    if os.getuid() != 0:
        report.skip("as another user", "only root may become somebody else")
        self_test(report, "off screen, moved and read-only", copy, new_home(scratch, "own"))
        return
    home = new_home(scratch, "nobody", NOBODY)
    self_test(report, "off screen, moved and read-only, as another user", copy, home, NOBODY)
    temporary = scratch / "temporary"
    temporary.mkdir()
    temporary.chmod(0o777)
    environment = home_environment(home) | {"TMPDIR": str(temporary)}
    del environment["HOME"]
    trial = finish(start([copy / NAME, "--self-test"], environment, Path("/"), STRANGER))
    judge(report, "off screen, moved and read-only, as a user without a home", trial)


def try_at_once(report: Report, copy: Path, scratch: Path) -> None:
    """Two first starts at the same time fill the same cache."""
    home = new_home(scratch, "two")
    both = [start([copy / NAME, "--self-test"], home_environment(home), home) for _ in range(2)]
    for number, process in enumerate(both, 1):
        trial = finish(process)
        report.tell(
            f"two at once with an empty home, number {number}", trial.code == 0, trial.output
        )


def try_commands(report: Report, copy: Path, scratch: Path) -> None:
    """The commands without a window, all methods included."""
    home = new_home(scratch, "commands")
    for arguments in (
        ["scene", "demo", "--size", "100x90", "--out", "scene"],
        ["compare", "scene/demo.tif", "--out", "compared", "--sweeps", "3", "--methods", PEERS],
    ):
        trial = finish(start([copy / NAME, *arguments], home_environment(home), home))
        report.tell(f"pmlda-gui {arguments[0]}", trial.code == 0, trial.output)


def try_papers(report: Report, copy: Path, scratch: Path) -> None:
    """The desktop's files are valid, and are put where a desktop looks for them."""
    share = copy / "share"
    entry = share / f"{DESKTOP_ID}.desktop"
    for command in (
        ["desktop-file-validate", entry],
        ["appstreamcli", "validate", "--no-net", share / f"{DESKTOP_ID}.metainfo.xml"],
    ):
        if found(str(command[0])):
            trial = finish(start(command, os.environ, scratch))
            report.tell(str(command[0]), trial.code == 0, trial.output)
        else:
            report.skip(str(command[0]), "it is not installed")
    home = new_home(scratch, "desktop")
    trial = finish(start([share / "install.sh"], home_environment(home), home))
    installed = home / ".local/share/applications" / entry.name
    well = trial.code == 0 and f'Exec="{copy / NAME}" %F' in installed.read_text()
    report.tell("install.sh", well, trial.output)
    licences = {path.stem for path in (copy / "licences").iterdir()}
    report.tell("licences", {"numpy", "LGPL-3.0", "Python"} <= licences, str(sorted(licences)))
    listed = json.loads((copy / SBOM).read_text(encoding="utf-8"))
    names = {each["name"] for each in listed["components"]}
    report.tell("SBOM", {"numpy", "numba", "PySide6_Essentials", "Python"} <= names, str(names))


def try_fault(report: Report, fault: Fault, copy: Path, scratch: Path) -> None:
    """The self-test has to fail, and to say why."""
    home = new_home(scratch, fault.name)
    environment = home_environment(home)
    if fault.no_fonts:
        nothing = home / "fonts.conf"
        nothing.write_text("<fontconfig></fontconfig>")
        environment["FONTCONFIG_FILE"] = str(nothing)
    broken, whole = copy / (fault.removed or "nothing"), scratch / "taken out"
    if fault.removed:
        for each in (broken, broken.parent):
            each.chmod(0o755)  # or only root could take it out
        broken.rename(whole)
    try:
        trial = finish(start([copy / NAME, "--self-test"], environment, home))
    finally:
        if fault.removed:
            whole.rename(broken)
    noticed = trial.code == 1 and f"FAILED  {fault.noticed_by}:" in trial.output
    report.tell(f"{fault.name} it fails and says so", noticed, trial.output)


def try_wheel(report: Report, scratch: Path) -> None:
    """The wheel, installed into an empty environment, works with all its resources."""
    (wheel,) = DIST.glob("*.whl")
    venv = scratch / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    pip = [venv / "bin" / "pip", "--disable-pip-version-check", "install", "--quiet", wheel]
    home = new_home(scratch, "pip")
    installed = finish(start(pip, os.environ, home))
    report.tell("pip install of the wheel", installed.code == 0, installed.output)
    program = [venv / "bin" / NAME, "--self-test"]
    trial = finish(start(program, home_environment(home), home))
    report.tell("the wheel's program, off screen", trial.code == 0, trial.output)


def conclude(report: Report) -> int:
    """Print the figures against their limits; the exit code."""
    print()
    for name, limit in (SIZE_LIMITS | TIME_LIMITS).items():
        values = sorted(report.figures.get(name, ()))
        if not values:
            continue
        middle = values[len(values) // 2]
        verdict = "ok" if middle <= limit else "OVER"
        spread = f", {values[0]:.2f} to {values[-1]:.2f}" if len(values) > 1 else ""
        print(f"{verdict:7} {name}: {middle:.2f}{spread} (at most {limit:g})")
        # Times depend on what else the machine does, so they are told and not judged.
        if name in SIZE_LIMITS and middle > limit:
            report.failures.append(name)
    print(f"\n{len(report.failures)} failures" if report.failures else "\nEverything went well.")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
