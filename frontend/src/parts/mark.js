// A class has a colour and a shape, so that nobody has to tell it by the colour alone.
import { html } from "../html.js";
import { nameOf, same } from "../core/words.js";

export const COLOURS = 8;
const SHAPES = [
  "M8 1.500a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13z",
  "M2 2h12v12H2z",
  "M8 1l7.2 13H.8z",
  "M8 .5L15.5 8 8 15.5.5 8z",
  "M.8 2h14.400L8 15z",
  "M5.5 1h5v4.500H15v5h-4.500V15h-5v-4.500H1v-5h4.500z",
  "M8 .8l7 5.2-2.7 8.500H3.700L1 6z",
];

export const shapeOf = (code) => SHAPES[code % SHAPES.length];
export const colourName = (code) => (code >= 0 ? `c${code % COLOURS}` : "none");
export const codeOf = (classes, label) => (label === null || label === undefined ? -1 : classes.findIndex((each) => same(each, label)));

// `guess`: drawn hollow, as what is predicted and not said.
export function Mark({ code, guess = false }) {
  return html`
    <svg class=${`mark ${colourName(code)} ${guess ? "guess" : ""}`} viewBox="-1 -1 18 18" aria-hidden="true" focusable="false">
      <path d=${code >= 0 ? shapeOf(code) : "M8 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8z"} />
    </svg>
  `;
}

export const Label = ({ classes, label, guess = false }) => html`
  <span class="label-name"><${Mark} code=${codeOf(classes, label)} guess=${guess} />${nameOf(label)}</span>
`;
