"""Ohmline learns the labels of a graph's nodes online.

A node comes up, the learner predicts, a query may ask for the label, the learner learns, and a
bound proves a limit on the mistakes:

    graph -> kernel -> learner <- query
      stream -> play -> trace -> bound -> certificate

Every name of `kernel`, `learn`, `query`, `game`, `job` and `store` is also a name of `ohmline`. Each is imported on
first use, so that `import ohmline` is quick.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ohmline.errors import OhmlineError as OhmlineError
from ohmline.lazy_names import attach
from ohmline.version import __version__ as __version__

logging.getLogger(__name__).addHandler(logging.NullHandler())  # silent until somebody listens

if TYPE_CHECKING:  # what type checkers see, and what `attach` reads at run time: the one list of public names
    from ohmline import bound as bound
    from ohmline import check as check
    from ohmline import data as data
    from ohmline import game as game
    from ohmline import graph as graph
    from ohmline import job as job
    from ohmline import kernel as kernel
    from ohmline import lab as lab
    from ohmline import labelling as labelling
    from ohmline import learn as learn
    from ohmline import query as query
    from ohmline import store as store
    from ohmline.game import *  # noqa: F403
    from ohmline.graph import ExponentialEmbedding as ExponentialEmbedding
    from ohmline.graph import Graph as Graph
    from ohmline.graph import Relations as Relations
    from ohmline.job import *  # noqa: F403
    from ohmline.kernel import *  # noqa: F403
    from ohmline.learn import *  # noqa: F403
    from ohmline.query import *  # noqa: F403
    from ohmline.store import *  # noqa: F403
else:
    __getattr__, __dir__ = attach(__name__)
