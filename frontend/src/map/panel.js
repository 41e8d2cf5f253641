// Beside the map: find nodes, see what is selected, and label it at once.
import { useState } from "preact/hooks";
import { count, keyOf, many, nameOf } from "../core/words.js";
import { html } from "../html.js";
import { Answers } from "../parts/answers.js";
import { Icon } from "../parts/icons.js";
import { codeOf, Mark } from "../parts/mark.js";
import { NodeSearch } from "../parts/search.js";

const MOST_LISTED = 60;

export function Panel({ app, data, selection, setSelection, grow, label, show, setLasso }) {
  const { classes } = app.state.project;
  const [overwrite, setOverwrite] = useState(false);
  const items = selection.list();
  const labelled = items.filter((item) => item.label !== null && item.label !== undefined).length;
  const meant = overwrite ? items : items.filter((item) => item.label === null || item.label === undefined);
  const add = (item) => {
    setSelection(selection.with([{ node: item.node, title: item.title, label: item.label ?? null }]));
    const at = data?.ids.findIndex((id) => keyOf(id) === keyOf(item.node)) ?? -1;
    if (at >= 0) app.scene?.centre(at);
  };
  return html`
    <aside class="map-side" aria-label="Selection">
      <section class="sheet">
        <${NodeSearch} app=${app} name="Find nodes" verb="Select" onPick=${add} />
      </section>
      <section class="sheet" aria-labelledby="selected">
        <h3 id="selected" aria-live="polite">${selection.size ? `${count(selection.size)} selected` : "Nothing selected"}</h3>
        ${selection.size
          ? html`
              <div class="buttons">
                <button class="button tiny" onClick=${grow}>Add their neighbours</button>
                ${items.length === 1 ? html`<button class="button tiny" onClick=${() => show(items[0])}>Show around it</button>` : null}
                <button class="button tiny" onClick=${() => setSelection(new selection.constructor())}>Clear</button>
              </div>
              ${labelled
                ? html`<label class="choice"><input type="checkbox" checked=${overwrite} onChange=${(event) => setOverwrite(event.target.checked)} /> also the ${many(labelled, "node")} that ${labelled === 1 ? "has" : "have"} a label</label>`
                : null}
              <h4>${meant.length ? `Label ${meant.length === 1 ? "it" : `all ${count(meant.length)} at once`}` : "All of these have a label"}</h4>
              <${Answers} classes=${classes} disabled=${!meant.length} name="Label the selection" onAnswer=${(chosen) => label(meant.map((item) => item.node), chosen)} />
              <p class="muted small">One event, one undo (<kbd>u</kbd>).</p>
              <ul class="rows plain chosen-nodes">
                ${items.slice(0, MOST_LISTED).map(
                  (item) => html`
                    <li key=${keyOf(item.node)}>
                      <${Mark} code=${codeOf(classes, item.label)} />
                      <button class="link row-title" onClick=${() => app.openNode(item.node)}>${item.title || nameOf(item.node)}</button>
                      <button class="ghost small" aria-label=${`Take ${item.title || nameOf(item.node)} out of the selection`} onClick=${() => setSelection(selection.without(item.node))}><${Icon} name="close" /></button>
                    </li>
                  `,
                )}
              </ul>
              ${items.length > MOST_LISTED ? html`<p class="muted small">and ${count(items.length - MOST_LISTED)} more</p>` : null}
            `
          : html`<p class="muted">Draw a line around nodes with the <button class="link" onClick=${() => setLasso(true)}>lasso</button>, or find some by name and select them. Clicking a node opens it.</p>`}
      </section>
    </aside>
  `;
}
