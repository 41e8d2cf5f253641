"""An audit: how many of the predictions are wrong, from a random sample of them, however often one looks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ohmline import checks
from ohmline.arrays import Floats, read_only, vector
from ohmline.bound.auditing.bets import Population, most_wrong
from ohmline.bound.auditing.forecast import median_limit
from ohmline.errors import ConflictingLabels, LabelError, ParameterError, UnknownNode
from ohmline.learn.labels import plain_label

SKIPPED = object()
"""The label of a node that nobody could label: it counts as a wrong prediction."""


@dataclass(frozen=True, slots=True)
class ErrorLimit:
    """How many of the predictions whose label is not known are wrong at most.

    Attributes
    ----------
    wrong
        The limit.
    remaining
        How many predictions have no known label.
    confidence
        The probability with which the limit holds at every look of the audit, the later ones included.
    sampled
        How many predictions were looked at in random order.
    found
        How many of these were wrong.
    changed
        How many of the remaining predictions are others now than when the audit began; each may have become wrong,
        and is counted so.
    ahead
        How many of those that were looked at are still to come: above 0 for a forecast, which supposes them to be like
        those before, 0 for what is known.
    """

    wrong: int
    remaining: int
    confidence: float
    sampled: int
    found: int
    changed: int = 0
    ahead: int = 0

    @property
    def share(self) -> float:
        """The limit as a share of the remaining predictions; 0 where none remains."""
        return self.wrong / self.remaining if self.remaining else 0.0

    def __str__(self) -> str:
        changed = f", of which {self.changed:,} changed since it began" if self.changed else ""
        if self.ahead:
            return (
                f"forecast: if {self.ahead:,} more random labels are like those so far, about {self.found:,} of "
                f"{self.sampled:,} will have been wrong, and with {100 * self.confidence:g} % confidence at most "
                f"{100 * self.share:.3g} % ({self.wrong:,}) of the {self.remaining:,} predictions that remain then"
            )
        return (
            f"with {100 * self.confidence:g} % confidence at most {100 * self.share:.3g} % ({self.wrong:,}) of the "
            f"remaining {self.remaining:,} predictions are wrong{changed}; {self.found:,} of {self.sampled:,} "
            "random ones were"
        )


class Audit:
    """A random sample of predictions, and the limit that it sets to the number of wrong ones.

    The audit keeps the predictions as they are when it begins, in a random order. A person labels them from the front
    (`next`), and may stop, look (`at_most`) and go on at any time: the limit holds at all looks together with the
    stated confidence. Labels that come from elsewhere, such as those that a query chose, can be recorded as well: they
    are known then, but the evidence is made of the random order alone. A learner that audited labels are taught should
    be audited anew, or its new predictions be given to `at_most`, which counts each one that changed.

    `withdraw` takes a label back that was recorded by mistake. The limit is about the labels as they stand: it holds at
    all looks at once for the true ones, in the order that was drawn, so that a limit after the correction is as good as
    if the mistake had never been made. That supposes that labels are corrected because they are wrong. Who looks again
    at those labels alone that raise the limit, or until it pleases, makes it false.

    Parameters
    ----------
    predictions
        The prediction for every node that is not labelled yet.
    doubt
        A guess, between 0 and 1, of the probability that each prediction is wrong, by node. Good guesses make the
        limit tighter, bad ones never make it false. None (default) guesses nothing.
    seed
        The seed of the random order. Default 0.
    number
        Which audit of a job this is, counted from 1: the j-th spends 1 / (j (j + 1)) of what the confidence leaves,
        so that any number of them hold together. None (default): the only one.
    classes
        The classes that a label may be of, beside those that are predicted: `record` then takes another one for a slip,
        unless it is told otherwise. None (default) takes any label; `ohm.audit` gives the classes of the learner.

    Examples
    --------
    >>> audit = Audit({node: node % 2 for node in range(1000)}, number=None)
    >>> for _ in range(100):
    ...     node = audit.next()
    ...     audit.record(node, node % 2)
    >>> print(audit.at_most(0.95))
    with 95 % confidence at most 4.22 % (38) of the remaining 900 predictions are wrong; 0 of 100 random ones were
    """

    def __init__(
        self,
        predictions: Mapping[Hashable, Hashable],
        *,
        doubt: Mapping[Hashable, float] | None = None,
        seed: int = 0,
        number: int | None = None,
        classes: Iterable[Hashable] | None = None,
    ) -> None:
        self.predictions: dict[Hashable, Hashable] = _expect_predictions(predictions)
        self.number = checks.none_or(checks.count, number, "number", least=1)
        rng = checks.generator(seed)
        self._doubt = _expect_doubt(doubt, list(self.predictions))
        self._place = {node: k for k, node in enumerate(self.predictions)}
        self._nodes = list(self.predictions)
        self._order = read_only(rng.permutation(len(self._nodes)))
        self._population = Population.of(self._doubt)
        self._known: dict[Hashable, Any] = {}
        self._classes = dict.fromkeys(self.predictions.values())
        self._checks = classes is not None
        if classes is not None:
            self._classes |= dict.fromkeys(plain_label(label) for label in checks.listed(classes, "classes"))
        self._spelled = {str(label): label for label in self._classes}
        self._sampled = 0
        self._seed = seed

    def __len__(self) -> int:
        """How many predictions are audited."""
        return len(self._nodes)

    def __repr__(self) -> str:
        return f"Audit of {len(self):,} predictions, {self._sampled:,} of them looked at in random order"

    @property
    def remaining(self) -> int:
        """How many predictions have no known label."""
        return len(self) - len(self._known)

    def next(self) -> Hashable:
        """The node that should be labelled next; the same one until it is.

        Returns
        -------
        Hashable
            The node.
        """
        if self._sampled == len(self):
            raise ParameterError(
                f"all {len(self):,} nodes of the audit are labelled; its limit is exact now, no more labels can help"
            )
        return self._nodes[self._order[self._sampled]]

    def batch(self, k: int) -> list[Hashable]:
        """The nodes that should be labelled next, several at once.

        Parameters
        ----------
        k
            How many; fewer come where fewer are left.

        Returns
        -------
        list of Hashable
            The nodes, in random order. They may be recorded in any order: those after one that is missing wait for it.
        """
        wanted = checks.count(k, "k", least=1)
        rest = (self._nodes[i] for i in self._order[self._sampled :])
        return list(islice((node for node in rest if node not in self._known), wanted))

    def record(self, node: Hashable, label: Hashable, *, new_class: bool = False) -> None:
        """Say what a node is.

        Parameters
        ----------
        node
            One of the audited nodes, from `next` or from anywhere else.
        label
            Its true label.
        new_class
            Whether the label may be of a class that nobody knew before; its prediction is wrong then. Where the classes
            are known, such a label is refused otherwise, since it is more often a slip. Default False.
        """
        checks.flag(new_class, "new_class")
        plain = plain_label(label)
        if plain is None:
            raise LabelError(f"the label of node {node!r} is missing; skip(node) if nobody can label it")
        twin = self._spelled.get(str(plain))
        if twin is not None and twin != plain:
            raise LabelError(
                f"label {checks.shown(plain)} of node {node!r} is no class that was predicted, but "
                f"{checks.shown(twin)} is; give labels of the same type as the predictions"
            )
        if self._checks and plain not in self._classes and not new_class:
            raise LabelError(
                f"label {checks.shown(plain)} of node {checks.shown(node)} is none of the classes "
                f"{checks.shown(list(self._classes))}; give one of them, or new_class=True if it is right"
            )
        self._record(node, plain)
        self._classes.setdefault(plain)

    def withdraw(self, node: Hashable) -> None:
        """Take back what was recorded of a node, because it was a mistake: `next` asks for it again, at its old place.

        Labels after it in the random order count again once it has one. Take back what is wrong, whatever the limit
        says of it; see above.

        Parameters
        ----------
        node
            A node that was recorded or skipped.
        """
        if checks.hashable(node, "node", UnknownNode) not in self._known:
            raise UnknownNode(
                f"nothing was recorded of node {checks.shown(node)}; there is nothing to withdraw"
            )
        del self._known[node]
        place = int(np.flatnonzero(self._order == self._place[node])[0])
        self._sampled = min(self._sampled, place)

    def skip(self, node: Hashable) -> None:
        """Say that nobody can label a node. Its prediction counts as wrong, or skipping would hide errors.

        Parameters
        ----------
        node
            One of the audited nodes.
        """
        self._record(node, SKIPPED)

    def at_most(
        self, confidence: float = 0.95, *, predictions: Mapping[Hashable, Hashable] | None = None
    ) -> ErrorLimit:
        """The limit on the wrong predictions among those whose label is not known.

        Parameters
        ----------
        confidence
            With which probability it shall hold, at every look. Default 0.95.
        predictions
            What is predicted now, if the learner went on; each remaining prediction that changed is counted as
            wrong. None (default) for the predictions with which the audit began.

        Returns
        -------
        ErrorLimit
            The limit.
        """
        alpha = self._alpha(confidence)
        wrong, doubt = self._looks()
        changed = 0 if predictions is None else self._changed(predictions)
        most = most_wrong(self._population, wrong, doubt, alpha) - self._known_wrong
        limit = min(most + changed, self.remaining)
        return ErrorLimit(limit, self.remaining, float(confidence), len(wrong), int(wrong.sum()), changed)

    def forecast(self, more: int, confidence: float = 0.95) -> ErrorLimit:
        """What `at_most` would say after more random labels, if they are like those so far: the median of a few tries.

        Parameters
        ----------
        more
            How many more labels.
        confidence
            As in `at_most`. Default 0.95.

        Returns
        -------
        ErrorLimit
            A guess, not a promise.
        """
        alpha = self._alpha(confidence)
        more = min(checks.count(more, "more"), len(self) - self._sampled)
        wrong, doubt = self._looks()
        ahead = self._doubt[self._order[self._sampled : self._sampled + more]]
        limit, found = median_limit(self._population, wrong, doubt, ahead, alpha)
        remaining = len(self) - len(wrong) - more
        return ErrorLimit(
            min(max(limit - found, 0), remaining),
            remaining,
            float(confidence),
            len(wrong) + more,
            found,
            ahead=more,
        )

    def _alpha(self, confidence: float) -> float:
        share = checks.fraction(confidence, "confidence")
        if share == 1:
            raise ParameterError(
                "confidence must be below 1, got 1; only labelling every node gives certainty"
            )
        spent = 1.0 if self.number is None else 1.0 / (self.number * (self.number + 1))
        return (1.0 - share) * spent

    def _record(self, node: Hashable, label: Any) -> None:
        if node not in self._place:
            raise UnknownNode(
                f"node {checks.shown(node)} is not audited; only nodes that were predicted when the audit began are"
            )
        if node in self._known and self._known[node] != label:
            before = "skipped" if self._known[node] is SKIPPED else repr(self._known[node])
            raise ConflictingLabels(
                f"node {node!r} was {before} before and is {'skipped' if label is SKIPPED else repr(label)} now; the "
                "first one stays; withdraw(node) takes it back if it was a mistake"
            )
        self._known[node] = label
        while self._sampled < len(self) and self._nodes[self._order[self._sampled]] in self._known:
            self._sampled += 1

    def _is_wrong(self, node: Hashable) -> bool:
        return bool(self._known[node] is SKIPPED or self._known[node] != self.predictions[node])

    @property
    def _known_wrong(self) -> int:
        return sum(map(self._is_wrong, self._known))

    def _looks(self) -> tuple[Floats, Floats]:
        """Whether each prediction that was looked at in random order was wrong, and its doubt."""
        places = self._order[: self._sampled]
        wrong = np.array([self._is_wrong(self._nodes[k]) for k in places], dtype=np.float64)
        return wrong, self._doubt[places]

    def _changed(self, predictions: Mapping[Hashable, Hashable]) -> int:
        rest = [node for node in self._nodes if node not in self._known]
        if not rest:
            return 0
        now = _expect_predictions(predictions)
        missing = [node for node in rest if node not in now]
        if missing:
            raise ParameterError(
                f"predictions lack node {missing[0]!r} and {len(missing) - 1:,} more; give one for every node that the "
                "audit has no label of"
            )
        return sum(now[node] != self.predictions[node] for node in rest)


def _expect_predictions(predictions: Any) -> dict[Hashable, Hashable]:
    found = checks.instance(predictions, Mapping, "predictions", "give a dict from nodes to predictions")
    plain = {node: plain_label(label) for node, label in found.items()}
    if not plain:
        raise ParameterError("predictions are empty; there is nothing to audit")
    for node, label in plain.items():
        if label is None:
            raise LabelError(f"node {node!r} has no prediction; audit only the nodes that have one")
    return plain


def _expect_doubt(doubt: Any, nodes: list[Hashable]) -> Floats:
    if doubt is None:
        return np.zeros(len(nodes))
    found = checks.instance(doubt, Mapping, "doubt", "give a dict from nodes to numbers between 0 and 1")
    missing = [node for node in nodes if node not in found]
    if missing:
        raise ParameterError(
            f"doubt lacks node {missing[0]!r}; give a number for every node that is predicted"
        )
    values = vector([checks.fraction(found[node], f"the doubt of node {node!r}") for node in nodes], "doubt")
    return read_only(values)
