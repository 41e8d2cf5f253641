"""One person at a project, as a labelling session has it: a question, an answer, undo."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, final

from ohmline.errors import ParameterError
from ohmline.graph.graph import Graph
from ohmline.labelling.checking import words_about_rare
from ohmline.labelling.opinion import Neighbour, Opinion
from ohmline.labelling.records import Progress, Question, Stage
from ohmline.learn.local_lgc.shares import Share
from ohmline.project.cards import CARRIERS, predicted
from ohmline.project.commands import Label, Lease, Release, Skip, Undo
from ohmline.project.project import Project
from ohmline.store.events import Event


@final
class OnePerson:
    """Asks one person for labels, in the same log as everybody else.

    Parameters
    ----------
    project
        The project, open in this process.
    who
        The person.
    """

    def __init__(self, project: Project, who: str) -> None:
        self.project, self.who = project, who
        self.notes = project.notes
        self._held: Any = None

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self.project.graph

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes."""
        return self.project.classes

    @property
    def labels(self) -> dict[Hashable, Any]:
        """Every label."""
        return dict(self.project.ledger.labels)

    @property
    def goal(self) -> float | None:
        """The share of wrong predictions at which it is enough."""
        return self.project.settings.goal

    @property
    def confidence(self) -> float:
        """With which probability the limit shall hold."""
        return self.project.settings.confidence

    @property
    def broken(self) -> str:
        """Why nothing can be written any more; empty while it can."""
        return self.project.broken or ("" if self.project.log.writable else self.project.log.broken)

    @property
    def place(self) -> str:
        """Where the answers are kept."""
        return str(self.project.folder)

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self.project.seq

    def question(self) -> Question | None:
        """The node to ask for, the same one until there is an answer; None when it is enough."""
        if self._held is None:
            if not self.project.log.writable:
                self.project.log.recover()
            before = self.project.checks.running
            questions = self.project.do(Lease(), self.who).questions
            check = self.project.checks.running
            if check is not None and check is not before:
                words = words_about_rare(check.predictions, self.labels, self.classes, self.goal or 0.0)
                self.notes += [words] if words else []
            self._held = questions[0] if questions else None
        held = self._held
        return None if held is None else Question(held.node, held.asked, held.audit, held.why)

    def answer(self, label: Any, *, seconds: float | None = None) -> Event:
        """Give the label of the node that is asked for. When this returns, it is on the disk.

        Parameters
        ----------
        label
            The class.
        seconds
            How long it took. None (default) if nobody measured it.
        """
        held = self._expected()
        reply = self.project.do(Label(held.node, label, held.lease, seconds), self.who)
        self._held = None
        return self.project.event(reply.seq)

    def skip(self) -> Event:
        """Leave the node that is asked for without a label."""
        held = self._expected()
        reply = self.project.do(Skip(held.node, held.lease), self.who)
        self._held = None
        return self.project.event(reply.seq)

    def undo(self) -> Event | None:
        """Take back this person's last answer or skip; None where there is none."""
        done = self.project.ledger.last_of(self.who)
        if done is None:
            return None
        if self._held is not None:
            self.project.do(Release(self._held.lease), self.who)
            self._held = None
        undone = self.project.event(done.seq)
        self.project.do(Undo(done.seq), self.who)
        return undone

    def opinion(self, node: Hashable) -> Opinion:
        """What the learner thinks of a node and why.

        Parameters
        ----------
        node
            A node.
        """
        said = predicted(self.project, node, CARRIERS)
        because = tuple(Share(each.node, each.label, each.share) for each in said.because)
        return Opinion(said.prediction, dict(said.probabilities), bool(because), because)

    def neighbours(self, node: Hashable) -> list[Neighbour]:
        """The neighbours of a node with their labels, heaviest edge first.

        Parameters
        ----------
        node
            A node.
        """
        labels = self.project.ledger.labels
        found = [Neighbour(n, w, labels.get(n)) for n, w in self.project.model.neighbours(node).items()]
        return sorted(found, key=lambda each: (-abs(each.weight), each.label is None))

    def predictions(self) -> dict[Hashable, tuple[Any, float | None]]:
        """The class of every node with its probability: the label where it is known, else what is predicted."""
        labels, check = self.project.ledger.labels, self.project.checks.running
        learner: Any = self.project.model.learner
        rest = [node for node in self.project.nodes if node not in labels]
        found: dict[Hashable, tuple[Any, float | None]] = {}
        if rest:
            found = {
                row.node: (row.prediction, row.probability if labels else None)
                for row in learner.predict_many(rest)
            }
        if check is not None:
            found |= {
                node: (check.predictions[node], check.chances[node])
                for node in rest
                if node in check.predictions
            }
        return {node: (labels[node], 1.0) if node in labels else found[node] for node in self.project.nodes}

    def progress(self) -> Progress:
        """How far the project is."""
        found = self.project.progress()
        return Progress(
            Stage(found["stage"]),
            found["nodes"],
            found["labels"],
            found["imported"],
            found["skipped"],
            found["estimate"],
            found["goal"],
            self.project.checks.limit,
            found["more"],
        )

    def close(self) -> None:
        """Let others have the project; the question that nobody answered goes back to them."""
        if self._held is not None and not self.broken:
            try:
                self.project.do(Release(self._held.lease), self.who)
            except Exception:  # it will expire
                self._held = None
        self.project.close()

    def __enter__(self) -> OnePerson:
        return self

    def __exit__(self, *trace: object) -> None:
        self.close()

    def _expected(self) -> Any:
        if self.question() is None:
            raise ParameterError("nothing is asked for any more; question() is None")
        return self._held
