import { useEffect, useRef } from "preact/hooks";
import { html } from "../html.js";
import { Icon } from "./icons.js";

// A modal dialog: the browser keeps the focus inside, Escape closes, and the focus returns to where it was.
export function Dialog({ title, onClose, children, wide = false }) {
  const dialog = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current.showModal();
    return () => before instanceof HTMLElement && before.isConnected && before.focus();
  }, []);
  const outside = (event) => event.target === dialog.current && onClose();
  return html`
    <dialog ref=${dialog} class=${wide ? "wide" : ""} aria-label=${title} onClose=${onClose} onClick=${outside}>
      <div class="dialog-body">
        <header><h2>${title}</h2><button class="ghost" aria-label="Close" onClick=${onClose}><${Icon} name="close" /></button></header>
        ${children}
      </div>
    </dialog>
  `;
}
