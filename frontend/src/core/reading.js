// Read something from the project when a view opens, and again when the project has changed.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { problemOf } from "./words.js";

const LOOK_AGAIN = 1500; // While the server is still drawing (202).

export function useReading(app, path, { live = true } = {}) {
  const [state, setState] = useState({ data: null, problem: null, pending: true });
  const newest = useRef(0);
  const timer = useRef(null);
  const read = useCallback(async () => {
    const mine = ++newest.current;
    clearTimeout(timer.current);
    const reply = await app.inProject("GET", path);
    if (mine !== newest.current) return;
    if (reply.status === 200) setState({ data: reply.json, problem: null, pending: false });
    else if (reply.status === 202) {
      timer.current = setTimeout(read, LOOK_AGAIN);
      setState((before) => ({ ...before, problem: null, pending: true }));
    } else setState((before) => ({ ...before, problem: problemOf(reply), pending: false }));
  }, [app, path]);
  useEffect(() => {
    if (path) read();
  }, [read, live ? app.state.changes : 0]);
  useEffect(() => () => {
    newest.current = -1;
    clearTimeout(timer.current);
  }, []);
  return { ...state, again: read };
}
