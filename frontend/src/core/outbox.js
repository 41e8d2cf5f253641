// What a person has said and the server has not confirmed yet. It is kept in the browser until it is confirmed, and sent
// in order, each with a key of its own, so that sending it twice cannot count it twice.
import { read, write } from "./exact.js";

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;
const LATER = new Set([0, 408, 425, 429, 500, 502, 503, 504]);
const BUSY = new Set([429, 500, 503]); // The server is there, and cannot take it now.
const MOST_FAILURES = 5; // So often the server may fail on an answer before it is given up.

export class Outbox {
  // `send(item)` gives a promise of {status, json}; `settle(item, reply)` takes what the server said in the end.
  constructor({ name, storage, send, settle, changed }) {
    Object.assign(this, { prefix: `ohmline:waiting:${name}:`, storage, send, settle, changed });
    this.items = this.kept();
    this.line = "ok"; // or "offline", "refused" (the server cannot write), "locked" (not logged in)
    this.wait = FIRST_WAIT;
    this.timer = null;
    this.busy = false;
    this.closed = false;
  }

  kept() {
    const items = [];
    for (let k = 0; k < (this.storage?.length ?? 0); k++) {
      const name = this.storage.key(k);
      if (!name.startsWith(this.prefix)) continue;
      try {
        items.push({ ...read(this.storage.getItem(name)), tried: true });
      } catch {
        this.storage.removeItem(name); // Not written by this page.
      }
    }
    return items.sort((a, b) => a.order - b.order);
  }

  put(item) {
    const order = Math.max(Date.now(), (this.items.at(-1)?.order ?? 0) + 1);
    const full = { ...item, order, tried: false };
    this.items.push(full);
    const { question, ...plain } = full; // The question can be asked for again; the answer cannot.
    try {
      this.storage?.setItem(this.prefix + full.key, write(plain));
    } catch {
      // A browser that keeps nothing still sends.
    }
    this.changed();
    this.pump();
    return full;
  }

  // The last item, if it was never sent: taken back without the server. Otherwise null.
  takeBack() {
    const item = this.items.at(-1);
    if (!item || item.tried) return null;
    this.drop(item);
    this.changed();
    return item;
  }

  drop(item) {
    this.items = this.items.filter((each) => each !== item);
    try {
      this.storage?.removeItem(this.prefix + item.key);
    } catch {
      // As above.
    }
  }

  // Try now, because there is a sign that the line is back.
  kick() {
    if (this.closed) return;
    clearTimeout(this.timer);
    this.wait = FIRST_WAIT;
    this.pump();
  }

  async pump() {
    if (this.busy || this.closed) return;
    this.busy = true;
    try {
      while (this.items.length && !this.closed) {
        const item = this.items[0];
        item.tried = true;
        const reply = await this.send(item);
        if (this.closed) return;
        if (reply.status === 401) {
          this.mark("locked");
          return;
        }
        item.failures = (item.failures ?? 0) + (reply.status === 500 ? 1 : 0);
        if (LATER.has(reply.status) && item.failures < MOST_FAILURES) {
          this.mark(BUSY.has(reply.status) ? "refused" : "offline");
          this.later();
          return;
        }
        this.wait = FIRST_WAIT;
        this.line = "ok";
        this.drop(item);
        await this.settle(item, reply);
        this.changed();
      }
    } finally {
      this.busy = false;
    }
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.pump(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  mark(line) {
    if (this.line === line) return;
    this.line = line;
    this.changed();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
  }
}
