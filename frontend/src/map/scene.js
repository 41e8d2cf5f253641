// The drawn graph (sigma over WebGL): nodes where the server put them, coloured here.
import { UndirectedGraph } from "graphology";
import Sigma from "sigma";
import { EdgeLineProgram } from "sigma/rendering";
import { colourOf, mix, tokensOf } from "./colours.js";
import { inside } from "./lasso.js";

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const ZOOM = 1.5;

export class Scene {
  constructor(container, data, { onOpen, nameOfNode }) {
    this.container = container;
    this.nameOfNode = nameOfNode;
    this.graph = graphOf(data, nameOfNode);
    this.data = data;
    this.tokens = tokensOf(container);
    this.sigma = new Sigma(this.graph, container, {
      allowInvalidContainer: true,
      defaultEdgeType: "line",
      edgeProgramClasses: { line: EdgeLineProgram },
      hideEdgesOnMove: data.edges.length > 60000,
      labelDensity: 0.5,
      labelGridCellSize: 160,
      labelRenderedSizeThreshold: 11,
      labelSize: 12,
      minCameraRatio: 0.01,
      maxCameraRatio: 3,
      stagePadding: 28,
      zIndex: true,
      defaultDrawNodeHover: (context, node, settings) => this.drawHover(context, node, settings),
    });
    this.sigma.on("clickNode", ({ node }) => onOpen(this.data.ids[Number(node)]));
    this.sigma.on("enterNode", () => container.classList.add("pointing"));
    this.sigma.on("leaveNode", () => container.classList.remove("pointing"));
  }

  // New colours or labels for the same nodes at the same places.
  update(data) {
    this.data = data;
  }

  paint({ mode, chosen, only }) {
    this.tokens = tokensOf(this.container);
    const { data, tokens } = this;
    const base = sizeFor(data.ids.length);
    const choosing = chosen.size > 0;
    this.graph.updateEachNodeAttributes((node, attributes) => {
      const k = Number(node);
      const { colour, out } = colourOf(data, k, mode, tokens);
      const picked = chosen.has(k);
      const faded = (choosing && !picked) || (only !== null && !only(k));
      attributes.color = faded ? mix(colour, tokens.panel, 0.78) : colour;
      attributes.size = base * (picked ? 1.8 : faded ? 0.9 : out ? 1.45 : 1);
      attributes.zIndex = picked ? 3 : faded ? 0 : out ? 2 : 1;
      attributes.forceLabel = picked && chosen.size <= 12;
      return attributes;
    }, { attributes: ["color", "size", "zIndex", "forceLabel"] });
    this.sigma.setSetting("defaultEdgeColor", mix(tokens.panel, tokens.edge, choosing ? 0.15 : edgeStrength(data.edges.length / 2)));
    this.sigma.setSetting("labelColor", { color: tokens.text });
    this.sigma.setSetting("labelFont", tokens.font);
    this.sigma.refresh();
  }

  drawHover(context, node, settings) {
    if (!node.label) return;
    context.font = `600 12px ${settings.labelFont}`;
    const width = context.measureText(node.label).width;
    const { x, y, size } = node;
    context.fillStyle = this.tokens.panel;
    context.strokeStyle = this.tokens.edge;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(x + size + 4, y - 12, width + 14, 24, 6);
    context.fill();
    context.stroke();
    context.beginPath();
    context.arc(x, y, size + 3, 0, 2 * Math.PI);
    context.strokeStyle = this.tokens.text;
    context.lineWidth = 2;
    context.stroke();
    context.fillStyle = this.tokens.text;
    context.fillText(node.label, x + size + 11, y + 4);
  }

  // The nodes inside a closed line of points on the screen.
  within(line) {
    const { x, y } = this.data;
    const found = [];
    for (let k = 0; k < x.length; k++) if (inside(this.sigma.graphToViewport({ x: x[k], y: y[k] }), line)) found.push(k);
    return found;
  }

  placeOf(k) {
    return this.sigma.graphToViewport({ x: this.data.x[k], y: this.data.y[k] });
  }

  move(change) {
    const camera = this.sigma.getCamera();
    const state = change(camera.getState());
    if (calm()) camera.setState(state);
    else camera.animate(state, { duration: 180 });
  }

  zoom(inwards) {
    this.move(({ ratio }) => ({ ratio: inwards ? ratio / ZOOM : ratio * ZOOM }));
  }

  pan(dx, dy) {
    this.move(({ x, y, ratio }) => ({ x: x + 0.12 * dx * ratio, y: y + 0.12 * dy * ratio }));
  }

  fit() {
    this.move(() => ({ x: 0.5, y: 0.5, ratio: 1, angle: 0 }));
  }

  centre(k) {
    const place = this.sigma.getNodeDisplayData(String(k));
    if (place) this.move(({ ratio }) => ({ x: place.x, y: place.y, ratio: Math.min(ratio, 0.35) }));
  }

  close() {
    this.sigma.kill();
  }
}

// Many edges are drawn fainter, so that the nodes stay in front.
const edgeStrength = (number) => Math.min(0.45, Math.max(0.14, 0.45 * Math.sqrt(600 / Math.max(1, number))));

function sizeFor(number) {
  if (number <= 60) return 8;
  if (number <= 400) return 5.5;
  if (number <= 3000) return 3.6;
  return number <= 10000 ? 2.4 : 1.8;
}

function graphOf(data, nameOfNode) {
  const graph = new UndirectedGraph({ multi: false, allowSelfLoops: false });
  data.ids.forEach((id, k) => graph.addNode(String(k), { x: data.x[k], y: data.y[k], size: 3, label: data.titles[k] || nameOfNode(id) }));
  for (let k = 0; k + 1 < data.edges.length; k += 2) {
    const [a, b] = [String(data.edges[k]), String(data.edges[k + 1])];
    if (a !== b) graph.mergeEdge(a, b, { size: 0.6 });
  }
  return graph;
}
