"""A project: a folder with a graph, its questions, and every answer that was ever given."""
