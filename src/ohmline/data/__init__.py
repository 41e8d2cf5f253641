"""Data sets by name: embedded, from the folder in `OHMLINE_DATA`, or downloaded and checked against a checksum."""

from ohmline.data.catalog import CATALOG as CATALOG
from ohmline.data.catalog import Entry as Entry
from ohmline.data.catalog import is_here as is_here
from ohmline.data.catalog import load as load
from ohmline.data.contract import Dataset as Dataset
from ohmline.data.contract import Vectors as Vectors
