// The drawing surface: the scene, the lasso over it, and the ways to move.
import { useEffect, useRef, useState } from "preact/hooks";
import { nameOf } from "../core/words.js";
import { html } from "../html.js";
import { Icon } from "../parts/icons.js";
import { LassoSheet } from "./lasso.js";
import { itemAt } from "./selection.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export function Stage({ app, data, mode, only, lasso, setLasso, selection, setSelection }) {
  const place = useRef(null);
  const scene = useRef(null);
  const [failed, setFailed] = useState("");
  const [ready, setReady] = useState(0);

  // A new scene for new nodes; new labels of the same nodes only change its colours.
  const nodes = data.ids.length;
  useEffect(() => {
    let gone = false;
    import("./scene.js")
      .then(({ Scene }) => {
        if (gone) return;
        scene.current = new Scene(place.current, data, { onOpen: (node) => app.openNode(node), nameOfNode: nameOf });
        app.scene = scene.current;
        setReady((n) => n + 1);
      })
      .catch((error) => setFailed(error.message));
    return () => {
      gone = true;
      scene.current?.close();
      scene.current = app.scene = null;
    };
  }, [nodes, data.x[0], data.y[0], data.x.at(-1), data.edges.length]);

  const shows = only === null ? null : (k) => (data.label[k] >= 0 || mode === "label" ? data.label[k] : data.prediction[k]) === only;
  const paint = () => {
    scene.current?.update(data);
    scene.current?.paint({ mode, chosen: selection.placesIn(data), only: shows });
  };
  useEffect(paint, [ready, data, mode, only, selection, app.state.theme]);
  useEffect(() => {
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", paint);
    return () => scheme.removeEventListener("change", paint);
  });

  const surround = (line) => {
    if (!scene.current) return;
    setSelection(selection.with(scene.current.within(line).map((k) => itemAt(data, k))));
    setLasso(false);
  };

  const press = (event) => {
    if (!scene.current || event.ctrlKey || event.metaKey || event.altKey) return;
    if (ARROWS[event.key]) scene.current.pan(...ARROWS[event.key]);
    else if (event.key === "+" || event.key === "=") scene.current.zoom(true);
    else if (event.key === "-") scene.current.zoom(false);
    else if (event.key === "0") scene.current.fit();
    else return;
    event.preventDefault();
  };
  if (failed) return html`<div class="state failed" role="alert"><h3>The map cannot be drawn</h3><p>This browser offers no WebGL. Finding, selecting and labelling nodes on the right works all the same.</p></div>`;
  return html`
    <div class="stage">
      <div class="canvas" ref=${place} tabindex="0" role="application" aria-label=${`Map of ${nodes} nodes. Arrow keys move, plus and minus zoom, 0 shows all. To select by keyboard, use the search beside it.`} onKeyDown=${press}></div>
      ${lasso ? html`<${LassoSheet} onLine=${surround} />` : null}
      <div class="stage-tools" role="group" aria-label="Map tools">
        <button class=${lasso ? "chosen" : ""} aria-pressed=${lasso} aria-label="Lasso: draw a line around nodes to select them" title="Lasso" onClick=${() => setLasso(!lasso)}><${Icon} name="lasso" /></button>
        <button aria-label="Zoom in" title="Zoom in (+)" onClick=${() => scene.current?.zoom(true)}><${Icon} name="plus" /></button>
        <button aria-label="Zoom out" title="Zoom out (-)" onClick=${() => scene.current?.zoom(false)}><${Icon} name="minus" /></button>
        <button aria-label="Show all" title="Show all (0)" onClick=${() => scene.current?.fit()}><${Icon} name="fit" /></button>
      </div>
    </div>
  `;
}
