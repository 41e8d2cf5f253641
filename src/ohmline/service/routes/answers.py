"""Questions and answers: lease, label, skip, undo, settle."""

from __future__ import annotations

from ohmline.project import commands as c
from ohmline.project.unseen import has_secrets
from ohmline.service.ids import label_of, node_of
from ohmline.service.people import Role
from ohmline.service.reply import Answer, answer
from ohmline.service.route import PROJECT, Call, Route
from ohmline.service.routes.doing import do, is_admin, with_address
from ohmline.service.shapes import replies, requests


async def next_questions(call: Call) -> Answer:
    """The questions that are worth most now, for this person alone."""
    found = await do(call, c.Lease(call.body.count))
    for question in found["questions"]:
        with_address(call, question["card"])
    return answer(found)


async def label(call: Call) -> Answer:
    """An answer, which is on the disk when this returns."""
    said: requests.Labelled = call.body
    command = c.Label(node_of(said.node), label_of(said.label), said.lease, said.seconds, key=said.key)
    written = await do(call, command)
    if not is_admin(call) and has_secrets(call.project):  # what the others said is not told
        written["resolved"] = None if call.project.settings.overlap > 1 else written["label"]
    return answer(written)


async def label_many(call: Call) -> Answer:
    """One label for many nodes, as one event."""
    said: requests.ManyLabelled = call.body
    nodes = tuple(map(node_of, said.nodes))
    return answer(await do(call, c.LabelMany(nodes, label_of(said.label), key=said.key)))


async def skip(call: Call) -> Answer:
    """No answer from this person."""
    said: requests.Skipped = call.body
    return answer(await do(call, c.Skip(node_of(said.node), said.lease, said.reason, key=said.key)))


async def undo(call: Call) -> Answer:
    """Take an answer back."""
    return answer(await do(call, c.Undo(call.body.seq, key=call.body.key)))


async def release(call: Call) -> Answer:
    """Give a question back."""
    return answer(await do(call, c.Release(call.body.lease, key=call.body.key)))


async def adjudicate(call: Call) -> Answer:
    """Settle what a node is."""
    said: requests.Settled = call.body
    return answer(await do(call, c.Adjudicate(node_of(said.node), label_of(said.label), key=said.key)))


async def disagreements(call: Call) -> Answer:
    """What people do not agree on."""
    return answer({"nodes": call.project.disagreements()})


async def gold(call: Call) -> Answer:
    """The gold items."""
    return answer({"gold": call.project.gold()})


async def set_gold(call: Call) -> Answer:
    """Make a node a gold item, or an ordinary one."""
    said: requests.Gold = call.body
    known = None if said.label is None else label_of(said.label)
    return answer(await do(call, c.SetGold(node_of(said.node), known, key=said.key)))


ROUTES = (
    Route(
        "POST",
        f"{PROJECT}/next",
        next_questions,
        "Lease the most valuable nodes for this person; those that the person holds already come first.",
        replies.Questions,
        requests.Next,
    ),
    Route(
        "POST",
        f"{PROJECT}/labels",
        label,
        "Label a node; the reply comes when the answer is on the disk.",
        replies.WrittenLabel,
        requests.Labelled,
        may_be=(409,),
        hot=True,
    ),
    Route(
        "POST",
        f"{PROJECT}/labels/many",
        label_many,
        "Give many nodes one label, as one event that can be undone as one.",
        replies.WrittenMany,
        requests.ManyLabelled,
        size="large",
    ),
    Route(
        "POST",
        f"{PROJECT}/skips",
        skip,
        "Skip a node: this person is not asked for it again.",
        replies.Written,
        requests.Skipped,
        may_be=(409,),
    ),
    Route(
        "POST",
        f"{PROJECT}/undo",
        undo,
        "Take an answer back: one's own last one, or the event with that number.",
        replies.WrittenUndo,
        requests.Undone,
    ),
    Route(
        "POST",
        f"{PROJECT}/release",
        release,
        "Give a question back without an answer.",
        replies.Written,
        requests.Released,
        may_be=(409,),
    ),
    Route(
        "GET",
        f"{PROJECT}/disagreements",
        disagreements,
        "List the nodes that people do not agree on.",
        replies.Disagreements,
        role=Role.ADMIN,
    ),
    Route(
        "POST",
        f"{PROJECT}/adjudications",
        adjudicate,
        "Settle what a node is, whatever the votes say.",
        replies.Written,
        requests.Settled,
        role=Role.ADMIN,
    ),
    Route("GET", f"{PROJECT}/gold", gold, "List the gold items.", replies.GoldItems, role=Role.ADMIN),
    Route(
        "POST",
        f"{PROJECT}/gold",
        set_gold,
        "Make a node a gold item, with which people are tested; or an ordinary one again.",
        replies.Written,
        requests.Gold,
        role=Role.ADMIN,
    ),
)
