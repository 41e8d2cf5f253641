// Who labelled how much, how fast and how much alike; what to settle; and the gold items.
import { useState } from "preact/hooks";
import { isAdmin } from "../core/app.js";
import { useReading } from "../core/reading.js";
import { ago, count, freshKey, keyOf, many, nameOf, percent, problemOf, seconds } from "../core/words.js";
import { html } from "../html.js";
import { Answers } from "../parts/answers.js";
import { Icon } from "../parts/icons.js";
import { Label } from "../parts/mark.js";
import { NodeSearch } from "../parts/search.js";
import { Empty, Failed, Loading } from "../parts/state.js";

export function People({ app }) {
  const { data, problem, again } = useReading(app, "people");
  if (problem && !data) return html`<h2>People</h2><${Failed} problem=${problem} again=${again} />`;
  if (!data) return html`<h2>People</h2><${Loading} text="Reading who did what…" />`;
  return html`
    <h2>People</h2>
    <div class="stack">
      <${Agreement} agreement=${data.agreement} />
      <section class="sheet" aria-labelledby="who">
        <h3 id="who">Who labelled</h3>
        ${data.people.length ? html`<${Table} people=${data.people} me=${app.state.me?.person} />` : html`<${Empty} title="Nobody yet">The first answer on the Label view begins this table.<//>`}
      </section>
      ${isAdmin(app.state) ? html`<${Disagreements} app=${app} /><${Gold} app=${app} />` : null}
    </div>
  `;
}

function inWords(alpha) {
  if (alpha >= 0.8) return "People agree well: the labels are reliable.";
  if (alpha >= 0.667) return "People agree moderately: enough for tentative conclusions.";
  return "People agree little: settle the disagreements below, or describe the classes more clearly.";
}

function Agreement({ agreement }) {
  const { alpha, nodes, pairs } = agreement ?? {};
  const known = alpha !== null && alpha !== undefined;
  return html`
    <section class="sheet agreement" aria-labelledby="agreement">
      <h3 id="agreement">Agreement</h3>
      ${known
        ? html`<p class="figure"><b>${alpha.toFixed(2)}</b><span>Krippendorff's alpha, over ${many(nodes, "node")} that several people labelled${pairs ? ` (${many(pairs, "pair")})` : ""}</span></p><p>${inWords(alpha)}</p>`
        : html`<p class="muted">Not known yet: it takes nodes that at least two people have labelled. Set an overlap of 2 in the settings to ask each node of two people.</p>`}
    </section>
  `;
}

function Table({ people, me }) {
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="Table of people">
      <table>
        <thead><tr><th scope="col">Person</th><th scope="col">Labels</th><th scope="col">Skipped</th><th scope="col">Undone</th><th scope="col">Median time</th><th scope="col">Gold right</th><th scope="col">Last</th></tr></thead>
        <tbody>
          ${people.map(
            (each) => html`
              <tr key=${each.person}>
                <th scope="row">${each.person}${each.person === me ? html` <span class="tag">you</span>` : null}${each.role === "admin" ? html` <span class="tag">admin</span>` : null}</th>
                <td>${count(each.labels)}</td><td>${count(each.skips)}</td><td>${count(each.undone)}</td><td>${seconds(each.seconds_median)}</td>
                <td>${each.gold?.seen ? `${each.gold.right} of ${each.gold.seen}` : "–"}</td><td>${each.last ? ago(each.last) : "–"}</td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}

function Disagreements({ app }) {
  const { data, problem, again } = useReading(app, "disagreements");
  const { classes } = app.state.project;
  const settle = async (node, label) => {
    const reply = await app.inProject("POST", "adjudications", { key: freshKey(), node, label });
    if (reply.status >= 300 || !reply.status) app.note(problemOf(reply).detail || problemOf(reply).title, "bad");
    again();
  };
  return html`
    <section class="sheet" aria-labelledby="settle">
      <h3 id="settle">Disagreements to settle</h3>
      ${problem ? html`<${Failed} problem=${problem} again=${again} />` : null}
      ${data && !data.nodes.length ? html`<p class="muted">None: where several people answered, they said the same.</p>` : null}
      ${data?.nodes.map(
        (each) => html`
          <article class="settle" key=${keyOf(each.node)}>
            <h4><button class="link" onClick=${() => app.openNode(each.node)}>${each.title || nameOf(each.node)}</button></h4>
            <ul class="votes">${each.votes.map((vote) => html`<li key=${vote.seq}><span class="muted">${vote.person}</span> <${Label} classes=${classes} label=${vote.label} /></li>`)}</ul>
            <${Answers} classes=${classes} name=${`Settle ${each.title || nameOf(each.node)} as`} onAnswer=${(label) => settle(each.node, label)} />
          </article>
        `,
      )}
    </section>
  `;
}

function Gold({ app }) {
  const { data, problem, again } = useReading(app, "gold");
  const [node, setNode] = useState(null);
  const { classes } = app.state.project;
  const items = data?.gold ?? [];
  const put = async (which, label) => {
    const reply = await app.inProject("POST", "gold", { key: freshKey(), node: which, label });
    if (reply.status >= 300 || !reply.status) app.note(problemOf(reply).detail || problemOf(reply).title, "bad");
    setNode(null);
    again();
  };
  return html`
    <section class="sheet" aria-labelledby="gold">
      <h3 id="gold">Gold items</h3>
      <p class="muted">Nodes whose label is known for sure. They are asked among the others, to see how often people are right.</p>
      ${problem ? html`<${Failed} problem=${problem} again=${again} />` : null}
      ${items.length
        ? html`<ul class="rows plain">
            ${items.map(
              (each) => html`
                <li key=${keyOf(each.node)}>
                  <button class="link row-title" onClick=${() => app.openNode(each.node)}>${each.title || nameOf(each.node)}</button>
                  <${Label} classes=${classes} label=${each.label} />
                  ${each.seen ? html`<span class="muted">${percent(each.right / each.seen)} right</span>` : null}
                  <button class="ghost small" aria-label=${`Remove the gold item ${each.title || nameOf(each.node)}`} onClick=${() => put(each.node, null)}><${Icon} name="close" /></button>
                </li>
              `,
            )}
          </ul>`
        : null}
      <h4>Add one</h4>
      ${node
        ? html`<p>${node.title || nameOf(node.node)} <button class="link" onClick=${() => setNode(null)}>another one</button></p><${Answers} classes=${classes} name="Its label" onAnswer=${(label) => put(node.node, label)} />`
        : html`<${NodeSearch} app=${app} name="Find the node" verb="Choose" onPick=${setNode} />`}
    </section>
  `;
}
