"""What f is an expansion over: all points, a buffer, the leaves of a tree, or landmarks."""

from ohmline.learn.manifold.bases.buffer import Buffer as Buffer
from ohmline.learn.manifold.bases.buffer import Keep as Keep
from ohmline.learn.manifold.bases.contract import Basis as Basis
from ohmline.learn.manifold.bases.full import Full as Full
from ohmline.learn.manifold.bases.nystroem import Nystroem as Nystroem
from ohmline.learn.manifold.bases.rptree import RPTree as RPTree
from ohmline.learn.manifold.bases.rptree import Split as Split
