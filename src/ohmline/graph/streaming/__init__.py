"""Edges in a stream: read once, kept on disk as pairs of codes, and put into rows within twice the memory of these."""

from ohmline.graph.streaming.building import Edges as Edges
from ohmline.graph.streaming.building import Forecast as Forecast
from ohmline.graph.streaming.coding import Names as Names
from ohmline.graph.streaming.coding import Numbers as Numbers
from ohmline.graph.streaming.coding import ScatteredNumbers as ScatteredNumbers
from ohmline.graph.streaming.unusual import Unusual as Unusual
