// Which key stands for which class: the digits first, then the letters that mean nothing else.

const LETTERS = [..."abcdefghijklmnopqrtvwxyz"]; // without s (skip) and u (undo)
const ORDER = [..."123456789", ...LETTERS];

// More classes than this are found by typing a part of their name.
export const MOST_KEYS = 30;

export const keysOf = (classes) => (classes.length > MOST_KEYS ? classes.map(() => "") : classes.map((_, k) => ORDER[k]));

// The class that a pressed key means, as its place in the list; -1 for none.
export const classOfKey = (key, classes) => (classes.length > MOST_KEYS ? -1 : ORDER.slice(0, classes.length).indexOf(key));

const TYPING = new Set(["INPUT", "TEXTAREA", "SELECT"]);

// Whether a key press is meant for the page and not for a field, a shortcut of the browser, or a key held down.
export function isForPage(event) {
  if (event.defaultPrevented || event.repeat || event.isComposing) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const target = event.composedPath()[0];
  return !(target instanceof Element && (TYPING.has(target.tagName) || target.isContentEditable));
}

// Classes whose name has the typed text in it: those that begin with it first.
export function matching(names, typed) {
  const wanted = typed.trim().toLowerCase();
  const found = names.map((name, index) => ({ index, at: name.toLowerCase().indexOf(wanted) })).filter((each) => each.at >= 0);
  found.sort((a, b) => (a.at === 0 ? 0 : 1) - (b.at === 0 ? 0 : 1) || a.index - b.index);
  return found.map((each) => each.index);
}
