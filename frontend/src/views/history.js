// What happened, newest first, with an undo for one's own; and the ways to take the labels away.
import { useCallback, useEffect, useState } from "preact/hooks";
import { ago, many, nameOf, problemOf } from "../core/words.js";
import { html } from "../html.js";
import { Label } from "../parts/mark.js";
import { Exports } from "../parts/exports.js";
import { Empty, Failed, Loading } from "../parts/state.js";

const PAGE = 50;
const UNDOABLE = new Set(["labelled", "many-labelled", "skipped", "adjudicated"]);
const QUIET = new Set(["leased", "released"]);

export function History({ app }) {
  const [state, setState] = useState({ events: null, from: 0, problem: null });
  const [mine, setMine] = useState(false);
  const me = app.state.me?.person;
  const read = useCallback(
    async (before = null) => {
      const who = mine && me ? `&person=${encodeURIComponent(me)}` : "";
      const end = before ?? (await lastSeq(app)) + 1;
      const from = Math.max(0, end - (who ? 10 * PAGE : PAGE));
      const reply = await app.inProject("GET", `history?after=${from - 1}&limit=${end - from}${who}`);
      if (reply.status !== 200) return setState((now) => ({ ...now, problem: problemOf(reply) }));
      const fresh = reply.json.events.filter((event) => event.seq < end).reverse();
      setState((now) => ({ events: before === null ? fresh : [...now.events, ...fresh], from, problem: null }));
    },
    [app, mine, me],
  );
  useEffect(() => {
    read();
  }, [read, app.state.changes]);
  const { events, from, problem } = state;
  const shown = events?.filter((event) => !QUIET.has(event.kind));
  return html`
    <h2>History and export</h2>
    <div class="stack">
      ${app.options.page ? html`<${Exports} app=${app} />` : null}
      <section class="sheet" aria-labelledby="events">
        <div class="title-row"><h3 id="events">Events</h3><label class="choice"><input type="checkbox" checked=${mine} onChange=${(event) => setMine(event.target.checked)} /> only mine</label></div>
        ${problem ? html`<${Failed} problem=${problem} again=${() => read()} />` : null}
        ${!events && !problem ? html`<${Loading} text="Reading the log…" />` : null}
        ${shown && !shown.length ? html`<${Empty} title="Nothing here yet" />` : null}
        ${shown?.length ? html`<ol class="events">${shown.map((event) => html`<${Row} key=${event.seq} app=${app} event=${event} />`)}</ol>` : null}
        ${events && from > 0 ? html`<button class="button" onClick=${() => read(from)}>Older</button>` : null}
      </section>
    </div>
  `;
}

async function lastSeq(app) {
  const reply = await app.inProject("GET", "");
  return reply.status === 200 ? reply.json.seq : (app.state.project.seq ?? 0);
}

function Row({ app, event }) {
  const { classes } = app.state.project;
  const mayUndo = UNDOABLE.has(event.kind) && !event.undone && event.actor === app.state.me?.person;
  return html`
    <li class=${event.undone ? "undone" : ""}>
      <span class="seq">#${event.seq}</span>
      <span class="what">${wordsOf(event, classes, app)}${event.undone ? html` <span class="tag">taken back</span>` : null}</span>
      <span class="who">${event.actor || "the server"}</span>
      <time datetime=${event.time} title=${event.time}>${ago(event.time)}</time>
      <span class="do">${mayUndo ? html`<button class="link" aria-label=${`Undo event ${event.seq}`} onClick=${() => app.desk.undo(event.seq)}>Undo</button>` : null}</span>
    </li>
  `;
}

function wordsOf({ kind, payload }, classes, app) {
  const node = payload.node !== undefined ? html`<button class="link" onClick=${() => app.openNode(payload.node)}>${nameOf(payload.node)}</button>` : null;
  const label = payload.label !== undefined && payload.label !== null ? html`<${Label} classes=${classes} label=${payload.label} />` : null;
  switch (kind) {
    case "labelled": return label ? html`${node} is ${label}` : html`${node} labelled`;
    case "many-labelled": return html`${many((payload.nodes ?? []).length, "node")} at once: ${label}`;
    case "skipped": return html`${node} skipped${payload.reason ? `: ${payload.reason}` : ""}`;
    case "undone": return html`took back #${payload.seq ?? payload.undone ?? "?"}`;
    case "adjudicated": return html`${node} settled as ${label}`;
    case "gold-set": return label ? html`gold item ${node}: ${label}` : html`gold item ${node} removed`;
    case "configured": return html`settings: ${Object.entries(payload.changes ?? payload).map(([name, value]) => `${name} = ${nameOf(value)}`).join(", ")}`;
    case "classes-added": return html`classes added: ${(payload.classes ?? []).map(nameOf).join(", ")}`;
    case "class-removed": return html`class removed: ${nameOf(payload.label)}`;
    case "grown": return html`graph grew by ${many((payload.nodes ?? []).length, "node")} and ${many((payload.edges ?? []).length, "link")}`;
    case "imported": return html`${many(lengthOf(payload.labels), "label")} imported${payload.source ? ` from ${payload.source}` : ""}`;
    case "audit-begun": return html`random checks began`;
    case "audit-ended": return html`random checks ended`;
    case "arrived": return html`${node} arrived`;
    case "opened": return html`project opened`;
    default: return html`${kind} ${node}`;
  }
}

const lengthOf = (labels) => (Array.isArray(labels) ? labels.length : Object.keys(labels ?? {}).length);
