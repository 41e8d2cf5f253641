// The desk against a server made of a few lines: what is sent, in which order, and what the person sees.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk } from "../src/core/desk.js";

class Kept {
  constructor() {
    this.map = new Map();
  }
  get length() {
    return this.map.size;
  }
  key(k) {
    return [...this.map.keys()][k];
  }
  getItem(name) {
    return this.map.get(name) ?? null;
  }
  setItem(name, value) {
    this.map.set(name, value);
  }
  removeItem(name) {
    this.map.delete(name);
  }
}

// Leases nodes n0, n1, … in order; `line` false: nothing comes through.
class Server {
  constructor() {
    this.line = true;
    this.lost = 0; // So many answers are written, and their replies lost.
    this.free = 0;
    this.held = [];
    this.log = [];
    this.keys = new Map();
    this.refuse = null;
  }

  async request(method, path, body) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (!this.line) return { status: 0, json: null };
    if (path === "next") {
      while (this.held.length < body.count) this.held.push(this.question(this.free++));
      return { status: 200, json: { questions: this.held.slice(0, body.count), progress: { stage: "learning" } } };
    }
    if (path.startsWith("node?id=")) return { status: 200, json: cardOf(JSON.parse(decodeURIComponent(path.slice(8)))) };
    const again = this.keys.get(body.key);
    if (again) return again;
    if (this.refuse) {
      const reply = this.refuse;
      this.refuse = null;
      this.held = this.held.filter((each) => each.lease !== body.lease);
      return reply;
    }
    const reply = { status: 200, json: this.write(path, body) };
    this.keys.set(body.key, reply);
    if (this.lost > 0) {
      this.lost--;
      return { status: 0, json: null };
    }
    return reply;
  }

  question(k) {
    return { lease: `lease-${k}`, node: `n${k}`, asked: "query", audit: null, why: "", card: cardOf(`n${k}`) };
  }

  write(path, body) {
    if (path === "undo") {
      const last = this.log.findLast((each) => each.path !== "undo" && !each.undone);
      last.undone = true;
      this.log.push({ path });
      return { seq: this.log.length, undone: 1, nodes: [last.node] };
    }
    this.held = this.held.filter((each) => each.lease !== body.lease);
    this.log.push({ path, node: body.node, label: body.label, reason: body.reason });
    return { seq: this.log.length, node: body.node };
  }
}

const cardOf = (node) => ({ node, title: `title of ${node}`, neighbours: [] });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function seated(server, storage = new Kept()) {
  const notes = [];
  const desk = new Desk({ request: (...all) => server.request(...all), name: "p:me", storage, note: (text, kind, action) => notes.push({ text, kind, action }), progressed: () => {} });
  return { desk, notes, storage };
}

async function answer(desk, label) {
  desk.shownAt = -1e6; // Long ago.
  desk.label(label);
  await pause(15);
}

const said = (server) => server.log.map((each) => [each.path, each.node, each.label]);

test("one answer after the other, each question once", async () => {
  const server = new Server();
  const { desk } = seated(server);
  await desk.start();
  for (const label of ["a", "b", "a"]) await answer(desk, label);
  assert.deepEqual(said(server), [["labels", "n0", "a"], ["labels", "n1", "b"], ["labels", "n2", "a"]]);
  assert.equal(desk.state.queue[0].node, "n3");
  assert.equal(desk.state.last.seq, 3);
  desk.close();
});

test("a key pressed as the question came up is dropped", async () => {
  const server = new Server();
  const { desk } = seated(server);
  await desk.start();
  desk.label("a");
  await pause(15);
  assert.deepEqual(server.log, []);
  desk.close();
});

test("saved only when the server says so; offline answers wait in order and survive a reload", async () => {
  const server = new Server();
  const { desk, storage } = seated(server);
  await desk.start();
  server.line = false;
  await answer(desk, "a");
  await answer(desk, "b");
  assert.equal(desk.state.waiting, 2);
  assert.equal(desk.state.line, "offline");
  assert.equal(desk.state.last, null);
  assert.equal(storage.length, 2);
  desk.close();
  server.line = true;
  const after = seated(server, storage);
  await after.desk.start();
  await pause(40);
  assert.deepEqual(said(server), [["labels", "n0", "a"], ["labels", "n1", "b"]]);
  assert.equal(storage.length, 0);
  assert.equal(after.desk.state.waiting, 0);
  after.desk.close();
});

