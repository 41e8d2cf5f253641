import { html } from "../html.js";

// Whether what was said is safe: drawn as saved only after the server confirmed it.
export function savedWords({ waiting, line, last }) {
  if (line === "offline") return waiting ? ["off", `Offline: ${waiting} waiting`] : ["off", "Offline"];
  if (line === "refused") return ["off", `Not saved yet: ${waiting} waiting`];
  if (line === "locked") return ["off", `Log in again: ${waiting} waiting`];
  if (waiting) return ["busy", "Saving…"];
  return ["safe", last ? `Saved #${last.seq}` : "Saved"];
}

export function SavedState({ app }) {
  const { live } = app.state;
  if (!app.desk) return null;
  const [kind, words] = savedWords(app.desk.state);
  return html`
    <span class=${`saved ${kind}`} role="status" aria-live="polite" title=${live === "live" ? "Live: what others do appears here" : ""}>
      <span class="dot" aria-hidden="true"></span>${words}
    </span>
  `;
}
