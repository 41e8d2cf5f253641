// A line drawn around nodes with a mouse, a finger or a pen.
import { useRef, useState } from "preact/hooks";
import { html } from "../html.js";

// Whether a point lies inside a closed line of points (even-odd rule).
export function inside({ x, y }, line) {
  let odd = false;
  for (let k = 0, before = line.length - 1; k < line.length; before = k++) {
    const [a, b] = [line[k], line[before]];
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) odd = !odd;
  }
  return odd;
}

const NEAR = 3; // Points nearer than this to the last one are left out.

// A sheet over the map that follows the pointer; `onLine(points)` gets the whole line when it is let go.
export function LassoSheet({ onLine }) {
  const drawn = useRef(null);
  const [shown, setShown] = useState([]);
  const at = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const down = (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    drawn.current = [at(event)];
  };
  const move = (event) => {
    if (!drawn.current) return;
    const point = at(event);
    const last = drawn.current.at(-1);
    if (Math.hypot(point.x - last.x, point.y - last.y) < NEAR) return;
    drawn.current.push(point);
    setShown([...drawn.current]);
  };
  const end = (take) => () => {
    const line = drawn.current;
    drawn.current = null;
    setShown([]);
    if (take && line && line.length > 2) onLine(line);
  };
  return html`
    <svg class="lasso" aria-hidden="true" onPointerDown=${down} onPointerMove=${move} onPointerUp=${end(true)} onPointerCancel=${end(false)}>
      ${shown.length > 1 ? html`<polygon points=${shown.map(({ x, y }) => `${x},${y}`).join(" ")} />` : null}
    </svg>
  `;
}
