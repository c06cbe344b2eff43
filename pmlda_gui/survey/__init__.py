"""Surveys of any size with one set of topics: tile by tile, on as many processes as there are."""

from pmlda_gui.survey.run import SurveyOutcome, run_survey

__all__ = ["SurveyOutcome", "run_survey"]
