// The page's way to the server: fetch and EventSource, with the cookie that the login sets.
import { read, write } from "../core/exact.js";

const KINDS = [
  "opened", "imported", "classes-added", "class-removed", "grown", "leased", "released", "labelled", "many-labelled",
  "skipped", "undone", "adjudicated", "gold-set", "configured", "arrived", "audit-begun", "audit-ended",
];
const PATIENCE = 20000;
const REOPEN = 3000;

export function httpTransport() {
  return { request, events };
}

async function request(method, path, body) {
  const raw = typeof body === "string" || body instanceof Blob;
  const headers = { Accept: "application/json", "X-Ohmline": "1" };
  if (body !== undefined && !raw) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, {
    method,
    headers,
    body: body === undefined || raw ? body : write(body),
    credentials: "same-origin",
    cache: "no-store",
    signal: AbortSignal.timeout(PATIENCE),
  });
  const text = await answer.text();
  let json = null;
  try {
    json = text ? read(text) : null;
  } catch {
    // A proxy's page, say: the status tells enough.
  }
  return { status: answer.status, json };
}

// Listen from sequence number `after` on. The browser reconnects by itself and names the last event that it saw; where
// it gives up (the server said no), this opens anew.
function events(after, onEvent, onState, path) {
  let last = after;
  let source = null;
  let timer = null;
  let closed = false;

  const open = () => {
    onState("connecting");
    source = new EventSource(`${path}?after=${last}`);
    source.onopen = () => onState("live");
    source.onerror = () => {
      onState("lost");
      if (source.readyState === EventSource.CLOSED && !closed) timer = setTimeout(open, REOPEN);
    };
    for (const kind of ["message", ...KINDS]) source.addEventListener(kind, take);
  };
  const take = (message) => {
    let event;
    try {
      event = read(message.data);
    } catch {
      return;
    }
    if (typeof event.seq === "number") {
      if (event.seq <= last) return;
      last = event.seq;
    }
    onEvent(event);
  };
  open();
  return () => {
    closed = true;
    clearTimeout(timer);
    source.close();
  };
}
