"""The experiments, one family of modules per paper."""
