"""Run every benchmark, or those named: python -m benchmarks [--quick] [NAME ...]."""

from __future__ import annotations

import argparse
import importlib

NAMES = (
    "core_speed", "core_mixing", "core_progress", "core_estimates", "nuts", "field", "features",
    "documents", "presets", "seams", "recordings", "survey", "window",
)  # fmt: skip
# These measure no speed, so they run only when they are named.
ON_REQUEST = ("fuzz", "kills", "storm", "memory", "verdict", "teaching")
KNOWN = NAMES + ON_REQUEST


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(KNOWN)}")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(KNOWN)
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}: choose from {', '.join(KNOWN)}")
    for name in arguments.names or NAMES:
        for row in importlib.import_module(f"benchmarks.{name}").run(arguments.quick) or ():
            print(row)


if __name__ == "__main__":
    main()
