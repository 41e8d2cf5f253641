import { html } from "../html.js";
import { Icon } from "./icons.js";

// Short notes at the edge of the page; they go by themselves.
export const Notes = ({ app }) => html`
  <div class="notes" role="log" aria-live="polite" aria-label="Notes">
    ${app.state.notes.map(
      (note) => html`
        <div class=${`note ${note.kind}`} key=${note.id}>
          <p>${note.text}</p>
          ${note.action ? html`<button class="link" onClick=${() => act(app, note)}>${note.action.text}</button>` : null}
          <button class="ghost small" aria-label="Dismiss this note" onClick=${() => app.unnote(note.id)}><${Icon} name="close" /></button>
        </div>
      `,
    )}
  </div>
`;

function act(app, note) {
  app.unnote(note.id);
  note.action.run();
}
