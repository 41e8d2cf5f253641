// The notebook's way to the server: messages over the model of a widget. A request is {id, method, path, body}, its
// answer {id, status, json}; live events come as {event}. What holds whole numbers that JavaScript would round goes as
// `text`, which is JSON, in place of `body` or `json`.
import { read, write } from "../core/exact.js";

const PATIENCE = 60000;

export function modelTransport(model) {
  const open = new Map();
  const listeners = new Set();
  let number = 0;

  const hear = (message) => {
    if (message && message.event) for (const listener of listeners) listener(message.event);
    const waiting = message && open.get(message.id);
    if (!waiting) return;
    open.delete(message.id);
    clearTimeout(waiting.timer);
    waiting.resolve({ status: message.status, json: message.text === undefined ? (message.json ?? null) : read(message.text) });
  };
  model.on("msg:custom", hear);

  return {
    request(method, path, body) {
      const id = `r${++number}-${Math.random().toString(36).slice(2)}`;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          open.delete(id);
          reject(new Error("the notebook's kernel does not answer"));
        }, PATIENCE);
        open.set(id, { resolve, timer });
        model.send({ id, method, path, ...bodyOf(body ?? null) });
      });
    },
    events(after, onEvent, onState) {
      listeners.add(onEvent);
      onState("live");
      return () => listeners.delete(onEvent);
    },
    close() {
      model.off("msg:custom", hear);
    },
  };
}

function bodyOf(body) {
  try {
    JSON.stringify(body); // Which refuses a BigInt.
    return { body };
  } catch {
    return { text: write(body) };
  }
}
