import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { Dialog } from "./dialog.js";

export function SkipReason({ desk, title }) {
  const [reason, setReason] = useState("");
  const field = useRef(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event) => {
    event.preventDefault();
    desk.skip(reason.trim());
  };
  return html`
    <${Dialog} title="Skip, and say why" onClose=${() => desk.set({ skipping: false })}>
      <form onSubmit=${submit}>
        <label for="reason">Why can “${title}” not be labelled? (optional)</label>
        <input id="reason" ref=${field} maxlength="500" value=${reason} onInput=${(event) => setReason(event.target.value)} />
        <div class="buttons"><button class="button main">Skip</button><button type="button" class="button" onClick=${() => desk.set({ skipping: false })}>Go back</button></div>
      </form>
    <//>
  `;
}
