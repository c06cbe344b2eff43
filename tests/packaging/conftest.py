"""The scripts that build the program are tested as the modules they are to one another."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "packaging"))
