"""One person and one graph: questions, answers, undo, and when it is enough."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from types import TracebackType
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import Ints
from ohmline.checks import fraction, non_negative, none_or, number, seed_of, shown, text
from ohmline.errors import LabelError, ParameterError
from ohmline.graph.graph import Graph
from ohmline.labelling.answers import AUDIT, QUERY, Answers, id_of, written_id
from ohmline.labelling.asking import best_question, estimated_error
from ohmline.labelling.checking import Check, least_looks, words_about_rare
from ohmline.labelling.opening import opened
from ohmline.labelling.opinion import Neighbour, Opinion, neighbours_of, opinion_of
from ohmline.labelling.records import Progress, Question, Stage
from ohmline.learn import LocalLGC
from ohmline.learn.labels import plain_label
from ohmline.store.journal import Event
from ohmline.store.whole import whole

ENOUGH = 0.7
"""A check begins once the learner believes that its error is below this share of the goal ..."""
FIRST_CHECK = 100
"""... or once there are so many labels, or 15 for each class: then its belief needs a check itself."""
EXPLORE = 10
"""Classes that did not come up among so many labels for each class are looked for no longer."""
LEAST = 20
"""No check begins before so many labels, or three for each class; nor sooner than that after another."""


@final
class Session:
    """Asks for labels, one node at a time, and keeps every answer in a journal before it asks again.

    At first a query chooses the nodes. With a goal, an audit follows when the learner believes to be good enough:
    nodes come up in random order, and the session ends when at most the share `goal` of the predictions for the
    nodes that have no answer is wrong, with the stated confidence. The predictions that this is said of are
    those with which the audit began (`predictions`). An audit that finds too many wrong ones is given up, and the
    session learns on, from its answers too; all audits together keep the confidence.

    Parameters
    ----------
    graph
        The graph, with weights of at least 0.
    classes
        The classes, in the order in which they are shown. None (default) takes those of the journal, or of `labels`.
        A journal that exists may get more classes, and keeps those that it has.
    journal
        The name of the file in which the answers are kept. It is made if it does not exist; else the session goes on
        where it was left.
    labels
        Labels that are known already. None (default) for none.
    source
        Where they come from, for the journal. Default "".
    goal
        The share of wrong predictions at which to stop, above 0 and below 1. None (default) never stops.
    confidence
        With which probability the limit shall hold. Default 0.95.
    who
        Who answers, for the journal. Default "".
    seed
        The seed of the random order; a journal that exists keeps its own. Default 0.

    Examples
    --------
    >>> import ohmline as ohm, tempfile, pathlib
    >>> club = ohm.data.load("karate")
    >>> truth = dict(zip(club.graph.nodes, club.labels))
    >>> path = pathlib.Path(tempfile.mkdtemp(), "club.labels.jsonl")
    >>> with Session(club.graph, club.classes, journal=path) as session:
    ...     for _ in range(5):
    ...         question = session.question()
    ...         event = session.answer(truth[question.node])
    >>> with Session(club.graph, journal=path) as session:
    ...     session.progress().labels
    5
    """

    def __init__(
        self,
        graph: Graph,
        classes: Iterable[Any] | None = None,
        *,
        journal: Any,
        labels: Mapping[Hashable, Any] | None = None,
        source: str = "",
        goal: float | None = None,
        confidence: float = 0.95,
        who: str = "",
        seed: int = 0,
    ) -> None:
        self.goal = none_or(fraction, goal, "goal")
        if self.goal is not None and self.goal in (0.0, 1.0):
            raise ParameterError(f"goal must lie between 0 and 1, got {shown(goal)}; 0.05 for 5 %")
        self.confidence = number(confidence, "confidence", least=0.5, most=1 - 1e-9)
        seed_of(seed)
        self.journal = opened(
            graph, classes, journal, labels=labels, source=text(source, "source"), who=who, seed=seed
        )
        self.graph = graph
        self.notes = list(self.journal.notes)
        """What a person should know, in words: how the journal was found, or what a check that began does not say."""
        try:
            self._replay()
        except BaseException:
            self.close()
            raise

    def _replay(self) -> None:
        self._answers = Answers(self.graph.nodes)
        for event in self.journal.events:
            self._answers.play(event)
        self._seed = int(self.journal.about["seed"])
        self._learner = LocalLGC(self.graph, self.classes, guess=True)
        self._learner.learn_many(self._answers.labels)
        self._check: Check | None = None
        self._question: Question | None = None
        self._estimate: float | None = None
        if self._answers.audit is not None:
            self._resume_check()

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes."""
        return tuple(self._answers.classes)

    @property
    def labels(self) -> dict[Hashable, Any]:
        """Every label, the imported ones included."""
        return dict(self._answers.labels)

    @property
    def broken(self) -> str:
        """Why nothing can be written any more; empty while it can."""
        return self.journal.broken

    @property
    def place(self) -> str:
        """Where the answers are kept."""
        return str(self.journal.path)

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self.journal.events[-1].seq

    @property
    def learner(self) -> LocalLGC:
        """The learner, which has learned every label so far; do not teach it anything else."""
        return self._learner

    def question(self) -> Question | None:
        """The node to ask for, the same one until there is an answer; None when it is enough.

        Returns
        -------
        Question or None
            The question; None when the goal is reached, or when every node has a label or was skipped.
        """
        if self._question is None:
            self._question = self._choose()
        return self._question

    def answer(self, label: Any, *, seconds: float | None = None) -> Event:
        """Give the label of the node that is asked for. When this returns, it is on the disk.

        Parameters
        ----------
        label
            One of the classes.
        seconds
            How long the answer took, for the journal. None (default) if nobody measured it.

        Returns
        -------
        Event
            The event in the journal.
        """
        asked = self._asked()
        if plain_label(label) not in self._answers.classes:
            raise LabelError(f"label {shown(label)} is not among the classes {shown(self.classes)}")
        label = self._answers.classes[self._answers.classes.index(label)]
        prediction, chance = self._predicted(asked)
        payload = {
            "node": written_id(asked.node),
            "label": label,
            "asked": asked.asked,
            "audit": asked.audit,
            "predicted": prediction,
            "probability": None if chance is None else round(chance, 6),
            "seconds": None if seconds is None else round(non_negative(seconds, "seconds"), 3),
        }
        with whole():
            event = self._write("labelled", payload)
            self._learner.learn_one(asked.node, label)
            if self._check is not None and asked.node in self._check.predictions:
                self._check.audit.record(asked.node, label)
        return event

    def skip(self) -> Event:
        """Leave the node that is asked for without a label.

        It is not asked for again, and in every audit, also in a later one, its prediction counts as wrong.

        Returns
        -------
        Event
            The event in the journal.
        """
        asked = self._asked()
        payload = {"node": written_id(asked.node), "asked": asked.asked, "audit": asked.audit}
        with whole():
            event = self._write("skipped", payload)
            if self._check is not None and asked.node in self._check.predictions:
                self._check.audit.skip(asked.node)
        return event

    def undo(self) -> Event | None:
        """Take back the last answer or skip; that node is asked for next, unless it has got a label otherwise.

        Returns
        -------
        Event or None
            The event that was undone; None where there is none.
        """
        if not self._answers.live:
            return None
        last = self._answers.live[-1]
        with whole():
            self._take_back(last)
        return last

    def _take_back(self, last: Event) -> None:
        under_way = self._answers.audit
        self._write("undone", {"seq": last.seq})
        node = _node(last)
        if last.kind == "labelled":
            self._learner.forget_one(node)
        if self._answers.audit is None:
            self._check = None
            if under_way is not None:
                self.notes.append(
                    f"the answer was older than check {under_way.number}, which is therefore given up"
                )
        if self._check is not None:
            self._bring_up_to_date(self._check)
        elif node not in self._answers.labels and not self._answers.is_skipped(node):
            self._question = Question(node, QUERY, None, "you took its answer back")

    def opinion(self, node: Hashable) -> Opinion:
        """What the learner thinks of a node and why.

        Parameters
        ----------
        node
            A node.
        """
        return opinion_of(self._learner, node)

    def neighbours(self, node: Hashable) -> list[Neighbour]:
        """The neighbours of a node with their labels, heaviest edge first.

        Parameters
        ----------
        node
            A node.
        """
        return neighbours_of(self.graph, self._answers.labels, node)

    def predictions(self) -> dict[Hashable, tuple[Any, float | None]]:
        """The class of every node with its probability: the label where it is known, else what is predicted.

        During and after an audit these are the predictions that it is about.
        """
        labels, check = self._answers.labels, self._check
        rest = [node for node in self.graph.nodes if node not in labels]
        found: dict[Hashable, tuple[Any, float | None]] = {}
        if check is not None:
            found = {node: (check.predictions[node], check.chances[node]) for node in rest}
        elif rest:
            rows = self._learner.predict_many(rest)
            found = {row.node: (row.prediction, row.probability if labels else None) for row in rows}
        return {node: (labels[node], 1.0) if node in labels else found[node] for node in self.graph.nodes}

    def progress(self) -> Progress:
        """How far the session is.

        Returns
        -------
        Progress
            Labels so far, the estimated error, the limit, and how many more labels the goal takes.
        """
        answers, question = self._answers, self.question()
        limit = None if self._check is None else self._check.limit(self.confidence)
        more: int | None = None
        if question is None:
            stage = Stage.REACHED if self._is_reached() else Stage.FINISHED
            more = 0
        else:
            stage = Stage.CHECKING if question.asked == AUDIT else Stage.LEARNING
            if self.goal is not None and self._check is not None:
                more = self._check.more_until(self.goal, self.confidence)
            elif self.goal is not None:
                rest = self.graph.n - len(answers.labels)
                more = least_looks(rest, self.goal, self.confidence, answers.begun + 1)
        return Progress(
            stage,
            self.graph.n,
            len(answers.labels),
            len(answers.imported),
            len(answers.skipped),
            self._estimated(),
            self.goal,
            limit,
            more,
        )

    def close(self) -> None:
        """Let others have the journal."""
        self.journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        labels = len(self._answers.labels)
        return f"Session on {self.journal.path}, {labels:,} of {self.graph.n:,} nodes labelled"

    def _asked(self) -> Question:
        asked = self.question()
        if asked is None:
            raise ParameterError("nothing is asked for any more; question() is None")
        return asked

    def _write(self, kind: str, payload: dict[str, Any]) -> Event:
        """Put an event that fits on the disk, then into the state; no signal comes between the two."""
        self._answers.expect(Event(self.journal.events[-1].seq + 1, "", "", kind, payload, ""))
        with whole():
            event = self.journal.append(kind, payload)
            self._answers.play(event)
            self._question = self._estimate = None
        return event

    def _predicted(self, asked: Question) -> tuple[Any, float | None]:
        if asked.asked == AUDIT and self._check is not None:
            return self._check.predictions[asked.node], self._check.chances[asked.node]
        prediction = self._learner.predict_one(asked.node)
        return prediction, self._learner.predict_proba_one(asked.node).get(prediction)

    def _open(self, *, skipped: bool = False) -> Ints:
        """The positions of the nodes without a label, with or without those that were skipped."""
        answers, nodes = self._answers, self.graph.nodes
        is_open = np.ones(self.graph.n, dtype=np.bool_)
        is_open[nodes.positions(answers.labels)] = False
        if not skipped:
            is_open[nodes.positions(answers.skipped)] = False
        return np.flatnonzero(is_open)

    def _estimated(self) -> float:
        if self._estimate is None:
            self._estimate = estimated_error(
                self._learner, self._open(skipped=True), [self._seed, len(self._answers.labels)]
            )
        return self._estimate

    def _is_reached(self) -> bool:
        check = self._check
        return self.goal is not None and check is not None and check.limit(self.confidence).share <= self.goal

    def _choose(self) -> Question | None:
        rest = self._open()
        if self._is_reached() or not len(rest):
            return None
        if self.goal is not None:
            check = self._check
            if check is not None and check.is_hopeless(self.goal, self.confidence, len(self._answers.labels)):
                self._end_check(check, "too many wrong predictions")
                check = None
            if check is None and self._is_time_to_check():
                check = self._begin_check()
            if check is not None:
                return Question(check.audit.next(), AUDIT, check.number, "a random check")
        labels = self._answers.labels
        few = len(labels) < EXPLORE * len(self.classes)
        unseen = len(self.classes) - len(set(labels.values())) if few else 0
        node, why = best_question(self._learner, rest, self._seed, unseen)
        return Question(node, QUERY, None, why)

    def _is_time_to_check(self) -> bool:
        answers, classes = self._answers, len(self._answers.classes)
        known, before = len(answers.labels), answers.learned_at_end
        if known < max(LEAST, 3 * classes) or known - before < max(LEAST, before // 4):
            return False
        latest = 2 * before if before else max(FIRST_CHECK, 15 * classes)
        return known >= latest or self._estimated() * answers.trust <= ENOUGH * (self.goal or 0.0)

    def _begin_check(self) -> Check:
        answers = self._answers
        check = Check(self.graph, self.classes, answers.labels, answers.begun + 1, self._seed)
        about = {"number": check.number, "labels": len(answers.labels), "digest": check.digest}
        with whole():
            self._write("audit-begun", about)
            self._bring_up_to_date(check)
            self._check = check
        words = words_about_rare(check.predictions, answers.labels, self.classes, self.goal or 0.0)
        self.notes += [words] if words else []
        return check

    def _end_check(self, check: Check, reason: str) -> None:
        limit = check.limit(self.confidence)
        about = {"found": limit.found, "sampled": limit.sampled, "estimate": round(check.estimate, 6)}
        with whole():
            self._write("audit-ended", {"number": check.number, "reason": reason, **about})
            self._check = None

    def _resume_check(self) -> None:
        begun = self._answers.audit
        if begun is None:
            return
        check = Check(self.graph, self.classes, begun.labels, begun.number, self._seed)
        if check.digest != begun.digest:
            self._end_check(check, "other predictions on this machine")
            self.notes.append(
                f"the predictions of check {begun.number} come out otherwise with this version or on this machine; a "
                "new check will begin"
            )
            return
        self._check = check
        self._bring_up_to_date(check)

    def _bring_up_to_date(self, check: Check) -> None:
        check.start_again(self._answers.labels, self._answers.skipped)


def _node(event: Event) -> Hashable:
    return id_of(event.payload["node"])
