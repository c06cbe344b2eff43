"""Speed, measured: every figure is a ratio to something timed in the same run."""
