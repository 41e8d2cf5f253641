"""Online manifold regularisation: learning from a stream that is almost all unlabelled (paper 003)."""

from ohmline.learn.manifold.bandwidth import Bandwidth as Bandwidth
from ohmline.learn.manifold.bandwidth import effective_width as effective_width
from ohmline.learn.manifold.bandwidth import median_width as median_width
from ohmline.learn.manifold.bandwidth import neighbour_width as neighbour_width
from ohmline.learn.manifold.bases import Basis as Basis
from ohmline.learn.manifold.bases import Buffer as Buffer
from ohmline.learn.manifold.bases import Full as Full
from ohmline.learn.manifold.bases import Keep as Keep
from ohmline.learn.manifold.bases import Nystroem as Nystroem
from ohmline.learn.manifold.bases import RPTree as RPTree
from ohmline.learn.manifold.bases import Split as Split
from ohmline.learn.manifold.descent import Printed as Printed
from ohmline.learn.manifold.descent import Proximal as Proximal
from ohmline.learn.manifold.function import KernelFunction as KernelFunction
from ohmline.learn.manifold.learner import OnlineManifold as OnlineManifold
from ohmline.learn.manifold.loss import Loss as Loss
from ohmline.learn.manifold.pursuit import Pursuit as Pursuit
from ohmline.learn.manifold.risk import ManifoldRisk as ManifoldRisk
from ohmline.learn.manifold.smoothness import Manifold as Manifold
from ohmline.learn.manifold.smoothness import Multiview as Multiview
from ohmline.learn.manifold.smoothness import Scene as Scene
from ohmline.learn.manifold.smoothness import Slopes as Slopes
from ohmline.learn.manifold.smoothness import Smoothness as Smoothness
