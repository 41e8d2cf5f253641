// Which nodes are selected: by their keys, because a selected node need not be drawn.
import { keyOf } from "../core/words.js";

export class Selection {
  constructor(items = new Map()) {
    this.items = items;
  }

  get size() {
    return this.items.size;
  }

  has(node) {
    return this.items.has(keyOf(node));
  }

  // items: {node, title, label}
  with(items) {
    const next = new Map(this.items);
    for (const item of items) next.set(keyOf(item.node), item);
    return new Selection(next);
  }

  without(node) {
    const next = new Map(this.items);
    next.delete(keyOf(node));
    return new Selection(next);
  }

  list() {
    return [...this.items.values()];
  }

  // Where the selected nodes are in a drawn map.
  placesIn(data) {
    const places = new Set();
    if (this.items.size) data.ids.forEach((id, k) => this.items.has(keyOf(id)) && places.add(k));
    return places;
  }
}

export const itemAt = (data, k) => ({ node: data.ids[k], title: data.titles[k], label: data.label[k] >= 0 ? data.classes[data.label[k]] : null });

// The neighbours of some places, along the drawn edges.
export function beside(data, places) {
  const found = new Set();
  for (let k = 0; k + 1 < data.edges.length; k += 2) {
    const [a, b] = [data.edges[k], data.edges[k + 1]];
    if (places.has(a) && !places.has(b)) found.add(b);
    if (places.has(b) && !places.has(a)) found.add(a);
  }
  return [...found];
}
