"""Every error that Ohmline raises on purpose.

Each message names the value, what was expected and the remedy, so that a bad
argument never ends in a traceback from deep inside NumPy.
"""

from __future__ import annotations

from typing import Any


class OhmlineError(Exception):
    """The root of all errors raised by this package."""


class ParameterError(OhmlineError, ValueError):
    """A parameter is outside its range."""


class TooLarge(ParameterError):
    """Something would take more memory than there is; the message names what to do instead."""


class ShapeError(ParameterError):
    """An array has the wrong shape."""


class GraphError(OhmlineError, ValueError):
    """A graph cannot be built from this input."""


class WeightError(GraphError):
    """An edge weight is not finite, or negative where none may be."""


class DirectedError(GraphError):
    """The input is directed and nobody asked for it to be symmetrised."""


class UnknownNode(OhmlineError, KeyError):
    """A node that the graph does not have."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0]) if self.args else ""


class UnknownPosition(OhmlineError, IndexError):
    """A position that the graph does not have."""


class LabelError(OhmlineError, ValueError):
    """A label outside the declared set."""


class ConflictingLabels(LabelError):
    """One node was given two different labels where only one makes sense."""


class KernelError(OhmlineError, ValueError):
    """A kernel that does not exist for this graph, or is not positive."""


class NotConverged(KernelError):
    """An eigensolver ended before its pairs were accurate; `pairs` holds what it found, with the residuals.

    Parameters
    ----------
    message
        What did not converge, how far it came, and the remedy.
    pairs
        The eigenpairs as far as they were found: `values`, `vectors` and `residuals`.
    """

    def __init__(self, message: str, pairs: Any = None) -> None:
        super().__init__(message)
        self.pairs = pairs

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.pairs)


class LearnerError(OhmlineError, ValueError):
    """A learner cannot do what it was asked to do."""


class SnapshotError(OhmlineError, ValueError):
    """A snapshot does not belong to this learner or kernel."""


class FileFormatError(OhmlineError, ValueError):
    """A file is not what it says it is."""


class DataError(OhmlineError):
    """A data set is missing, truncated, or its checksum does not match."""


class DatabaseError(OhmlineError, ValueError):
    """A database refused a query or a table; the message has its words."""


class JournalError(OhmlineError):
    """A journal is in use, or cannot be opened or written."""


class MissingExtra(OhmlineError, ImportError):
    """An optional dependency is not installed; the message is the pip command."""


class UnknownProject(OhmlineError, KeyError):
    """A project that is not there."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ProjectInUse(JournalError):
    """Another process has the project open."""


class Forbidden(OhmlineError):
    """This person may not do that."""


class StaleLease(OhmlineError, ValueError):
    """A question that was handed to somebody else in the meantime, or answered."""


class KeyReused(OhmlineError, ValueError):
    """An idempotency key that came with another request before."""


class SourceError(OhmlineError):
    """A source of a stream cannot be read, or has lost its place."""


class ServiceError(OhmlineError):
    """A service cannot be reached, or gave something that is no answer."""


class DeviceError(OhmlineError, RuntimeError):
    """A GPU is not there, is full, or has failed."""


class ClusterError(OhmlineError):
    """A cluster cannot be reached, has lost its workers, or has too little memory for what it was asked."""


class PluginError(OhmlineError):
    """A file or a package that was to add something could not be imported."""
