"""Sources of a stream: nodes that arrive from a list, a file or Redis, acknowledged once they are on the disk."""

from ohmline.sources.growing import follow_file as follow_file
from ohmline.sources.item import Item as Item
from ohmline.sources.item import Source as Source
from ohmline.sources.iterable import from_iterable as from_iterable
from ohmline.sources.pumping import Pumped as Pumped
from ohmline.sources.pumping import pump as pump
from ohmline.sources.streams import redis_stream as redis_stream
