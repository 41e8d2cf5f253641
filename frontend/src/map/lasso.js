// A line drawn around nodes with a mouse, a finger or a pen.

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

// Follow the pointer over an element; `onLine(points, done)` is called while it moves and at the end.
export function followPointer(element, onLine) {
  let line = null;
  const at = (event) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const down = (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    line = [at(event)];
  };
  const move = (event) => {
    if (!line) return;
    const point = at(event);
    const last = line.at(-1);
    if (Math.hypot(point.x - last.x, point.y - last.y) < NEAR) return;
    line.push(point);
    onLine(line, false);
  };
  const up = () => {
    if (!line) return;
    const whole = line;
    line = null;
    onLine(whole, true);
  };
  const cancel = () => {
    line = null;
    onLine([], true);
  };
  const handlers = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: cancel };
  for (const [kind, handler] of Object.entries(handlers)) element.addEventListener(kind, handler);
  return () => {
    for (const [kind, handler] of Object.entries(handlers)) element.removeEventListener(kind, handler);
  };
}
