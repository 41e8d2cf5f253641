import { keysOf, MOST_KEYS } from "../core/keys.js";
import { nameOf } from "../core/words.js";
import { html } from "../html.js";
import { Dialog } from "../parts/dialog.js";
import { Mark } from "../parts/mark.js";

const row = (keys, words) => html`<tr><th scope="row">${keys.map((key) => html`<kbd>${key}</kbd> `)}</th><td>${words}</td></tr>`;

export function Help({ app }) {
  const { classes } = app.state.project;
  const keys = keysOf(classes);
  const long = classes.length > MOST_KEYS;
  return html`
    <${Dialog} title="Keys" onClose=${() => app.set({ help: false })}>
      <table class="keys">
        <caption class="hidden">What each key does while labelling</caption>
        <tbody>
          ${long
            ? row(["type", "Enter"], "finds the class by a part of its name, and labels with the one marked; arrows move the mark")
            : classes.map((label, code) => html`<tr key=${code}><th scope="row"><kbd>${keys[code]}</kbd></th><td><${Mark} code=${code} /> ${nameOf(label)}</td></tr>`)}
          ${long ? row(["Esc"], "leaves the field, so that the keys below work") : row(["/"], "finds a class by a part of its name")}
          ${row(["u"], "takes the last answer back, as often as you like, also after a reload")}
          ${row(["s"], "skips: not asked again, and no label")}
          ${row(["Shift", "s"], "skips, and asks you why")}
          ${row(["?"], "shows this")}
          ${row(["Esc"], "closes this")}
        </tbody>
      </table>
      <p class="muted">On the map the arrow keys move, <kbd>+</kbd> and <kbd>-</kbd> zoom, <kbd>0</kbd> shows all.</p>
    <//>
  `;
}
