"""Several types of edges, edges with a direction, and neighbours that differ."""

from ohmline.learn.relations.compatibility import Compatibility as Compatibility
from ohmline.learn.relations.relational import relational as relational
from ohmline.learn.relations.typed import TypedLGC as TypedLGC
