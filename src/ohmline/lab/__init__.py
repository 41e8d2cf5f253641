"""Experiments, plots, the report and the benchmarks."""
