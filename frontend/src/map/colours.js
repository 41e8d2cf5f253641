// How the nodes of the map are coloured, by the tokens of the theme.
import { COLOURS } from "../parts/mark.js";

export const MODES = [
  ["label", "Label"],
  ["prediction", "Prediction"],
  ["confidence", "Confidence"],
  ["wanted", "To ask"],
];

export function tokensOf(element) {
  const style = getComputedStyle(element);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    classes: Array.from({ length: COLOURS }, (_, k) => read(`class-${k}`)),
    none: read("none"),
    panel: read("panel"),
    line: read("line"),
    edge: read("edge"),
    text: read("text"),
    low: read("ramp-low"),
    high: read("ramp-high"),
    font: style.fontFamily,
  };
}

const parts = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

export function mix(from, to, share) {
  const [a, b] = [parts(from), parts(to)];
  return `#${a.map((value, k) => Math.round(value + (b[k] - value) * share).toString(16).padStart(2, "0")).join("")}`;
}

// The colour of node k, and whether it stands out in this mode.
export function colourOf(data, k, mode, tokens) {
  if (mode === "label" || mode === "prediction") {
    const code = data.label[k] >= 0 ? data.label[k] : mode === "prediction" ? data.prediction[k] : -1;
    return code >= 0 ? { colour: tokens.classes[code % COLOURS], out: data.label[k] >= 0 } : { colour: mix(tokens.none, tokens.panel, 0.45), out: false };
  }
  const value = mode === "confidence" ? (data.label[k] >= 0 ? 1 : data.confidence[k]) : data.wanted[k];
  const share = Math.min(1, Math.max(0, value ?? 0));
  return { colour: mix(tokens.low, tokens.high, share), out: mode === "wanted" && share > 0 };
}
