"""An open project: commands become events, events become memory, and memory answers."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, final

from ohmline.checks import file_path, instance, shown, text
from ohmline.errors import (
    FileFormatError,
    JournalError,
    LabelError,
    LearnerError,
    OhmlineError,
    UnknownNode,
)
from ohmline.graph.files.labels import written_form
from ohmline.graph.graph import Graph
from ohmline.labelling.answers import id_of
from ohmline.project import cards, reports
from ohmline.project.attributes import Attributes, read_attributes
from ohmline.project.batch import Batch, Request
from ohmline.project.checks import Checks
from ohmline.project.commands import Arrive, Command, EndAudit, Lease
from ohmline.project.creating import create
from ohmline.project.desk import Desk
from ohmline.project.folder import (
    EVENTS,
    HEAD,
    read_about,
    read_first_graph,
)
from ohmline.project.growth import before_arrival
from ohmline.project.leases import Held, time_of
from ohmline.project.ledger import AUDIT, GOLD, Ledger
from ohmline.project.model import Model
from ohmline.project.planning import plan
from ohmline.project.recipe import RecipeFunction, default_recipe
from ohmline.project.recipe_files import recipe_named
from ohmline.project.replies import Predicted
from ohmline.project.settings import Settings
from ohmline.project.snapshots import digest_of, read_snapshots, write_snapshot
from ohmline.store.events import Event, EventLog, open_log
from ohmline.store.whole import whole

log = logging.getLogger("ohmline.project")
SNAPSHOT_AFTER = 2000
"""After so many events a snapshot is made when the project is closed, or by `keep`."""
SYSTEM = "ohmline"
"""The actor of what a project does by itself."""


@final
class Project:
    """A project that this process has open; nobody else can have it open at the same time.

    A command becomes one or more events. They are on the disk before the memory changes, so that what is answered can
    always be found again; where a command does not fit, or the disk fails, nothing is changed.

    Make one with `Project.create`, and open it with `Project.open`.

    Parameters
    ----------
    folder
        Where the project lies.
    log
        Its events.
    recipe
        What makes its learner and its query.
    clock
        The time in seconds, by which leases end.

    Examples
    --------
    >>> import ohmline as ohm, tempfile, pathlib
    >>> from ohmline.project import Project, commands
    >>> club = ohm.data.load("karate")
    >>> folder = Project.create(
    ...     pathlib.Path(tempfile.mkdtemp(), "club"), graph=club.graph, classes=["left", "right"]
    ... )
    >>> with Project.open(folder) as project:
    ...     [question] = project.do(commands.Lease(), "ann").questions
    ...     reply = project.do(commands.Label(question.node, "left", question.lease), "ann")
    ...     project.progress()["labels"]
    1
    """

    def __init__(
        self, folder: Path, log: EventLog, recipe: RecipeFunction, clock: Callable[[], float]
    ) -> None:
        self.folder, self.log, self.recipe, self.clock = folder, log, recipe, clock
        self.id = folder.name
        self.notes: list[str] = []
        """What a person should know about how the project was found, in words."""
        self.attributes: Attributes = read_attributes(folder)
        self.broken = ""
        """Why the memory can no longer be trusted; empty while it can."""
        graph = read_first_graph(folder)
        self._replay(graph)

    create = staticmethod(create)

    @classmethod
    def open(
        cls,
        folder: Any,
        *,
        recipe: RecipeFunction | None = None,
        store: str = "",
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Open a project; every event is checked, and the memory is what they lead to.

        Parameters
        ----------
        folder
            The folder of the project.
        recipe
            The function that says what the project does. None (default) for the one that `project.toml` names, or the
            usual one.
        store
            The address of a PostgreSQL database, where it needs a password that `project.toml` does not have; ""
            (default) takes the address there.
        clock
            Gives the time, in seconds since 1970. Default `time.time`.
        """
        where = file_path(folder, "folder")
        about = read_about(where)
        log = open_log(store or about.store or where / EVENTS, where / HEAD)
        try:
            if recipe is None:
                recipe = recipe_named(about.recipe) if about.recipe else default_recipe
            return cls(where, log, recipe, clock)
        except BaseException:
            log.close()
            raise

    def _replay(self, graph: Graph) -> None:
        ledger, state, after = Ledger(), None, -1
        events = list(self.log.read())
        if not events:
            raise FileFormatError(f"{self.folder} has no events; its log is lost, restore it from a copy")
        for kept, arrays in read_snapshots(self.folder, self.notes):
            if 0 <= kept.seq < len(events) and events[kept.seq].hash == kept.hash:
                ledger, state, after = kept, arrays, kept.seq
                break
        if state is None:
            ledger.apply(events[0])
            after = 0
        if ledger.graph.get("fingerprint") != graph.fingerprint:
            raise FileFormatError(
                f"the graph in {self.folder} is not the one that its events are about; restore graph.ohm from a copy"
            )
        self.ledger = ledger
        self.model = Model(self.recipe, graph, ledger, state)
        self._kept_at = after if state is not None else -1
        for node, fields in ledger.added_nodes:
            self.attributes.add(node, fields)
        for event in events[after + 1 :]:
            self.model.take(event, self.ledger.apply(event))
            self._note_nodes(event)
        self.desk, self.checks = Desk(self.model), Checks(self.model, self.recipe)
        if not self.checks.resume():
            self.notes.append(
                "the predictions of the check that was under way come out otherwise with this version or on this "
                "machine; a new check will begin"
            )
            self._do(Request(EndAudit("other predictions on this machine"), SYSTEM, True))

    # What it is

    @property
    def name(self) -> str:
        """What people call the project."""
        return self.ledger.name

    @property
    def graph(self) -> Graph:
        """The graph as it is now."""
        return self.model.graph

    @property
    def nodes(self) -> Any:
        """The nodes."""
        return self.model.nodes

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes."""
        return tuple(self.ledger.classes)

    @property
    def settings(self) -> Settings:
        """Goal, overlap and the like."""
        return self.ledger.settings

    @property
    def seq(self) -> int:
        """The number of the last event in memory."""
        return self.ledger.seq

    @property
    def hash(self) -> str:
        """The hash of all events up to it."""
        return self.ledger.hash

    def digest(self) -> str:
        """By which the whole state is known: equal for equal events, on the same build."""
        return digest_of(self.ledger, self.model.learner.snapshot())

    # Commands

    def do(self, command: Command, actor: str, *, admin: bool = False) -> Any:
        """Do something, and wait until it is on the disk.

        Parameters
        ----------
        command
            What to do.
        actor
            Who does it.
        admin
            Whether that person may do what concerns others. Default False.

        Returns
        -------
        Written, Questions or Arrival
            The reply.
        """
        instance(command, Command, "command")
        request = Request(command, text(actor, "actor"), admin)
        for first in self.first(request):
            self._do(first)
        return self._do(request)

    def _do(self, request: Request) -> Any:
        batch = self.plan([request])
        for _, error in batch.failed:
            raise error
        with whole():
            replies = self.apply(batch, self.log.append(batch.drafts) if batch.drafts else [])
        if isinstance(replies[0], Exception):
            raise replies[0]
        return replies[0]

    def first(self, request: Request) -> list[Request]:
        """What has to be done before a command: nodes that arrive are added, checks begin and end when they should.

        Parameters
        ----------
        request
            The command, and who gives it.
        """
        command = request.command
        found: list[Request] = []
        if isinstance(command, Arrive) and (grow := before_arrival(self, command, request.actor)) is not None:
            found.append(Request(grow, request.actor, request.admin))
        if isinstance(command, Lease) and (due := self.checks.due(self.desk.estimate())) is not None:
            found.append(Request(due, SYSTEM, True))
        return found

    def plan(self, requests: Sequence[Request]) -> Batch:
        """Check commands against the memory, and find those that can be written together; nothing is changed.

        Parameters
        ----------
        requests
            The commands and who gave them.
        """
        if self.broken:
            raise JournalError(f"the project is closed to changes ({self.broken}); open it again")
        now = self.clock()
        return plan(self, list(requests), time_of(now), now)

    def apply(self, batch: Batch, events: Sequence[Event]) -> list[Any]:
        """Take the events of a batch, which are on the disk, into the memory.

        Parameters
        ----------
        batch
            What was planned.
        events
            What it became.

        Returns
        -------
        list
            The reply to each command of the batch, or the error that came instead of one.
        """
        try:
            for event in events:
                self._take(event)
        except BaseException as error:
            self.broken = f"{type(error).__name__}: {error}"
            raise
        replies: list[Any] = []
        start = 0
        for each in batch.plans:
            mine = list(events[start : start + len(each.drafts)])
            start += len(each.drafts)
            try:
                replies.append(each.finish(mine))
            except Exception as error:  # the event stands, and so do the replies of others
                log.exception("the reply to %s failed", type(each.request.command).__name__)
                what = f"it is done, but could not be answered ({type(error).__name__}: {error})"
                replies.append(LearnerError(what))
        return replies

    def _take(self, event: Event) -> None:
        changes = self.ledger.apply(event)
        self.model.take(event, changes)
        self._note_nodes(event)
        self.desk.keep_up(changes)
        self.checks.keep_up(event, changes)
        hook = self.model.recipe.on_event
        if hook is not None:
            try:
                hook(event)
            except Exception:  # the event is on the disk, whatever a recipe makes of it
                log.exception("on_event of the recipe failed at event %d", event.seq)

    def _note_nodes(self, event: Event) -> None:
        if event.kind == "grown":
            for node, fields in event.payload["nodes"]:
                self.attributes.add(id_of(node), fields)

    # Questions

    def known(self, node: Any) -> Hashable:
        """A node of the project, or `UnknownNode`.

        Parameters
        ----------
        node
            Anything, for example what came over the network.
        """
        if not isinstance(node, bool) and isinstance(node, Hashable) and node in self.nodes:
            found: Hashable = self.nodes[self.nodes.position(node)]
            return found
        raise UnknownNode(
            f"unknown node {shown(node)}; the project has {len(self.nodes):,} nodes, for example {self.nodes[0]!r}"
        )

    def class_of(self, label: Any) -> Any:
        """A class of the project, also from its text, or `LabelError`.

        Parameters
        ----------
        label
            Anything, for example what came over the network.
        """
        if not isinstance(label, bool) and isinstance(label, str | int | float):
            form = written_form(label)
            for known in self.ledger.classes:
                if written_form(known) == form:
                    return known
        raise LabelError(
            f"{shown(label)} is not among the classes {shown(self.ledger.classes)}; add it to them first, or choose one"
        )

    def predicted_for(self, node: Hashable, held: Held | None) -> tuple[Any, float | None]:
        """What is predicted for a node that is being answered: in a check, what that is about.

        Parameters
        ----------
        node
            A node of the project.
        held
            The lease under which it is answered, or None.
        """
        check = self.checks.running
        if held is not None and held.asked == AUDIT and check is not None:
            return check.predictions.get(node), check.chances.get(node)
        gold = held is not None and held.asked == GOLD
        if node in self.ledger.labels and not gold:
            return None, None
        said = cards.predicted_without(self, node, 0)
        return said.prediction, said.confidence if said.prediction is not None else None

    # Reads

    def event(self, seq: int) -> Event:
        """One event, from the log.

        Parameters
        ----------
        seq
            Its number in the log.
        """
        return next(iter(self.log.read(seq - 1, 1)))

    def predict(self, nodes: Iterable[Any], why: int = 0) -> list[Predicted]:
        """What the learner says of nodes.

        Parameters
        ----------
        nodes
            The nodes.
        why
            How many of the labelled nodes that carry each score to name. Default 0.
        """
        return [cards.predicted(self, self.known(node), why) for node in nodes]

    def card(self, node: Any, person: str, *, blind: bool = False, admin: bool = False) -> dict[str, Any]:
        """What there is to know about a node.

        Parameters
        ----------
        node
            The node.
        person
            Who asks: of votes, only their own are shown.
        blind
            Whether the learner's opinion is left out. Default False.
        admin
            Whether all votes are shown. Default False.
        """
        return cards.card(self, self.known(node), person, blind=blind, admin=admin)

    def progress(self) -> dict[str, Any]:
        """How far the project is."""
        return reports.progress(self)

    def curves(self) -> dict[str, Any]:
        """How labels, mistakes and the limit went."""
        return reports.curves(self)

    def people(self) -> list[dict[str, Any]]:
        """Who did how much, how fast and how well."""
        return reports.people(self)

    def agreement(self) -> dict[str, Any]:
        """How much people agree: Krippendorff's alpha."""
        return reports.agreement(self)

    def disagreements(self) -> list[dict[str, Any]]:
        """The nodes on which people disagree and that nobody has settled."""
        return reports.disagreements(self)

    def gold(self) -> list[dict[str, Any]]:
        """The gold items."""
        return reports.gold(self)

    def history(
        self, after: int = -1, limit: int = 100, person: str = "", node: Any = None
    ) -> list[dict[str, Any]]:
        """Events after a number.

        Parameters
        ----------
        after
            The number. Default -1, all.
        limit
            How many at most. Default 100.
        person
            Only what this person did; "" (default) for all.
        node
            Only what is about this node; None (default) for all.
        """
        return reports.history(self, after, limit, person, node)

    def keep(self) -> Path | None:
        """Make a snapshot, if enough has happened since the last one.

        Returns
        -------
        Path or None
            The file; None where it was not worth one.
        """
        if self.broken or self.ledger.seq - self._kept_at < SNAPSHOT_AFTER:
            return None
        path = write_snapshot(self.folder, self.ledger, self.model.learner.snapshot())
        self._kept_at = self.ledger.seq
        return path

    def close(self) -> None:
        """Let others have the project."""
        try:
            self.keep()
        except (
            OSError,
            OhmlineError,
        ) as error:  # a snapshot is a convenience, and a full disk no reason to fail
            self.notes.append(f"no snapshot was made ({error})")
        finally:
            self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Project {self.name!r} in {self.folder}, {len(self.ledger.labels):,} of {len(self.nodes):,} labelled"
