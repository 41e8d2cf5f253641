"""Labelling in a cell of a notebook."""
