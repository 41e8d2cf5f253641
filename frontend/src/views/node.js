// One node, opened from anywhere: all that is known of it, and a label for it.
import { useLayoutEffect } from "preact/hooks";
import { classOfKey, isForPage } from "../core/keys.js";
import { useReading } from "../core/reading.js";
import { keyOf, nameOf, titleOf } from "../core/words.js";
import { html } from "../html.js";
import { Answers } from "../parts/answers.js";
import { Because, Content, Neighbours, Opinion, Votes } from "../parts/card.js";
import { Dialog } from "../parts/dialog.js";
import { Label } from "../parts/mark.js";
import { Failed, Loading } from "../parts/state.js";

export function NodeDialog({ app, node }) {
  const { data: card, problem, again } = useReading(app, `node?id=${encodeURIComponent(keyOf(node))}`);
  const { classes } = app.state.project;
  const label = (chosen) => {
    app.desk.labelFreely(card, chosen);
    app.closeNode();
  };
  useLayoutEffect(() => {
    const press = (event) => {
      const code = isForPage(event) ? classOfKey(event.key, classes) : -1;
      if (code < 0 || !card) return;
      event.preventDefault();
      event.stopPropagation();
      label(classes[code]);
    };
    document.addEventListener("keydown", press, true);
    return () => document.removeEventListener("keydown", press, true);
  }, [card, classes]);
  return html`
    <${Dialog} wide title=${card ? titleOf(card) : nameOf(node)} onClose=${() => app.closeNode()}>
      ${problem && !card ? html`<${Failed} problem=${problem} again=${again} />` : null}
      ${!card && !problem ? html`<${Loading} text="Reading the node…" />` : null}
      ${card ? html`<${Body} app=${app} card=${card} classes=${classes} label=${label} />` : null}
    <//>
  `;
}

function Body({ app, card, classes, label }) {
  const said = card.label !== null && card.label !== undefined;
  return html`
    <p class="asked"><span class="node-name">${nameOf(card.node)}</span>${said ? html`<${Label} classes=${classes} label=${card.label} />` : html`<span class="muted">no label</span>`}</p>
    <${Content} card=${card} />
    <div class="reasons">
      <section><h3>The learner thinks</h3><${Opinion} card=${card} classes=${classes} /><${Because} card=${card} classes=${classes} onNode=${(node) => app.openNode(node)} /></section>
      <section><h3>Neighbours</h3><${Neighbours} card=${card} classes=${classes} onNode=${(node) => app.openNode(node)} /></section>
    </div>
    <${Votes} card=${card} classes=${classes} />
    <h3>${said ? "Label it anew" : "Label it"}</h3>
    <${Answers} classes=${classes} chosen=${said ? card.label : undefined} onAnswer=${label} />
  `;
}
