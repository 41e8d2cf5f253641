// Nodes, labels, numbers and times as words.
import { write } from "./exact.js";

export const keyOf = (node) => write(node);

export const same = (a, b) => a === b || keyOf(a) === keyOf(b);

export function nameOf(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : write(value);
}

export const titleOf = (card) => card.title || nameOf(card.node);

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const count = (number) => (number === null || number === undefined ? "–" : whole.format(number));

export const many = (number, one, more = `${one}s`) => `${count(number)} ${number === 1 ? one : more}`;

export function percent(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  const value = 100 * share;
  if (value > 0 && value < 0.05) return "< 0.1 %";
  const digits = value < 9.95 && value !== Math.round(value) ? 1 : 0;
  return `${value.toFixed(digits)} %`;
}

export function seconds(value) {
  if (value === null || value === undefined) return "–";
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 90) return `${Math.round(value)} s`;
  return `${Math.round(value / 60)} min`;
}

export function ago(time, now = Date.now()) {
  const then = Date.parse(time);
  if (Number.isNaN(then)) return nameOf(time);
  const passed = Math.max(0, (now - then) / 1000);
  if (passed < 45) return "just now";
  if (passed < 3600) return `${many(Math.max(1, Math.round(passed / 60)), "minute")} ago`;
  if (passed < 86400) return `${many(Math.round(passed / 3600), "hour")} ago`;
  return new Date(then).toISOString().slice(0, 16).replace("T", " ");
}

export const shorten = (text, length) => (text.length > length ? `${text.slice(0, length - 1).trimEnd()}…` : text);

// Words of the server as a sentence of their own.
export function sentence(text) {
  const trimmed = (text ?? "").trim();
  if (!trimmed) return "";
  return trimmed[0].toUpperCase() + trimmed.slice(1) + (/[.!?…:]$/.test(trimmed) ? "" : ".");
}

// A card's text without the title that it begins with.
export function bodyOf({ title, text }) {
  const whole = (text ?? "").trim();
  const lines = whole.split("\n");
  return title && lines[0].trim() === title.trim() ? lines.slice(1).join("\n").trim() : whole;
}

// A key for a request that may be sent twice. `randomUUID` is missing where the page comes over plain http.
export function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// What a problem document says, in a sentence or two.
export function problemOf(reply) {
  const document = reply.json && typeof reply.json === "object" ? reply.json : {};
  return {
    status: reply.status,
    title: document.title || (reply.status === 0 ? "The server cannot be reached" : `The server answered ${reply.status}`),
    detail: document.detail || "",
    remedy: document.remedy || "",
  };
}
