// Icons drawn with one line, as wide as the text beside them.
import { html } from "../html.js";

const PATHS = {
  label: "M4 5h9l7 7-7 7H4z M8 12h.01",
  map: "M6 7a2 2 0 1 0 0-.01 M18 6a2 2 0 1 0 0-.01 M12 18a2 2 0 1 0 0-.01 M8 7h8 M7 9l4 7 M17 8l-4 8",
  curves: "M4 4v16h16 M7 15l4-5 3 3 5-7",
  people: "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6z M3 20c0-4 3-6 6-6s6 2 6 6 M16 5a3 3 0 0 1 0 6 M18 14c2 1 3 3 3 6",
  history: "M12 7v5l3 2 M4 12a8 8 0 1 0 3-6 M4 4v4h4",
  settings: "M4 7h10 M18 7h2 M14 5v4 M4 17h2 M10 17h10 M10 15v4 M4 12h4 M12 12h8 M8 10v4",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z M12 2v2 M12 20v2 M2 12h2 M20 12h2 M5 5l1 1 M18 18l1 1 M5 19l1-1 M18 6l1-1",
  moon: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z",
  auto: "M12 3a9 9 0 1 0 0 18z M12 3a9 9 0 0 1 0 18",
  close: "M6 6l12 12 M18 6L6 18",
  plus: "M12 5v14 M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5 M15 4h5v5 M20 15v5h-5 M9 20H4v-5",
  lasso: "M12 4c5 0 9 2.2 9 5.500S17 15 12 15 3 12.8 3 9.5 7 4 12 4z M7 14c-2 1-2 4 0 4s2 3 0 4",
  check: "M5 13l4 4L19 7",
  download: "M12 4v11 M7 11l5 5 5-5 M5 20h14",
  keys: "M3 7h18v11H3z M7 11h.01 M11 11h.01 M15 11h.01 M8 15h8",
  out: "M10 4H5v16h5 M14 8l4 4-4 4 M18 12H9",
  down: "M6 9l6 6 6-6",
};

export const Icon = ({ name }) => html`
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>
`;

export const Logo = () => html`
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <path d="M7 22 13.5 11l5.5 9L25 9" /><circle cx="7" cy="22" r="3" /><circle cx="25" cy="9" r="3" />
  </svg>
`;
