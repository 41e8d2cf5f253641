import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { Logo } from "../parts/icons.js";

export function Login({ app }) {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const field = useRef(null);
  const waiting = app.desk?.state.waiting ?? 0;
  useEffect(() => field.current?.focus(), []);

  const submit = async (event) => {
    event.preventDefault();
    if (!token.trim()) return;
    setBusy(true);
    const refused = await app.login(token.trim());
    setBusy(false);
    setProblem(refused);
  };
  return html`
    <form class="sheet login" onSubmit=${submit}>
      <div class="brand"><${Logo} /><h1>Ohmline</h1></div>
      <p class="muted">Paste the token that you were given. The person who started the server makes one with <code>ohmline people add</code>.</p>
      <label for="token">Token</label>
      <input id="token" ref=${field} type="password" autocomplete="current-password" spellcheck=${false} value=${token} onInput=${(event) => setToken(event.target.value)} aria-describedby="token-problem" />
      <p id="token-problem" class="bad" role="alert">${problem ? problem.detail || problem.title : ""}</p>
      ${waiting ? html`<p class="muted">${waiting === 1 ? "One answer is" : `${waiting} answers are`} kept in this browser and will be sent when you are back.</p>` : null}
      <button class="button main" disabled=${busy}>${busy ? "Logging in…" : "Log in"}</button>
    </form>
  `;
}
