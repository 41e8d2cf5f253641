"""Audits: an honest figure for how many of the predictions are wrong."""

from ohmline.bound.auditing.audit import Audit as Audit
from ohmline.bound.auditing.audit import ErrorLimit as ErrorLimit
