"""Graphs and labels out of the tables, graphs and databases of other libraries, and back."""
