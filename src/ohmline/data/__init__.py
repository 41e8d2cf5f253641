"""Data sets by name: embedded, from the folder in `OHMLINE_DATA`, or downloaded and checked against a checksum."""

from ohmline.data.catalog import CATALOG as CATALOG
from ohmline.data.contract import Dataset as Dataset
from ohmline.data.contract import Vectors as Vectors
from ohmline.data.entry import Entry as Entry
from ohmline.data.loading import is_here as is_here
from ohmline.data.loading import load as load
