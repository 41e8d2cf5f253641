// What an admin may change while people label.
import { useState } from "preact/hooks";
import { nameOf, percent, problemOf } from "../core/words.js";
import { html } from "../html.js";
import { Icon } from "../parts/icons.js";
import { Mark } from "../parts/mark.js";

const FIELDS = [
  { name: "goal", title: "Goal", words: "At most this share of the predictions may be wrong, in per cent. Empty: no goal.", share: true, empty: true },
  { name: "confidence", title: "Confidence", words: "With this probability the limit holds, in per cent.", share: true },
  { name: "overlap", title: "Overlap", words: "How many people answer each question. Two or more make agreement measurable." },
  { name: "query", title: "Query", words: "How the next question is chosen.", text: true },
  { name: "lease_seconds", title: "Lease", words: "Seconds after which an unanswered question goes to somebody else." },
  { name: "gold_every", title: "Gold", words: "One question in so many is a gold item; 0 for none." },
];

const shown = (field, value) => {
  if (value === null || value === undefined) return "";
  return field.share ? String(Number((100 * value).toPrecision(6))) : nameOf(value);
};

export function Settings({ app }) {
  return html`
    <h2>Settings</h2>
    <div class="stack narrow"><${Knobs} key=${JSON.stringify(app.state.project.settings)} app=${app} /><${Classes} app=${app} /><${Checks} app=${app} /></div>
  `;
}

async function say(app, method, path, body, done) {
  const reply = await app.inProject(method, path, body);
  const { title, detail, remedy } = problemOf(reply);
  const fine = reply.status >= 200 && reply.status < 300;
  if (fine) await app.reloadProject();
  app.note(fine ? done : [detail || title, remedy].filter(Boolean).join(" "), fine ? "ok" : "bad");
  return fine;
}

function Knobs({ app }) {
  const { settings } = app.state.project;
  const fields = FIELDS.filter((field) => field.name in settings);
  const [typed, setTyped] = useState(Object.fromEntries(fields.map((field) => [field.name, shown(field, settings[field.name])])));
  const changes = {};
  const wrong = {};
  for (const field of fields) {
    const value = typed[field.name].trim();
    if (value === shown(field, settings[field.name])) continue;
    if (field.text) changes[field.name] = value;
    else if (!value && field.empty) changes[field.name] = null;
    else if (!value || Number.isNaN(Number(value))) wrong[field.name] = "This must be a number.";
    else changes[field.name] = field.share ? Number(value) / 100 : Number(value);
  }
  const submit = (event) => {
    event.preventDefault();
    say(app, "POST", "settings", changes, "The settings are saved.");
  };
  return html`
    <form class="sheet settings" onSubmit=${submit}>
      <h3>How it asks</h3>
      ${fields.map(
        (field) => html`
          <div class="field" key=${field.name}>
            <label for=${`set-${field.name}`}>${field.title}</label>
            <input id=${`set-${field.name}`} inputmode=${field.text ? "text" : "decimal"} value=${typed[field.name]} aria-describedby=${`about-${field.name}`} aria-invalid=${wrong[field.name] ? "true" : null} onInput=${(event) => setTyped({ ...typed, [field.name]: event.target.value })} />
            <p id=${`about-${field.name}`} class=${wrong[field.name] ? "bad" : "muted"}>${wrong[field.name] ?? field.words}</p>
          </div>
        `,
      )}
      <button class="button main" disabled=${!Object.keys(changes).length || Object.keys(wrong).length > 0}>Save the settings</button>
    </form>
  `;
}

function Classes({ app }) {
  const { classes } = app.state.project;
  const [name, setName] = useState("");
  const [sure, setSure] = useState(null);
  const add = async (event) => {
    event.preventDefault();
    if (name.trim() && (await say(app, "POST", "classes", { add: [name.trim()] }, `The class ${name.trim()} is added.`))) setName("");
  };
  const remove = async (label) => {
    setSure(null);
    await say(app, "POST", "classes", { remove: label }, `The class ${nameOf(label)} is removed.`);
  };
  return html`
    <section class="sheet" aria-labelledby="classes">
      <h3 id="classes">Classes</h3>
      <ul class="rows plain">
        ${classes.map(
          (label, code) => html`
            <li key=${nameOf(label)}>
              <${Mark} code=${code} /><span class="row-title">${nameOf(label)}</span>
              ${sure === code
                ? html`<span class="muted">No node may have it any more.</span><button class="button tiny danger" onClick=${() => remove(label)}>Remove</button><button class="button tiny" onClick=${() => setSure(null)}>Keep</button>`
                : html`<button class="ghost small" aria-label=${`Remove the class ${nameOf(label)}`} onClick=${() => setSure(code)}><${Icon} name="close" /></button>`}
            </li>
          `,
        )}
      </ul>
      <form class="inline" onSubmit=${add}>
        <label class="hidden" for="new-class">Name of a new class</label>
        <input id="new-class" placeholder="Name of a new class" value=${name} onInput=${(event) => setName(event.target.value)} />
        <button class="button" disabled=${!name.trim()}>Add</button>
      </form>
    </section>
  `;
}

function Checks({ app }) {
  const { progress } = app.state;
  const checking = progress?.stage === "checking";
  return html`
    <section class="sheet" aria-labelledby="checks">
      <h3 id="checks">Random checks</h3>
      <p class="muted">
        ${checking
          ? "Random checks are running: the questions are drawn at random, and their answers set a limit on the share of wrong predictions."
          : `Random checks begin by themselves when the learner's own estimate is near the goal${progress?.goal ? ` (${percent(progress.goal)})` : ""}. You may begin them now.`}
      </p>
      <button class="button" onClick=${() => say(app, "POST", "audit", { action: checking ? "end" : "begin" }, checking ? "The checks have ended." : "The checks have begun.")}>${checking ? "End the checks" : "Begin the checks"}</button>
    </section>
  `;
}