test("an answer whose reply was lost counts once", async () => {
  const server = new Server();
  const { desk } = seated(server);
  await desk.start();
  server.lost = 1;
  await answer(desk, "a");
  assert.equal(desk.state.waiting, 1);
  desk.wake();
  await pause(15);
  assert.equal(desk.state.waiting, 0);
  assert.deepEqual(said(server), [["labels", "n0", "a"]]);
  desk.close();
});

test("undo brings the question back, twice as well", async () => {
  const server = new Server();
  const { desk } = seated(server);
  await desk.start();
  await answer(desk, "a");
  await answer(desk, "b");
  desk.undo();
  await pause(15);
  desk.undo();
  await pause(15);
  assert.deepEqual(desk.state.queue.slice(0, 2).map((each) => each.node), ["n0", "n1"]);
  await answer(desk, "b");
  assert.deepEqual(said(server).at(-1), ["labels", "n0", "b"]);
  desk.close();
});

test("an answer that never left is taken back without the server", async () => {
  const server = new Server();
  const { desk } = seated(server);
  await desk.start();
  server.line = false;
  await answer(desk, "a"); // Tried, so it may have been written.
  await answer(desk, "b"); // Behind it: never sent.
  desk.undo();
  assert.equal(desk.state.waiting, 1);
  assert.equal(desk.state.queue[0].node, "n1");
  desk.undo();
  assert.equal(desk.state.waiting, 2); // The undo waits behind the answer that it takes back.
  server.line = true;
  desk.wake();
  await pause(40);
  assert.deepEqual(said(server).map(([path]) => path), ["labels", "undo"]);
  assert.equal(desk.state.queue[0].node, "n0");
  desk.close();
});

test("a stale lease moves on, says so, and offers to save all the same", async () => {
  const server = new Server();
  const { desk, notes } = seated(server);
  await desk.start();
  server.refuse = { status: 409, json: { title: "Stale lease", detail: "The lease has run out." } };
  await answer(desk, "a");
  assert.match(notes.at(-1).text, /Not saved.*run out/);
  assert.equal(desk.state.queue[0].node, "n1");
  notes.at(-1).action.run();
  await pause(15);
  assert.deepEqual(said(server), [["labels", "n0", "a"]]);
  desk.close();
});

test("a skip carries its reason", async () => {
  const server = new Server();
  const { desk } = seated(server);
  await desk.start();
  desk.shownAt = -1e6;
  desk.skip("blurred");
  await pause(15);
  assert.equal(server.log[0].path, "skips");
  assert.equal(server.log[0].reason, "blurred");
  desk.close();
});

test("a question that was answered in another window goes away", async () => {
  const server = new Server();
  const { desk } = seated(server);
  await desk.start();
  await server.request("POST", "labels", { key: "other", node: "n0", label: "a", lease: "lease-0" });
  desk.answeredElsewhere("lease-0");
  await pause(15);
  assert.deepEqual(desk.state.queue.map((each) => each.node), ["n1", "n2"]);
  desk.close();
});

test("a server that fails on one answer again and again does not hold up the others", async () => {
  const server = new Server();
  const { desk, notes } = seated(server);
  const honest = server.request.bind(server);
  server.request = (method, path, body) =>
    path === "labels" && body.node === "n0" ? Promise.resolve({ status: 500, json: { title: "An error of the server" } }) : honest(method, path, body);
  await desk.start();
  await answer(desk, "a");
  await answer(desk, "b");
  assert.equal(desk.state.line, "refused");
  for (let k = 0; k < 5; k++) {
    desk.wake();
    await pause(15);
  }
  assert.deepEqual(said(server), [["labels", "n1", "b"]]);
  assert.match(notes.at(-1).text, /Not saved: title of n0/);
  desk.close();
});
