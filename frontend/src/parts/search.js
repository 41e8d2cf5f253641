// Find a node by its title, its text or its id.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { keyOf, nameOf, problemOf } from "../core/words.js";
import { html } from "../html.js";
import { Label } from "./mark.js";

const PAUSE = 250;

export function NodeSearch({ app, name, verb = "Add", onPick }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [found, setFound] = useState(null);
  const newest = useRef(0);
  useEffect(() => {
    const mine = ++newest.current;
    if (!typed.trim()) return setFound(null);
    const timer = setTimeout(async () => {
      const reply = await app.inProject("GET", `search?q=${encodeURIComponent(typed.trim())}&limit=12`);
      if (mine === newest.current) setFound(reply.status === 200 ? { nodes: reply.json.nodes } : { nodes: [], problem: problemOf(reply) });
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  return html`
    <div class="search">
      <label for=${id}>${name}</label>
      <input id=${id} type="search" value=${typed} autocomplete="off" spellcheck=${false} placeholder="Title, text or id" onInput=${(event) => setTyped(event.target.value)} />
      <div role="status" aria-live="polite" class="hidden">${found ? `${found.nodes.length} found` : ""}</div>
      ${found?.problem ? html`<p class="bad">${found.problem.detail || found.problem.title}</p>` : null}
      ${found && !found.problem && !found.nodes.length ? html`<p class="muted">Nothing found.</p>` : null}
      ${found?.nodes.length
        ? html`<ul class="rows plain found">
            ${found.nodes.map(
              (each) => html`
                <li key=${keyOf(each.node)}>
                  <span class="row-title">${each.title || nameOf(each.node)}</span>
                  ${each.label !== null && each.label !== undefined ? html`<${Label} classes=${app.state.project.classes} label=${each.label} />` : null}
                  <button class="button tiny" aria-label=${`${verb} ${each.title || nameOf(each.node)}`} onClick=${() => onPick(each)}>${verb}</button>
                </li>
              `,
            )}
          </ul>`
        : null}
    </div>
  `;
}
