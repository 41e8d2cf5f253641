// State that views watch: a plain object, replaced part by part.
import { useLayoutEffect, useState } from "preact/hooks";

export class Observed {
  constructor(state) {
    this.state = state;
    this.watchers = new Set();
  }

  set(changes) {
    this.state = { ...this.state, ...changes };
    for (const watcher of [...this.watchers]) watcher();
  }

  watch(watcher) {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

export function useObserved(observed) {
  const [, again] = useState(0);
  useLayoutEffect(() => observed.watch(() => again((n) => n + 1)), [observed]);
  return observed.state;
}
