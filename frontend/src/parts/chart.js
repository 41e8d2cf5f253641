// One chart (uPlot), in the colours of the theme, redrawn when its width or the theme changes.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { html } from "../html.js";

const HEIGHT = 240;
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7];

export function Chart({ x, lines, across, format, whole, theme, name }) {
  const place = useRef(null);
  useEffect(() => {
    const element = place.current;
    let plot = draw(element, { x, lines, across, format, whole });
    const redraw = () => {
      plot.destroy();
      plot = draw(element, { x, lines, across, format, whole });
    };
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", redraw);
    return () => {
      watcher.disconnect();
      scheme.removeEventListener("change", redraw);
      plot.destroy();
    };
  }, [JSON.stringify([x, lines]), theme]);
  return html`
    <div class="chart" role="img" aria-label=${name} ref=${place}></div>
    <ul class="chart-legend" aria-hidden="true">${lines.map((line) => html`<li key=${line.name} class=${line.kind}><span class="swatch"></span>${line.name}</li>`)}</ul>
  `;
}

function draw(element, { x, lines, across, format, whole }) {
  const style = getComputedStyle(element);
  const colour = (token) => style.getPropertyValue(`--${token}`).trim();
  const strokes = { main: colour("accent"), limit: colour("warn"), goal: colour("ok") };
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: colour("muted"), font, labelFont: font, grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1, size: 4 } };
  return new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      padding: [8, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { size: 6 } },
      scales: { x: { time: false }, y: { range: (_, low, high) => [0, high > 0 ? 1.08 * high : 1] } },
      axes: [
        { ...axis, label: across, labelSize: 22, size: 34, incrs: WHOLE },
        { ...axis, size: 52, incrs: whole ? WHOLE : undefined, values: (_, ticks) => ticks.map(format) },
      ],
      series: [
        {},
        ...lines.map((line) => ({
          label: line.name,
          stroke: strokes[line.kind],
          width: line.kind === "goal" ? 1.5 : 2,
          dash: line.kind === "limit" ? [7, 4] : line.kind === "goal" ? [2, 4] : undefined,
          paths: line.step ? uPlot.paths.stepped({ align: 1 }) : undefined,
          points: { show: x.length < 3, size: 6 },
          spanGaps: true,
        })),
      ],
    },
    [x, ...lines.map((line) => line.values)],
    element,
  );
}
