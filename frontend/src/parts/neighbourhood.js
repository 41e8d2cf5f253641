// A node in the middle and its neighbours around it, those of one label side by side.
import { html } from "../html.js";
import { keyOf, nameOf, shorten } from "../core/words.js";
import { codeOf, colourName, shapeOf } from "./mark.js";

const WIDTH = 320;
const HEIGHT = 230;
const MOST = 18;
const NAMED = 8;

export function Neighbourhood({ card, classes, hidden, hovered, edges, onNode }) {
  const all = (card.neighbours ?? []).map((each, index) => {
    const said = each.label !== null && each.label !== undefined;
    return { ...each, index, said, code: codeOf(classes, said ? each.label : hidden ? null : each.prediction) };
  });
  if (!all.length) return null;
  const shown = all.slice(0, MOST).sort((a, b) => a.code - b.code || Number(b.said) - Number(a.said));
  const heaviest = Math.max(...shown.map((each) => Math.abs(each.weight ?? 1)), 1e-12);
  const places = shown.map((_, k) => placeOf(k, shown.length));
  const at = new Map(shown.map((each, k) => [keyOf(each.node), places[k]]));
  const words = describe(all, classes);
  return html`
    <svg class="ego" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${words}>
      ${(edges ?? []).map(([a, b], k) => {
        const [from, to] = [at.get(a), at.get(b)];
        return from && to ? html`<line key=${`e${k}`} class="between" x1=${from.x} y1=${from.y} x2=${to.x} y2=${to.y} />` : null;
      })}
      ${shown.map((each, k) => {
        const width = 0.8 + 2.2 * (Math.abs(each.weight ?? 1) / heaviest);
        return html`<line key=${`l${k}`} class=${each.weight < 0 ? "against" : ""} x1=${WIDTH / 2} y1=${HEIGHT / 2} x2=${places[k].x} y2=${places[k].y} style=${{ strokeWidth: width }} />`;
      })}
      ${shown.map(
        (each, k) => html`
          <g key=${`n${k}`} class=${`ego-node ${hovered === each.index ? "hovered" : ""}`} transform=${`translate(${places[k].x} ${places[k].y})`} onClick=${() => onNode(each.node)}>
            <title>${`${each.title || nameOf(each.node)}: ${each.said ? nameOf(each.label) : "no label"}`}</title>
            <circle class="hit" r="13" />
            <g transform="translate(-8 -8)"><path class=${`${colourName(each.code)} ${each.said ? "" : "guess"}`} d=${each.code >= 0 ? shapeOf(each.code) : "M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3z"} /></g>
            ${shown.length <= NAMED ? html`<text y=${places[k].y < HEIGHT / 2 ? -13 : 21}>${shorten(each.title || nameOf(each.node), 15)}</text>` : null}
          </g>
        `,
      )}
      <circle class="centre" cx=${WIDTH / 2} cy=${HEIGHT / 2} r="11" />
      <text class="centre-text" x=${WIDTH / 2} y=${HEIGHT / 2 + 4.5}>?</text>
    </svg>
  `;
}

function placeOf(k, number) {
  const angle = -Math.PI / 2 + (2 * Math.PI * (k + (number === 2 ? 0.5 : 0))) / number;
  const ring = number > 12 && k % 2 ? 0.72 : 1;
  return { x: WIDTH / 2 + 104 * ring * Math.cos(angle), y: HEIGHT / 2 + 84 * ring * Math.sin(angle) };
}

function describe(all, classes) {
  const tally = new Map();
  for (const each of all) if (each.said) tally.set(each.code, (tally.get(each.code) ?? 0) + 1);
  const said = [...tally].sort((a, b) => b[1] - a[1]).map(([code, number]) => `${number} ${nameOf(classes[code])}`);
  return `${all.length} neighbours, ${said.length ? `labelled: ${said.join(", ")}` : "none labelled"}`;
}
