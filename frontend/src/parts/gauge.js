// "You may stop": how much of the rest may be wrong, against the goal, in words and as a bar.
import { count, many, percent, sentence } from "../core/words.js";
import { html } from "../html.js";

// An estimate as high as this only says that the learner has seen too little.
const SAYS_NOTHING = 0.995;

export function headline(progress) {
  if (progress.stage === "finished") return "All done";
  if (progress.may_stop) return "You may stop";
  if (progress.goal === null || progress.goal === undefined) return "No goal set";
  return progress.stage === "checking" ? "Not yet: checking" : "Not yet";
}

// What is known about the wrong ones among the rest: a limit that was audited, or the learner's own estimate.
export function knownShare(progress) {
  if (progress.stage === "finished") return null;
  if (progress.limit) return { share: progress.limit.share, audited: true };
  if (progress.estimate !== null && progress.estimate !== undefined && progress.estimate < SAYS_NOTHING) return { share: progress.estimate, audited: false };
  return null;
}

export function Gauge({ progress, onGoal }) {
  if (!progress) return null;
  const known = knownShare(progress);
  const { goal, limit, more } = progress;
  const top = Math.min(1, Math.max(0.1, 1.6 * Math.max(known?.share ?? 0, goal ?? 0)));
  const reached = progress.may_stop || progress.stage === "finished";
  return html`
    <section class=${`sheet gauge ${reached ? "reached" : ""}`} aria-labelledby="gauge-title">
      <h2 id="gauge-title">${headline(progress)}</h2>
      ${known
        ? html`
            <p class="figure">
              <b>${percent(known.share)}</b>
              <span>${known.audited ? "of the rest wrong, at most" : "of the rest wrong, the learner's own estimate"}</span>
            </p>
            <${Bar} share=${known.share} goal=${goal} top=${top} audited=${known.audited} />
          `
        : null}
      <p class="sentence">${sentence(progress.sentence)}</p>
      ${onGoal && (goal === null || goal === undefined) && !reached ? html`<p><button class="link" onClick=${onGoal}>Set a goal</button></p>` : null}
      <dl class="facts">
        ${goal !== null && goal !== undefined && !known ? html`<div><dt>Goal</dt><dd>${percent(goal)}</dd></div>` : null}
        ${more !== null && more !== undefined && !reached ? html`<div><dt>${progress.stage === "learning" ? "At least" : "About"}</dt><dd>${many(more, "more label")}</dd></div>` : null}
        ${limit ? html`<div><dt>Checked</dt><dd>${count(limit.sampled)}, ${count(limit.found)} wrong</dd></div>` : null}
        ${limit && progress.confidence ? html`<div><dt>Confidence</dt><dd>${percent(progress.confidence)}</dd></div>` : null}
        ${progress.skipped ? html`<div><dt>Skipped</dt><dd>${count(progress.skipped)}</dd></div>` : null}
      </dl>
    </section>
  `;
}

function Bar({ share, goal, top, audited }) {
  const at = (value) => `${(100 * Math.min(value, top)) / top}%`;
  const good = goal !== null && goal !== undefined && share <= goal;
  return html`
    <div class="bar-frame">
      <div
        class="bar"
        role="meter"
        aria-label=${audited ? "Limit on the share of wrong predictions among the rest" : "Estimated share of wrong predictions among the rest"}
        aria-valuemin="0"
        aria-valuemax="100"
        aria-valuenow=${Math.round(1000 * share) / 10}
        aria-valuetext=${`${percent(share)}${goal !== null && goal !== undefined ? `, goal ${percent(goal)}` : ""}`}
      >
        <span class=${`fill ${audited ? "" : "estimate"} ${good && audited ? "good" : ""}`} style=${{ width: at(share) }}></span>
        ${goal !== null && goal !== undefined ? html`<span class="goal" style=${{ left: at(goal) }}></span>` : null}
      </div>
      ${goal !== null && goal !== undefined ? html`<span class="goal-name" aria-hidden="true" style=${{ left: `clamp(2rem, ${at(goal)}, calc(100% - 2rem))` }}>goal ${percent(goal)}</span>` : null}
    </div>
  `;
}
