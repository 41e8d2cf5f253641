"""The everyday job: fit a learner to labels, and know when to stop."""

from ohmline.job.auditing import audit as audit
from ohmline.job.fitting import fit as fit
