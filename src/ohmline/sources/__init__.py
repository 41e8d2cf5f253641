"""Where a stream of nodes comes from."""
