"""The laboratory: experiments, comparisons, reports and benchmarks, and a way to add one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohmline.lazy_names import attach

if TYPE_CHECKING:  # what type checkers see, and what `attach` reads at run time: the one list of public names
    from ohmline.lab.compare import compare as compare
    from ohmline.lab.experiment import Claim as Claim
    from ohmline.lab.experiment import Experiment as Experiment
    from ohmline.lab.experiment import Result as Result
    from ohmline.lab.experiment import Row as Row
    from ohmline.lab.experiment import Settings as Settings
    from ohmline.lab.experiment import Verdict as Verdict
    from ohmline.lab.experiment import find as find
    from ohmline.lab.experiment import ids as ids
    from ohmline.lab.experiment import run as run
    from ohmline.lab.finished import Finished as Finished
    from ohmline.lab.plugins import LEARNERS as LEARNERS
    from ohmline.lab.plugins import QUERIES as QUERIES
    from ohmline.lab.plugins import NamedLearner as NamedLearner
    from ohmline.lab.plugins import NamedQuery as NamedQuery
    from ohmline.lab.plugins import add_dataset as add_dataset
    from ohmline.lab.plugins import add_experiment as add_experiment
    from ohmline.lab.plugins import add_learner as add_learner
    from ohmline.lab.plugins import add_query as add_query
    from ohmline.lab.plugins import load_file as load_file
else:
    __getattr__, __dir__ = attach(__name__)
