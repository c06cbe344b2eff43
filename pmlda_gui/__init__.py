"""Soft segmentation of sonar imagery with Partial Membership LDA."""

__version__ = "0.1.0"
