// JSON in which whole numbers keep all their digits. A node's id may have more than a JavaScript number holds, and an id
// that was rounded names another node; so those are read as BigInt, and written as the plain numbers that they were.

// Nobody can write a text that is taken for a number: the mark is drawn anew when the page is loaded.
const MARK = `whole-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}:`;
const MAY_BE_LONG = /(?:^|[^.\d])\d{16}/;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");

export function read(text) {
  if (!MAY_BE_LONG.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKENS, (token) => (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${MARK}${token}"` : token));
  return JSON.parse(marked, (_, value) => (typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value));
}

export function write(value) {
  let long = false;
  const text = JSON.stringify(value, (_, each) => {
    if (typeof each !== "bigint") return each;
    long = true;
    return MARK + each;
  });
  return long ? text.replace(MARKED, "$1") : text;
}
