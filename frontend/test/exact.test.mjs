// Ids with more digits than a JavaScript number holds come back as they came.
import assert from "node:assert/strict";
import { test } from "node:test";
import { read, write } from "../src/core/exact.js";
import { Outbox } from "../src/core/outbox.js";
import { keyOf, nameOf, same } from "../src/core/words.js";
import { modelTransport } from "../src/transport/model.js";

const LONG = "9007199254740993"; // 2 ** 53 + 1, which a double rounds to the node before.

test("whole numbers keep all their digits, and everything else is as JSON has it", () => {
  for (const number of [LONG, `-${LONG}`, "9223372036854775807", "-9223372036854775808", "9007199254740991", "7", "0.1234567890123456689", "1e22"]) {
    assert.equal(Number(read(number)), Number(number));
    if (/^-?\d+$/.test(number)) assert.equal(write(read(number)), number);
  }
  const text = `{"node":${LONG},"ids":[${LONG},"${LONG}",["a",-${LONG}]],"text":"say \\"${LONG}, \\\\","score":0.12345678901234566,"no":null}`;
  assert.equal(write(read(text)), text);
  assert.equal(typeof read('{"seq":7}').seq, "number");
  assert.deepEqual(read(`["\\\\",${LONG}]`), ["\\", BigInt(LONG)]);
  assert.throws(() => read(`{"node":${LONG}`), SyntaxError);
});

test("a text that looks like a number stays a text", () => {
  for (const text of [LONG, `whole-:${LONG}`, `"${LONG}"`, `,${LONG},`]) assert.equal(read(write([text, BigInt(LONG)]))[0], text);
});

test("neighbouring ids are told apart", () => {
  const [a, b] = read(`[${LONG},9007199254740992]`);
  assert.ok(!same(a, b) && same(a, read(LONG)));
  assert.deepEqual([keyOf(a), nameOf(a), keyOf(["x", a])], [LONG, LONG, `["x",${LONG}]`]);
});

test("an answer about such a node is kept and sent with all digits", async () => {
  const kept = new Map();
  const storage = {
    get length() { return kept.size; },
    key: (k) => [...kept.keys()][k],
    getItem: (name) => kept.get(name),
    setItem: (name, value) => kept.set(name, value),
    removeItem: (name) => kept.delete(name),
  };
  const options = { name: "p", storage, settle: () => {}, changed: () => {} };
  const before = new Outbox({ ...options, send: () => new Promise(() => {}) });
  before.put({ key: "k", path: "labels", body: { node: read(LONG), label: "a" } });
  before.close();
  const sent = await new Promise((resolve) => new Outbox({ ...options, send: async (item) => { resolve(write(item.body)); return { status: 200, json: {} }; } }).kick());
  assert.equal(sent, `{"node":${LONG},"label":"a"}`);
});

test("a notebook gets and gives them as text", async () => {
  let hear;
  const sent = [];
  const model = { on: (_, listener) => { hear = listener; }, off: () => {}, send: (message) => sent.push(JSON.parse(JSON.stringify(message))) };
  const transport = modelTransport(model);
  const reply = transport.request("POST", "/api/projects/p/labels", { node: BigInt(LONG) });
  assert.deepEqual([sent[0].text, sent[0].body], [`{"node":${LONG}}`, undefined]);
  hear({ id: sent[0].id, status: 200, text: `{"node":${LONG}}` });
  assert.deepEqual(await reply, { status: 200, json: { node: BigInt(LONG) } });
  transport.request("POST", "/x", { node: 7 }).catch(() => {});
  assert.deepEqual(sent[1].body, { node: 7 });
  hear({ id: sent[1].id, status: 200, json: null });
});
