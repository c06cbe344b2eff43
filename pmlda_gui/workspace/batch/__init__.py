"""Segmentation without a window: from files to results."""
