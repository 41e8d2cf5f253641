"""One module a paper."""
