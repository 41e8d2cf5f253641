// What the colours mean; a class in the legend can be singled out on the map.
import { count, nameOf } from "../core/words.js";
import { html } from "../html.js";
import { Mark } from "../parts/mark.js";

export function Legend({ data, mode, only, setOnly }) {
  if (mode === "confidence" || mode === "wanted") {
    const [low, high] = mode === "confidence" ? ["unsure", "sure, or labelled"] : ["not soon", "asked next"];
    return html`<div class="legend ramp"><span>${low}</span><span class="ramp-bar" aria-hidden="true"></span><span>${high}</span></div>`;
  }
  const tally = new Map();
  data.ids.forEach((_, k) => {
    const code = data.label[k] >= 0 || mode === "label" ? data.label[k] : data.prediction[k];
    tally.set(code, (tally.get(code) ?? 0) + 1);
  });
  const entries = data.classes.map((label, code) => [code, nameOf(label)]);
  if (tally.get(-1)) entries.push([-1, mode === "label" ? "no label" : "not reached"]);
  return html`
    <ul class="legend" aria-label="Classes on the map">
      ${entries.map(
        ([code, name]) => html`
          <li key=${code}>
            <button class=${only === code ? "chosen" : ""} aria-pressed=${only === code} title=${`Show only ${name}`} onClick=${() => setOnly(only === code ? null : code)}>
              <${Mark} code=${code} />${name}<span class="muted">${count(tally.get(code) ?? 0)}</span>
            </button>
          </li>
        `,
      )}
    </ul>
  `;
}
