"""The benchmarks, one module per subject."""
