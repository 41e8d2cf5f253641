// What is known of a node: its text, image and fields, what the learner thinks, and why.
import { bodyOf, nameOf, percent, same } from "../core/words.js";
import { html } from "../html.js";
import { codeOf, colourName, Label, Mark } from "./mark.js";

const MOST_BARS = 4;

export function Content({ card }) {
  const fields = Object.entries(card.fields ?? {});
  const body = bodyOf(card);
  return html`
    ${card.image ? html`<img class="picture" src=${card.image} alt=${body ? "" : `Image of ${card.title || nameOf(card.node)}`} />` : null}
    ${body ? html`<p class="text">${body}</p>` : null}
    ${fields.length
      ? html`<dl class="fields">${fields.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${nameOf(value)}</dd></div>`)}</dl>`
      : null}
  `;
}

export function Opinion({ card, classes, hidden }) {
  const known = card.probabilities ?? [];
  if (hidden) return html`<p class="muted">Hidden while this is a random check, so that it does not lead you.</p>`;
  if (!known.length) return html`<p class="muted">${card.reached === false ? "No labelled node reaches this one yet." : "No opinion is shown for this one."}</p>`;
  const best = [...known].sort((a, b) => b[1] - a[1]).slice(0, MOST_BARS);
  const rest = known.length - best.length;
  return html`
    <ul class="bars">
      ${best.map(([label, share]) => {
        const code = codeOf(classes, label);
        return html`
          <li key=${nameOf(label)}>
            <span class="bar-label"><${Mark} code=${code} />${nameOf(label)}</span>
            <span class="track" aria-hidden="true"><span class=${`fill ${colourName(code)}`} style=${{ width: `${100 * share}%` }}></span></span>
            <span class="number">${percent(share)}</span>
          </li>
        `;
      })}
    </ul>
    ${rest > 0 ? html`<p class="muted small">and ${rest} less likely</p>` : null}
  `;
}

export function Because({ card, classes, onNode }) {
  const carriers = card.because ?? [];
  if (!carriers.length) return null;
  return html`
    <div class="because">
      <h3>Carried by</h3>
      <ul class="rows">
        ${carriers.map(
          (each) => html`
            <li key=${nameOf(each.node)}>
              <button class="row" onClick=${() => onNode(each.node)}>
                <${Mark} code=${codeOf(classes, each.label)} />
                <span class="row-title">${each.title || nameOf(each.node)}</span>
                <span class="row-label">${nameOf(each.label)}</span>
                <span class="number">${percent(each.share)}</span>
              </button>
            </li>
          `,
        )}
      </ul>
    </div>
  `;
}

export function Neighbours({ card, classes, onNode, hidden = false, onHover = () => {} }) {
  const all = card.neighbours ?? [];
  const more = (card.degree ?? all.length) - all.length;
  if (!all.length) return html`<p class="muted">No neighbours.</p>`;
  return html`
    <ul class="rows">
      ${all.map((each, k) => {
        const said = each.label !== null && each.label !== undefined;
        const label = said ? each.label : hidden ? null : each.prediction;
        return html`
          <li key=${k}>
            <button class="row" onClick=${() => onNode(each.node)} onMouseEnter=${() => onHover(k)} onMouseLeave=${() => onHover(-1)} onFocus=${() => onHover(k)} onBlur=${() => onHover(-1)}>
              <${Mark} code=${codeOf(classes, label)} guess=${!said} />
              <span class="row-title">${each.title || nameOf(each.node)}</span>
              <span class="row-label">${said ? nameOf(label) : label === null || label === undefined ? "no label" : `${nameOf(label)}?`}</span>
            </button>
          </li>
        `;
      })}
    </ul>
    ${more > 0 ? html`<p class="muted small">and ${more} more</p>` : null}
  `;
}

export function Votes({ card, classes }) {
  const votes = card.votes ?? [];
  if (!votes.length) return null;
  const split = votes.some((vote) => !same(vote.label, votes[0].label));
  return html`
    <h3>${split ? "What people said (they disagree)" : "What people said"}</h3>
    <ul class="rows plain">
      ${votes.map((vote) => html`<li key=${vote.seq}><span class="row-title">${vote.person}</span><${Label} classes=${classes} label=${vote.label} /></li>`)}
    </ul>
  `;
}
