"""A survey by two processes, run by itself so that it can be killed: LINE OUT."""

from __future__ import annotations

import sys
from pathlib import Path

from pmlda_gui.survey import run_survey
from pmlda_gui.survey.workers import Tls, workers_for
from tests.survey.survey_scenes import SETTINGS, TILE

if __name__ == "__main__":
    with workers_for(2, None, Tls(), 100_000_000) as workers:
        run_survey([Path(sys.argv[1])], Path(sys.argv[2]), SETTINGS, workers, tile=TILE)
