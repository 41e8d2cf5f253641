// The classes to choose from, each with its key; with many classes, a field that finds one by its name.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { keysOf, matching, MOST_KEYS } from "../core/keys.js";
import { nameOf, same } from "../core/words.js";
import { html } from "../html.js";
import { Mark } from "./mark.js";

const MOST_SHOWN = 60;

export function Answers({ classes, onAnswer, disabled, chosen, name = "Classes", filter = false, focusOn, onLeave }) {
  if (classes.length > MOST_KEYS || filter) {
    return html`<${Finder} classes=${classes} onAnswer=${onAnswer} disabled=${disabled} name=${name} focusOn=${focusOn} onLeave=${onLeave} />`;
  }
  const keys = keysOf(classes);
  return html`
    <div class="answers" role="group" aria-label=${name}>
      ${classes.map(
        (label, code) => html`
          <button key=${code} class=${`answer ${chosen !== undefined && same(chosen, label) ? "chosen" : ""}`} disabled=${disabled} aria-keyshortcuts=${keys[code]} onClick=${() => onAnswer(label)}>
            <kbd aria-hidden="true">${keys[code]}</kbd><${Mark} code=${code} /><span class="answer-name">${nameOf(label)}</span>
          </button>
        `,
      )}
    </div>
  `;
}

function Finder({ classes, onAnswer, disabled, name, focusOn, onLeave }) {
  const [typed, setTyped] = useState("");
  const [marked, setMarked] = useState(-1);
  const field = useRef(null);
  const names = useMemo(() => classes.map(nameOf), [classes]);
  const found = matching(names, typed).slice(0, MOST_SHOWN);
  const at = Math.min(marked, found.length - 1);
  useEffect(() => {
    setTyped("");
    setMarked(-1);
    if (focusOn !== undefined && matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, [focusOn]);

  const take = (index) => {
    if (disabled || index === undefined) return;
    onAnswer(classes[index]);
    setTyped("");
    setMarked(-1);
  };
  const press = (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      if (at >= 0) take(found[at]);
      else if (typed.trim()) take(found[0]); // Enter alone labels nothing.
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setMarked((at + step + found.length) % Math.max(1, found.length));
    } else if (event.key === "Escape") {
      field.current.blur();
      onLeave?.();
    }
  };
  const lit = at >= 0 ? at : typed.trim() ? 0 : -1;
  return html`
    <div class="finder">
      <input
        ref=${field}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="finder-list"
        aria-activedescendant=${lit >= 0 ? `finder-${found[lit]}` : null}
        aria-label=${`${name}: type a part of the name`}
        placeholder=${`Type to find one of ${classes.length} classes`}
        autocomplete="off"
        spellcheck=${false}
        value=${typed}
        onInput=${(event) => {
          setTyped(event.target.value);
          setMarked(-1);
        }}
        onKeyDown=${press}
      />
      <div id="finder-list" class="answers" role="listbox" aria-label=${name}>
        ${found.map(
          (index, k) => html`
            <div key=${index} id=${`finder-${index}`} role="option" aria-selected=${k === lit} class=${`answer ${k === lit ? "chosen" : ""}`} onClick=${() => take(index)}>
              <${Mark} code=${index} /><span class="answer-name">${names[index]}</span>
            </div>
          `,
        )}
        ${found.length ? null : html`<p class="muted">No class has “${typed}” in its name.</p>`}
      </div>
    </div>
  `;
}
