"""The job without a window: from files to results."""
