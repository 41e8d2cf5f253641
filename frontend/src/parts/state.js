// What a view shows when it has nothing to show yet, nothing at all, or nothing because something failed.
import { html } from "../html.js";

export const Loading = ({ text }) => html`<div class="state" role="status"><span class="spinner" aria-hidden="true"></span><p>${text}</p></div>`;

export const Empty = ({ title, children }) => html`
  <div class="state"><h3>${title}</h3>${children ? html`<div class="muted">${children}</div>` : null}</div>
`;

export const Failed = ({ problem, again }) => html`
  <div class="state failed" role="alert">
    <h3>${problem.title}</h3>
    ${problem.detail ? html`<p>${problem.detail}</p>` : null}
    ${problem.remedy ? html`<p class="muted">${problem.remedy}</p>` : null}
    ${again ? html`<button class="button" onClick=${again}>Try again</button>` : null}
  </div>
`;
