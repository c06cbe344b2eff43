"""Builds the program as one folder, with an archive of it and a wheel: `make package`.

Run with the Python of an environment that has the packaging requirements and nothing for
tests, since whatever is installed may be carried.  Everything is made in build/.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from icons import write_icons
from notices import write_notices
from sbom import write_sbom
from version_resource import version_resource

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
MADE = BUILD / "package"
WORK = BUILD / "pyinstaller"
DIST = BUILD / "dist"
NAME = "pmlda-gui"
FOLDER = DIST / NAME
SBOM = f"{NAME}.cdx.json"


def main() -> None:
    """All steps in order."""
    MADE.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    print("Building the wheel ...", flush=True)
    install(build_wheel())
    print("Compiling the kernels in advance ...", flush=True)
    compile_kernels()
    write_icons(MADE)
    version = importlib.metadata.version(NAME)
    (MADE / "version-resource.txt").write_text(version_resource(NAME, version), encoding="utf-8")
    print("Gathering the program ...", flush=True)
    gather()
    print("Packing the archive ...", flush=True)
    folder = add_papers()
    archive = pack(folder, version)
    # Also beside it: whoever looks after many computers reads it without unpacking.
    stem = archive.name.removesuffix(".tar.xz").removesuffix(".zip")
    shutil.copyfile(folder / SBOM, DIST / f"{stem}.cdx.json")
    print(f"Built {FOLDER.relative_to(ROOT)} and {archive.relative_to(ROOT)}.")


def run(*command: str | Path) -> None:
    """Run a step of its own; -P below keeps the checkout off its path."""
    subprocess.run([str(each) for each in command], check=True, cwd=MADE)


def build_wheel() -> Path:
    """The wheel that is also offered by itself."""
    run(sys.executable, "-P", "-m", "build", "--wheel", "--no-isolation", "--outdir", DIST, ROOT)
    (wheel,) = DIST.glob("*.whl")
    return wheel


def install(wheel: Path) -> None:
    """Put the wheel into this environment, and a build id into it."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    run(*pip, "--no-deps", "--force-reinstall", wheel)
    (package() / "build-id.txt").write_text(build_id(), encoding="ascii")


def package() -> Path:
    """Where the program is installed."""
    return Path(sysconfig.get_path("purelib")) / "pmlda_gui"


def build_id() -> str:
    """Different whenever machine code may be: for other sources, compilers or systems."""
    digest = hashlib.sha256()
    for path in sorted(package().rglob("*.py")):
        digest.update(path.relative_to(package()).as_posix().encode())
        digest.update(path.read_bytes())
    for part in (
        *(importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")),
        platform.python_version(),
        platform.system(),
        platform.machine(),
    ):
        digest.update(part.encode())
    return f"{importlib.metadata.version(NAME)}-{digest.hexdigest()[:12]}"


def compile_kernels() -> None:
    """Fill the cache that the program carries, unless an earlier build has."""
    stamp = MADE / "build-id.txt"
    if stamp.is_file() and stamp.read_text(encoding="ascii") == build_id():
        return
    stamp.unlink(missing_ok=True)
    run(sys.executable, ROOT / "packaging" / "kernels.py", MADE / "kernels")
    stamp.write_text(build_id(), encoding="ascii")


def gather() -> None:
    """Have PyInstaller make the folder."""
    spec = ROOT / "packaging" / f"{NAME}.spec"
    run(
        sys.executable, "-P", "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN",
        "--workpath", WORK, "--distpath", DIST, spec,
    )  # fmt: skip
    if sys.platform == "linux":
        # Libraries that a wheel has rewritten (*.libs) do not bear to be rewritten again.
        for library in FOLDER.rglob("*.so*"):
            if not library.is_symlink() and not library.parent.name.endswith(".libs"):
                run("strip", "--strip-unneeded", library)


def add_papers() -> Path:
    """Licences, and what a desktop needs to know about the program; the folder to hand on."""
    folder = FOLDER
    if sys.platform == "darwin":
        # An application is sealed when it is made, so its papers lie beside it.
        folder = DIST / f"{NAME} for macOS"
        folder.mkdir()
        (DIST / f"{NAME}.app").rename(folder / f"{NAME}.app")
    elif sys.platform == "win32":
        shutil.copytree(ROOT / "packaging" / "windows", folder, dirs_exist_ok=True)
    else:
        shutil.copytree(ROOT / "packaging" / "linux", folder / "share")
        shutil.copyfile(MADE / f"{NAME}.png", folder / "share" / f"{NAME}.png")
    write_notices(WORK / NAME, folder)
    write_sbom(WORK / NAME, folder / SBOM)
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE.txt")
    return folder


def pack(folder: Path, version: str) -> Path:
    """One file to hand on: .tar.xz, on Windows .zip."""
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")
    stem = DIST / f"{NAME}-{version}-{system}-{platform.machine().lower()}"
    if sys.platform == "win32":
        return Path(shutil.make_archive(str(stem), "zip", DIST, folder.name))
    archive = Path(f"{stem}.tar.xz")
    # On all cores; a higher preset takes four times as long for a tenth less.
    run("tar", "-C", DIST, "--use-compress-program", "xz -T0 -2", "-cf", archive, folder.name)
    return archive


if __name__ == "__main__":
    main()
