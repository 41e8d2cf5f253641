// How the work goes: three curves, each with the server's sentence and with its numbers as a table.
import { useReading } from "../core/reading.js";
import { count, percent, sentence } from "../core/words.js";
import { html } from "../html.js";
import { Chart } from "../parts/chart.js";
import { Empty, Failed, Loading } from "../parts/state.js";

const MOST_ROWS = 200;

export function Curves({ app }) {
  const { data, problem, again } = useReading(app, "curves");
  if (problem && !data) return html`<h2>Curves</h2><${Failed} problem=${problem} again=${again} />`;
  if (!data) return html`<h2>Curves</h2><${Loading} text="Reading the curves…" />`;
  const { labels, mistakes, audit, sentences } = data;
  const goal = app.state.progress?.goal ?? null;
  const answered = mistakes.count.map((_, k) => k + 1);
  return html`
    <h2>Curves</h2>
    <div class="charts">
      <${Figure}
        title="Mistakes"
        says=${sentences.mistakes}
        more=${mistakes.certificate ? "" : mistakes.certificate_says}
        theme=${app.state.theme}
        x=${mistakes.of?.length ? mistakes.of : answered}
        across="labels given"
        lines=${[
          { name: "mistakes made", values: mistakes.count, kind: "main", step: true },
          ...(mistakes.certificate ? [{ name: "certificate: never more", values: mistakes.certificate, kind: "limit" }] : []),
        ]}
        format=${count}
      />
      <${Figure} title="Labels asked" says=${sentences.labels} theme=${app.state.theme} x=${labels.seq} across="event number" lines=${[{ name: "labels", values: labels.count, kind: "main", step: true }]} format=${count} />
      <${Figure}
        title="Audited error"
        says=${sentences.audit}
        theme=${app.state.theme}
        x=${audit.at}
        across="labels given"
        lines=${[
          { name: "limit on the share wrong", values: audit.share, kind: "limit" },
          { name: "share found wrong in the checks", values: audit.found.map((found, k) => (audit.sampled[k] ? found / audit.sampled[k] : null)), kind: "main" },
          ...(goal !== null ? [{ name: "goal", values: audit.at.map(() => goal), kind: "goal" }] : []),
        ]}
        format=${percent}
        none="No random check yet: the audit begins when the learner's own estimate is near the goal."
      />
    </div>
  `;
}

function Figure({ title, says, more = "", theme, x, across, lines, format, none = "Nothing yet." }) {
  return html`
    <figure class="sheet chart-sheet" aria-label=${title}>
      <h3>${title}</h3>
      ${x.length
        ? html`<${Chart} whole=${format === count} x=${x} lines=${lines} across=${across} format=${format} theme=${theme} name=${`${title}. ${sentence(says)}`} />`
        : html`<${Empty} title="No curve yet">${none}<//>`}
      <figcaption><p>${sentence(says)}</p>${more ? html`<p class="muted small">${sentence(more)}</p>` : null}</figcaption>
      ${x.length
        ? html`<${Numbers} x=${x} lines=${lines} across=${across} format=${format} />`
        : null}
    </figure>
  `;
}

// The same numbers for people who cannot see the curve; long ones thinned, the end kept.
function Numbers({ x, lines, across, format }) {
  const step = Math.ceil(x.length / MOST_ROWS);
  const rows = x.map((_, k) => k).filter((k) => k % step === 0 || k === x.length - 1);
  return html`
    <details class="numbers">
      <summary>Show as a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Table of the curve">
        <table>
          <thead><tr><th scope="col">${across}</th>${lines.map((line) => html`<th scope="col" key=${line.name}>${line.name}</th>`)}</tr></thead>
          <tbody>
            ${rows.map((k) => html`<tr key=${k}><th scope="row">${count(x[k])}</th>${lines.map((line) => html`<td key=${line.name}>${line.values[k] === null || line.values[k] === undefined ? "–" : format(line.values[k])}</td>`)}</tr>`)}
          </tbody>
        </table>
      </div>
    </details>
  `;
}
