// The whole graph: look, find, select and label many at once.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { classOfKey, isForPage } from "../core/keys.js";
import { useReading } from "../core/reading.js";
import { count, keyOf, many, nameOf } from "../core/words.js";
import { html } from "../html.js";
import { MODES } from "../map/colours.js";
import { beside, itemAt, Selection } from "../map/selection.js";
import { Legend } from "../map/legend.js";
import { Panel } from "../map/panel.js";
import { Stage } from "../map/stage.js";
import { Failed, Loading } from "../parts/state.js";

const MOST_ASKED = 20; // Neighbourhoods read at once where the map is a sample.
const FRESH = 3000; // A map of at most so many nodes is read again after every change.
const SLOW = 15000;

export function MapView({ app, root }) {
  const [around, setAround] = useState(null); // {node, title}: its neighbourhood instead of the overview
  const path = around ? `neighbourhood?node=${encodeURIComponent(keyOf(around.node))}&hops=1` : "map";
  const { data, problem, pending, again } = useReading(app, path, { live: false });
  const [mode, setMode] = useState("label");
  const [only, setOnly] = useState(null);
  const [lasso, setLasso] = useState(false);
  const [selection, setSelection] = useState(new Selection());
  const readAt = useRef(0);
  useEffect(() => {
    const wait = data && data.ids.length > FRESH ? Math.max(0, readAt.current + SLOW - Date.now()) : 0;
    const timer = setTimeout(() => {
      readAt.current = Date.now();
      if (data) again();
    }, wait);
    return () => clearTimeout(timer);
  }, [app.state.changes]);

  const { classes } = app.state.project;
  const label = (nodes, chosen) => {
    if (!nodes.length) return;
    app.desk.labelMany(nodes, chosen);
    setSelection(new Selection());
  };
  const grow = async () => {
    const places = selection.placesIn(data);
    if (!data.sampled && !around && places.size === selection.size) {
      return setSelection(selection.with(beside(data, places).map((k) => itemAt(data, k))));
    }
    const asked = selection.list().slice(0, MOST_ASKED);
    const replies = await Promise.all(asked.map(({ node }) => app.inProject("GET", `neighbourhood?node=${encodeURIComponent(keyOf(node))}&hops=1`)));
    const found = replies.filter((reply) => reply.status === 200).flatMap(({ json }) => json.ids.map((_, k) => itemAt({ ...json, classes: json.classes ?? classes }, k)));
    setSelection(selection.with(found));
    if (selection.size > MOST_ASKED) app.note(`The neighbours of the first ${MOST_ASKED} nodes are selected.`, "warn");
  };
  const full = useMemo(() => (data ? { ...data, classes: data.classes ?? classes } : null), [data, classes]);
  const show = (item) => {
    setAround(item);
    setOnly(null);
  };
  const words = !full
    ? ""
    : around
      ? `The neighbourhood of ${around.title || nameOf(around.node)}: ${many(full.ids.length, "node")}`
      : full.sampled
        ? `A sample of ${count(full.shown ?? full.ids.length)} of ${many(full.total, "node")}`
        : many(full.ids.length, "node");
  return html`
    <h2 class="hidden">Map</h2>
    <div class="map-view">
      <div class="map-main">
        <div class="map-bar">
          <fieldset class="segments">
            <legend class="hidden">Colour by</legend>
            ${MODES.map(
              ([value, title]) => html`<label key=${value} class=${mode === value ? "here" : ""}><input type="radio" name="mode" value=${value} checked=${mode === value} onChange=${() => { setMode(value); setOnly(null); }} /><span>${title}</span></label>`,
            )}
          </fieldset>
          <p class="muted map-words" role="status">${words}${around ? html` <button class="link" onClick=${() => setAround(null)}>Back to the overview</button>` : null}</p>
        </div>
        ${problem && !full ? html`<${Failed} problem=${problem} again=${again} />` : null}
        ${!full && !problem ? html`<${Loading} text=${pending ? "The map is being drawn…" : "Reading the map…"} />` : null}
        ${full && !full.ids.length ? html`<div class="state"><h3>The graph has no nodes yet</h3></div>` : null}
        ${full?.ids.length
          ? html`<${Stage} key=${path} app=${app} data=${full} mode=${mode} only=${only} lasso=${lasso} setLasso=${setLasso} selection=${selection} setSelection=${setSelection} /><${Legend} data=${full} mode=${mode} only=${only} setOnly=${setOnly} />`
          : null}
      </div>
      <${Panel} app=${app} data=${full} selection=${selection} setSelection=${setSelection} grow=${grow} label=${label} show=${show} lasso=${lasso} setLasso=${setLasso} />
    </div>
    <${Keys} app=${app} root=${root} classes=${classes} selection=${selection} label=${label} />
  `;
}

// With a selection, a class's key labels it.
function Keys({ app, root, classes, selection, label }) {
  useLayoutEffect(() => {
    const press = (event) => {
      if (!isForPage(event) || app.state.node || app.state.help) return;
      const code = selection.size ? classOfKey(event.key, classes) : -1;
      if (code >= 0) label(selection.list().filter((item) => item.label === null).map((item) => item.node), classes[code]);
      else if (event.key === "u") app.desk.undo();
      else if (event.key === "?") app.set({ help: true });
      else return;
      event.preventDefault();
    };
    const target = app.options.page ? document : root;
    target.addEventListener("keydown", press);
    return () => target.removeEventListener("keydown", press);
  }, [app, classes, selection]);
  return null;
}
