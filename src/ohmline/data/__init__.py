"""Data sets by name: embedded, from the folder in ``OHMLINE_DATA``, or downloaded by checksum."""

from ohmline.data.catalog import CATALOG, Entry, is_here, load
from ohmline.data.contract import Dataset, Vectors

__all__ = ["CATALOG", "Dataset", "Entry", "Vectors", "is_here", "load"]
