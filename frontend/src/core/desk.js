// The labelling desk: the questions in hand, the answers on their way, and the last thing that was said.
import { Observed } from "./observed.js";
import { Outbox } from "./outbox.js";
import { freshKey, keyOf, nameOf, problemOf, same, titleOf } from "./words.js";

const IN_HAND = 2; // The question on the desk, and the next one, already leased.
const TOO_SOON = 120; // Milliseconds in which a key press still meant the question before.
const LOOK_AGAIN = 10000;

const idOf = (question) => question.lease || keyOf(question.node);

export class Desk extends Observed {
  // `request(method, path, body)` speaks to the project; `note(text, kind, action)` tells the person something.
  constructor({ request, name, storage, note, progressed }) {
    super({ queue: [], fetching: true, problem: null, empty: false, last: null, waiting: 0, line: "ok", undoing: 0, skipping: false });
    Object.assign(this, { request, note, progressed });
    this.answered = new Set();
    this.shownAt = 0;
    this.outbox = new Outbox({
      name,
      storage,
      send: (item) => this.request("POST", item.path, item.body),
      settle: (item, reply) => this.settle(item, reply),
      changed: () => this.count(),
    });
  }

  count() {
    const { items, line } = this.outbox;
    this.set({ waiting: items.length, line, undoing: items.filter((item) => item.kind === "undo").length });
  }

  start() {
    this.count();
    if (this.outbox.items.length) {
      const waiting = this.outbox.items.length;
      this.note(waiting === 1 ? "One answer from before is being sent." : `${waiting} answers from before are being sent.`);
      this.outbox.kick();
    }
    return this.fill();
  }

  close() {
    this.outbox.close();
    clearTimeout(this.timer);
    this.closed = true;
  }

  // The line is back, or somebody else's event may have freed a question.
  wake() {
    this.outbox.kick();
    if (this.state.queue.length < IN_HAND) this.fill();
  }

  // Forget what was prefetched, keep what is on the desk.
  async refresh() {
    this.set({ queue: this.state.queue.slice(0, 1) });
    await this.fill();
  }

  async fill() {
    if (this.closed) return;
    if (this.filling) {
      this.fillAgain = true;
      return;
    }
    this.filling = true;
    this.fillAgain = false;
    clearTimeout(this.timer);
    if (!this.state.queue.length) this.set({ fetching: true });
    const reply = await this.request("POST", "next", { count: IN_HAND });
    this.filling = false;
    if (this.closed) return;
    if (reply.status !== 200) {
      const offline = reply.status === 0;
      if (offline) this.outbox.mark("offline");
      this.set({ fetching: false, problem: problemOf(reply) });
      this.timer = setTimeout(() => this.fill(), offline ? 2000 : LOOK_AGAIN);
      return;
    }
    if (this.outbox.line === "offline") this.outbox.kick();
    if (!this.outbox.items.length) this.outbox.line = "ok";
    const { questions, progress } = reply.json;
    if (progress) this.progressed(progress);
    const known = new Set(this.state.queue.map(idOf));
    const fresh = questions.filter((each) => !known.has(idOf(each)) && !this.answered.has(idOf(each)));
    const queue = [...this.state.queue, ...fresh];
    this.place(queue, { fetching: false, problem: null, line: this.outbox.line, empty: !queue.length && !this.outbox.items.length });
    if (this.fillAgain && queue.length < IN_HAND) this.fill();
    else if (!queue.length) this.timer = setTimeout(() => this.fill(), LOOK_AGAIN);
  }

  place(queue, more = {}) {
    const before = this.state.queue[0];
    if (queue[0] && (!before || idOf(queue[0]) !== idOf(before))) this.shownAt = performance.now();
    this.set({ queue, ...more });
  }

  // A question that was answered in another window of the same person.
  answeredElsewhere(lease) {
    if (!lease || !this.state.queue.some((each) => each.lease === lease)) return;
    this.answered.add(lease);
    this.place(this.state.queue.filter((each) => each.lease !== lease));
    this.fill();
  }

  ready() {
    return this.state.queue.length > 0 && performance.now() - this.shownAt >= TOO_SOON;
  }

