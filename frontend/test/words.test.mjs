import assert from "node:assert/strict";
import { test } from "node:test";
import { classOfKey, keysOf, matching, MOST_KEYS } from "../src/core/keys.js";
import { percent, seconds } from "../src/core/words.js";
import { inside } from "../src/map/lasso.js";
import { beside } from "../src/map/selection.js";

const classes = (number) => Array.from({ length: number }, (_, k) => `class ${k}`);

test("every class up to thirty has a key of its own, and none of them means skip or undo", () => {
  const keys = keysOf(classes(MOST_KEYS));
  assert.equal(new Set(keys).size, MOST_KEYS);
  assert.ok(!keys.includes("s") && !keys.includes("u"));
  assert.deepEqual(keys.slice(0, 10), [..."123456789a"]);
  keys.forEach((key, k) => assert.equal(classOfKey(key, classes(MOST_KEYS)), k));
});

test("a key of no class means none", () => {
  assert.equal(classOfKey("4", classes(3)), -1);
  assert.equal(classOfKey("1", classes(31)), -1);
});

test("a part of a name finds it, those that begin with it first", () => {
  assert.deepEqual(matching(["red owl", "owl", "fox"], "OWL"), [1, 0]);
});

test("shares and times in words", () => {
  assert.equal(percent(0.062), "6.2 %");
  assert.equal(percent(0.05), "5 %");
  assert.equal(percent(0.241), "24 %");
  assert.equal(percent(0), "0 %");
  assert.equal(percent(0.0001), "< 0.1 %");
  assert.equal(percent(null), "–");
  assert.equal(seconds(2.44), "2.4 s");
});

test("a lasso holds what is inside it, also where it bends inwards", () => {
  const line = [{ x: 0, y: 0 }, { x: 10, y: 0 }, { x: 10, y: 10 }, { x: 5, y: 2 }, { x: 0, y: 10 }];
  assert.ok(inside({ x: 1, y: 5 }, line));
  assert.ok(inside({ x: 9, y: 5 }, line));
  assert.ok(!inside({ x: 5, y: 8 }, line));
});

test("neighbours along the drawn edges, without the selection itself", () => {
  assert.deepEqual(beside({ edges: [0, 1, 1, 2, 3, 4] }, new Set([1, 2])), [0]);
});
