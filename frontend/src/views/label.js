// The desk: one question, one key, the next question.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { addressOf } from "../core/address.js";
import { isAdmin } from "../core/app.js";
import { classOfKey, isForPage, MOST_KEYS } from "../core/keys.js";
import { keyOf, nameOf, sentence, titleOf } from "../core/words.js";
import { html } from "../html.js";
import { Answers } from "../parts/answers.js";
import { Because, Content, Neighbours, Opinion } from "../parts/card.js";
import { Gauge } from "../parts/gauge.js";
import { Neighbourhood } from "../parts/neighbourhood.js";
import { Failed, Loading } from "../parts/state.js";
import { SkipReason } from "../parts/skipping.js";
import { Finished, NothingNow } from "../parts/finished.js";

const ASKED = { query: "Question", audit: "Random check", stream: "Just arrived", again: "Again" };

export function LabelDesk({ app, root }) {
  const { progress } = app.state;
  const { desk } = app;
  const [finding, setFinding] = useState(false);
  const question = desk.state.queue[0] ?? null;

  useLayoutEffect(() => {
    const press = (event) => {
      if (!isForPage(event) || app.state.node || app.state.help || desk.state.skipping) return;
      if (deskKey(app, event.key, setFinding)) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    const target = app.options.page ? document : root;
    target.addEventListener("keydown", press);
    return () => target.removeEventListener("keydown", press);
  }, [app, root]);
  useEffect(() => setFinding(false), [question && (question.lease || keyOf(question.node))]);

  return html`
    <h2 class="hidden">Label</h2>
    <div class="desk" tabindex=${app.options.page ? null : "0"}>
      <div class="desk-main">
        ${question ? html`<${Question} app=${app} question=${question} finding=${finding} leave=${() => setFinding(false)} />` : html`<${NoQuestion} app=${app} /><${Aside} app=${app} />`}
      </div>
      <aside class="desk-side" aria-label="Progress and neighbourhood">
        <${Gauge} progress=${progress} onGoal=${app.options.page && isAdmin(app.state) ? () => (location.hash = addressOf(app.state.project.id, "settings")) : null} />
        ${question ? html`<${Around} app=${app} question=${question} />` : null}
      </aside>
    </div>
    ${desk.state.skipping ? html`<${SkipReason} desk=${desk} title=${question ? titleOf(question.card) : ""} />` : null}
  `;
}

// Do what a key means on the desk; false for a key that means nothing.
function deskKey(app, key, setFinding) {
  const { classes } = app.state.project;
  const { desk } = app;
  const code = classOfKey(key, classes);
  if (code >= 0) desk.label(classes[code]);
  else if (key === "u") desk.undo();
  else if (key === "s") desk.skip();
  else if (key === "S") desk.state.queue.length && desk.set({ skipping: true });
  else if (key === "?") app.set({ help: true });
  else if (key === "/" && classes.length <= MOST_KEYS) setFinding(true);
  else return false;
  return true;
}

function Question({ app, question, finding, leave }) {
  const { classes } = app.state.project;
  const { desk } = app;
  const { card } = question;
  const check = question.asked === "audit";
  const id = question.lease || keyOf(question.node);
  return html`
    <article class="sheet question" aria-labelledby="question-title" key=${id}>
      <p class="asked">
        <span class=${`tag ${check ? "check" : ""}`}>${check && question.audit !== null ? `Random check ${question.audit}` : (ASKED[question.asked] ?? "Question")}</span>
        <span class="node-name">${nameOf(card.node)}</span>
      </p>
      <h2 id="question-title">${titleOf(card)}</h2>
      <${Content} card=${card} />
      <div class="reasons">
        <section>
          <h3>Why this one</h3>
          <p>${sentence(question.why)}</p>
        </section>
        <section>
          <h3>The learner thinks</h3>
          <${Opinion} card=${card} classes=${classes} hidden=${check} />
          ${check ? null : html`<${Because} card=${card} classes=${classes} onNode=${(node) => app.openNode(node)} />`}
        </section>
      </div>
    </article>
    <div class="sheet answer-bar">
      <${Answers} classes=${classes} onAnswer=${(label) => desk.label(label)} filter=${finding} focusOn=${finding || classes.length > MOST_KEYS ? id : undefined} onLeave=${leave} />
      <div class="desk-actions">
        <button class="ghost" aria-keyshortcuts="s" onClick=${() => desk.skip()}><kbd aria-hidden="true">s</kbd> Skip</button>
        <button class="ghost" aria-keyshortcuts="Shift+S" onClick=${() => desk.set({ skipping: true })}><kbd aria-hidden="true">⇧ s</kbd> Skip and say why</button>
        <button class="ghost" aria-keyshortcuts="u" onClick=${() => desk.undo()}><kbd aria-hidden="true">u</kbd> Undo</button>
        <button class="ghost" aria-keyshortcuts="?" onClick=${() => app.set({ help: true })}><kbd aria-hidden="true">?</kbd> Keys</button>
        <${LastLine} app=${app} />
      </div>
    </div>
    <p class="hidden" role="status" aria-live="polite" aria-atomic="true">${`${ASKED[question.asked] ?? "Question"}: ${titleOf(card)}. ${sentence(question.why)}`}</p>
  `;
}

function Around({ app, question }) {
  const { classes } = app.state.project;
  const { card } = question;
  const [hovered, setHovered] = useState(-1);
  const [edges, setEdges] = useState({ key: "", pairs: [] });
  const key = keyOf(card.node);
  const open = (node) => app.openNode(node);
  useEffect(() => {
    let gone = false;
    app.inProject("GET", `neighbourhood?node=${encodeURIComponent(key)}&hops=1`).then((reply) => {
      if (!gone && reply.status === 200) setEdges({ key, pairs: pairsOf(reply.json) });
    });
    return () => {
      gone = true;
    };
  }, [key]);
  return html`
    <section class="sheet around" aria-labelledby="around-title">
      <h2 id="around-title">Neighbourhood</h2>
      <${Neighbourhood} card=${card} classes=${classes} hidden=${question.asked === "audit"} hovered=${hovered} edges=${edges.key === key ? edges.pairs : []} onNode=${open} />
      <${Neighbours} card=${card} classes=${classes} hidden=${question.asked === "audit"} onNode=${open} onHover=${setHovered} />
    </section>
  `;
}

// The links between neighbours, by the nodes' keys; those of the centre are drawn from the card.
function pairsOf({ ids, edges }) {
  const pairs = [];
  for (let k = 0; k + 1 < edges.length; k += 2) if (edges[k] && edges[k + 1]) pairs.push([keyOf(ids[edges[k]]), keyOf(ids[edges[k + 1]])]);
  return pairs;
}

function NoQuestion({ app }) {
  const { desk } = app;
  const { fetching, problem, empty, line, waiting } = desk.state;
  if (line === "offline") {
    const kept = waiting === 1 ? "One answer is" : `${waiting} answers are`;
    return html`
      <div class="sheet state">
        <h3>You are offline</h3>
        <p class="muted">${waiting ? `${kept} kept in this browser and will be sent when the line is back.` : "The next question comes when the line is back."}</p>
        <button class="button" onClick=${() => desk.wake()}>Try again</button>
      </div>
    `;
  }
  if (problem && !fetching) return html`<${Failed} problem=${problem} again=${() => desk.fill()} />`;
  if (empty) return ["finished", "reached"].includes(app.state.progress?.stage) ? html`<${Finished} app=${app} />` : html`<${NothingNow} app=${app} />`;
  return html`<div class="sheet question waiting"><${Loading} text="The next question is on its way…" /></div>`;
}

// Undo stays at hand when there is no question.
const Aside = ({ app }) => html`
  <div class="desk-actions">
    <button class="ghost" aria-keyshortcuts="u" onClick=${() => app.desk.undo()}><kbd aria-hidden="true">u</kbd> Undo</button><${LastLine} app=${app} />
  </div>
`;

function LastLine({ app }) {
  const { last, waiting, undoing, line } = app.desk.state;
  const newest = app.desk.outbox.items.at(-1);
  let words = "";
  if (undoing) words = "Taking back…";
  else if (waiting && newest) words = html`${line === "ok" ? "Sending" : "Waiting"}: ${newest.title} ${newest.label !== null ? html`→ <b>${nameOf(newest.label)}</b>` : "(skipped)"}`;
  else if (last) words = html`Saved #${last.seq}: ${last.title} ${last.label !== null ? html`→ <b>${nameOf(last.label)}</b>` : "(skipped)"}`;
  return html`<p class="last-line">${words}</p>`;
}