  label(label) {
    this.answer("label", "labels", { label }, label);
  }

  skip(reason = "") {
    this.set({ skipping: false });
    this.answer("skip", "skips", reason ? { reason } : {}, null);
  }

  answer(kind, path, said, label) {
    if (!this.ready()) return;
    const [question, ...rest] = this.state.queue;
    this.answered.add(idOf(question));
    const key = freshKey();
    const body = { key, node: question.node, ...said };
    if (question.lease) body.lease = question.lease;
    if (kind === "label") body.seconds = Math.round(performance.now() - this.shownAt) / 1000;
    this.place(rest, { fetching: !rest.length, empty: false, last: null });
    this.outbox.put({ kind, path, key, body, node: question.node, title: titleOf(question.card), label, question });
  }

  // Label nodes at once, as one event.
  labelMany(nodes, label) {
    const key = freshKey();
    this.outbox.put({ kind: "many", path: "labels/many", key, body: { key, nodes, label }, label, title: `${nodes.length} nodes` });
  }

  // Label a node that nobody asked about.
  labelFreely(card, label) {
    const key = freshKey();
    this.outbox.put({ kind: "label", path: "labels", key, body: { key, node: card.node, label }, node: card.node, title: titleOf(card), label });
  }

  undo(seq = null) {
    const unsent = seq === null ? this.outbox.takeBack() : null;
    if (unsent) {
      this.returned(unsent);
      return;
    }
    const key = freshKey();
    this.outbox.put({ kind: "undo", path: "undo", key, body: seq === null ? { key } : { key, seq }, title: "" });
  }

  // Bring back the question of an answer that never left.
  returned(item) {
    if (!item.question) return;
    this.answered.delete(idOf(item.question));
    this.place([item.question, ...this.state.queue], { empty: false, fetching: false });
    this.note(`Taken back: ${item.title}.`);
  }

  async settle(item, reply) {
    if (reply.status >= 200 && reply.status < 300) {
      if (item.kind === "undo") await this.undone(reply.json);
      else this.set({ last: { kind: item.kind, node: item.node, title: item.title, label: item.label, seq: reply.json.seq } });
      if (item.kind === "many") {
        const seq = reply.json.seq;
        this.note(`${item.title} labelled ${nameOf(item.label)}, as one event.`, "ok", { text: "Undo", run: () => this.undo(seq) });
      }
    } else this.refused(item, reply);
    if (item.kind === "many") this.refresh();
    else if (this.state.queue.length < IN_HAND) this.fill();
  }

  async undone({ nodes = [], undone }) {
    this.set({ last: null });
    if (nodes.length !== 1) {
      this.note(nodes.length ? `Taken back: ${nodes.length} labels of event ${undone}.` : `Event ${undone} is taken back.`);
      return;
    }
    const reply = await this.request("GET", `node?id=${encodeURIComponent(keyOf(nodes[0]))}`);
    const title = reply.status === 200 ? titleOf(reply.json) : nameOf(nodes[0]);
    this.note(`Taken back: ${title}.`);
    if (reply.status !== 200) return;
    const question = { lease: "", node: nodes[0], asked: "again", audit: null, why: "You took your answer back.", card: reply.json };
    this.answered.delete(keyOf(nodes[0]));
    this.place([question, ...this.state.queue.filter((each) => !same(each.node, nodes[0]))], { empty: false, fetching: false });
  }

  refused(item, reply) {
    const { title, detail, remedy } = problemOf(reply);
    const why = [detail || title, remedy].filter(Boolean).join(" ");
    if (item.question) this.answered.delete(idOf(item.question));
    if (item.kind === "undo") {
      this.note(why, "warn");
    } else if (reply.status === 409 && item.kind === "label") {
      const again = () => this.labelFreely({ node: item.node, title: item.title }, item.label);
      this.note(`Not saved: ${item.title} → ${nameOf(item.label)}. ${why}`, "warn", { text: "Save it anyway", run: again });
    } else {
      this.note(`Not saved: ${item.title}. ${why}`, reply.status === 409 ? "warn" : "bad");
    }
  }
}
