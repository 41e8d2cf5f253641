"""Ids of many nodes in a few arrays: looked up without a Python object for each."""

from ohmline.graph.ids.contract import IdTable as IdTable
from ohmline.graph.ids.names import NameTable as NameTable
from ohmline.graph.ids.numbers import NumberTable as NumberTable
