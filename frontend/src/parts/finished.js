import { addressOf } from "../core/address.js";
import { count } from "../core/words.js";
import { html } from "../html.js";
import { Icon } from "./icons.js";

export function Finished({ app }) {
  const { progress, project } = app.state;
  const reached = progress.stage === "reached";
  return html`
    <div class="sheet state finished">
      <span class="round"><${Icon} name="check" /></span>
      <h3>${reached ? "The goal is reached: you may stop" : "Every node has its answer"}</h3>
      <p class="muted">${count(progress.labels)} labels${progress.skipped ? `, ${count(progress.skipped)} skipped` : ""}. Thank you.${reached ? " A lower goal in the settings goes on from here." : ""}</p>
      ${app.options.page ? html`<a class="button main" href=${addressOf(project.id, "history")}>Export the labels</a>` : null}
    </div>
  `;
}

export const NothingNow = ({ app }) => html`
  <div class="sheet state">
    <h3>Nothing to ask right now</h3>
    <p class="muted">The questions that are left are with other people, or wait for something to happen. This page asks again by itself.</p>
    <button class="button" onClick=${() => app.desk.fill()}>Ask now</button>
  </div>
`;
