// Links to every export, and, for admins, a way to bring labels in.
import { useState } from "preact/hooks";
import { isAdmin } from "../core/app.js";
import { problemOf } from "../core/words.js";
import { html } from "../html.js";
import { Icon } from "./icons.js";

const WHAT = [
  ["labels", "Labels", "one row per node, with who and when", ["csv", "json", "parquet", "label-studio"]],
  ["votes", "Votes", "every answer of every person", ["csv", "json", "parquet"]],
  ["predictions", "Predictions", "what the learner says of every node", ["csv", "json", "parquet"]],
  ["events", "Events", "the whole log", ["csv", "json", "parquet"]],
];
const FOR_ADMINS = new Set(["votes", "events"]); // They say what each person answered.
const FORMATS = { csv: "CSV", json: "JSON", parquet: "Parquet", "label-studio": "Label Studio" };

export function Exports({ app }) {
  return html`
    <section class="sheet" aria-labelledby="export">
      <h3 id="export">Export</h3>
      <ul class="exports">
        ${WHAT.filter(([what]) => isAdmin(app.state) || !FOR_ADMINS.has(what)).map(
          ([what, title, words, formats]) => html`
            <li key=${what}>
              <span><b>${title}</b> <span class="muted">${words}</span></span>
              <span class="formats">
                ${formats.map(
                  (format) => html`<a key=${format} class="button tiny" href=${app.path(`export?what=${what}&format=${format}`)} download aria-label=${`${title} as ${FORMATS[format]}`}><${Icon} name="download" />${FORMATS[format]}</a>`,
                )}
              </span>
            </li>
          `,
        )}
      </ul>
      ${isAdmin(app.state) ? html`<${Import} app=${app} />` : null}
    </section>
  `;
}

function Import({ app }) {
  const [busy, setBusy] = useState(false);
  const take = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    const format = file.name.toLowerCase().endsWith(".csv") ? "csv" : "label-studio";
    setBusy(true);
    const reply = await app.inProject("POST", `import?format=${format}`, file);
    setBusy(false);
    const { title, detail, remedy } = problemOf(reply);
    if (reply.status >= 200 && reply.status < 300) app.note(`The labels of ${file.name} are in.`, "ok");
    else app.note([detail || title, remedy].filter(Boolean).join(" "), "bad");
  };
  return html`
    <p class="import">
      <label class="button tiny file">${busy ? "Reading…" : "Import labels"}<input class="hidden" type="file" accept=".csv,.json" disabled=${busy} onChange=${take} /></label>
      <span class="muted">a CSV file with the columns node and label, or a JSON file of Label Studio</span>
    </p>
  `;
}
