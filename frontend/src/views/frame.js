// The frame around every view: header, navigation, notes, and the dialogs that open over all of them.
import { useEffect } from "preact/hooks";
import { useObserved } from "../core/observed.js";
import { addressOf } from "../core/address.js";
import { isAdmin, VIEWS } from "../core/app.js";
import { html } from "../html.js";
import { Icon, Logo } from "../parts/icons.js";
import { Notes } from "../parts/notes.js";
import { SavedState } from "../parts/saved.js";
import { Failed, Loading } from "../parts/state.js";
import { count } from "../core/words.js";
import { Choose } from "./choose.js";
import { Curves } from "./curves.js";
import { Help } from "./help.js";
import { History } from "./history.js";
import { LabelDesk } from "./label.js";
import { Login } from "./login.js";
import { MapView } from "./map.js";
import { NodeDialog } from "./node.js";
import { People } from "./people.js";
import { Settings } from "./settings.js";

const NAMES = { label: "Label", map: "Map", curves: "Curves", people: "People", history: "History", settings: "Settings" };
const PARTS = { label: LabelDesk, map: MapView, curves: Curves, people: People, history: History, settings: Settings };

export function Frame({ app, root }) {
  const state = useObserved(app);
  const { stage } = state;
  const views = VIEWS.filter((view) => (app.options.views ?? VIEWS).includes(view) && (view !== "settings" || isAdmin(state)));
  const view = views.includes(state.view) ? state.view : "label";
  useEffect(() => {
    const see = () => document.visibilityState === "visible" && app.desk?.wake();
    document.addEventListener("visibilitychange", see);
    return () => document.removeEventListener("visibilitychange", see);
  }, [app]);
  if (stage === "login") return html`<main class="alone"><${Login} app=${app} /></main>`;
  if (stage === "loading") return html`<main class="alone"><${Loading} text="Opening…" /></main>`;
  if (stage === "failed") return html`<main class="alone"><div><${Failed} problem=${state.problem} again=${() => app.start()} />${elsewhere(app)}</div></main>`;
  if (stage === "choose") return html`<${Top} app=${app} /><main class="alone top"><${Choose} app=${app} /></main><${Notes} app=${app} />`;
  const View = PARTS[view];
  return html`
    ${app.options.page ? html`<a class="skip-link" href="#main" onClick=${toMain}>Skip to the content</a>` : null}
    <${Top} app=${app} views=${views} view=${view} />
    <${Line} app=${app} />
    <main id="main" tabindex="-1" class=${`view-${view}`}><${View} key=${state.project.id} app=${app} root=${root} /></main>
    <${Notes} app=${app} />
    ${state.node ? html`<${NodeDialog} key=${state.node.key} app=${app} node=${state.node.node} />` : null}
    ${state.help ? html`<${Help} app=${app} />` : null}
  `;
}

function elsewhere(app) {
  const choose = () => (app.options.page ? (location.hash = "#/") : null, app.choose());
  return app.state.projects.length > 1 ? html`<p class="centred"><button class="link" onClick=${choose}>All projects</button></p>` : null;
}

function toMain(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

function Top({ app, views = [], view = "" }) {
  const { project, projects, progress, me } = app.state;
  const page = app.options.page;
  return html`
    <header class="top">
      <div class="where">
        ${page ? html`<a class="home" href=${projects.length > 1 ? "#/" : "#"} aria-label="Ohmline: all projects" onClick=${(event) => goHome(event, app)}><${Logo} /></a>` : null}
        <div class="name">
          <h1>${project ? project.name || project.id : "Ohmline"}</h1>
          ${project && progress ? html`<p class="counted"><b>${count(progress.labels)}</b> of ${count(progress.nodes)} labelled</p>` : null}
        </div>
      </div>
      ${views.length > 1
        ? html`<nav class="views" aria-label="Views">
            ${views.map(
              (each) => html`<a
                href=${addressOf(project.id, each)}
                class=${each === view ? "here" : ""}
                aria-current=${each === view ? "page" : null}
                onClick=${(event) => goTo(event, app, each)}
                ><${Icon} name=${each} /><span>${NAMES[each]}</span></a
              >`,
            )}
          </nav>`
        : null}
      <div class="tools">
        ${project ? html`<${SavedState} app=${app} />` : null}
        <${ThemeSwitch} app=${app} />
        ${page && me
          ? html`<button class="ghost" title=${`${me.person} (${me.role}): log out`} aria-label=${`Log out ${me.person}`} onClick=${() => app.logout()}>
              <span class="person">${me.person}</span><${Icon} name="out" />
            </button>`
          : null}
      </div>
    </header>
  `;
}

function goHome(event, app) {
  event.preventDefault();
  if (app.state.projects.length > 1) location.hash = "#/";
  else goTo(event, app, "label");
}

function goTo(event, app, view) {
  if (!app.options.page) event.preventDefault();
  else if (app.state.project) location.hash = addressOf(app.state.project.id, view);
  app.show(view);
}

const NEXT_THEME = { auto: "light", light: "dark", dark: "auto" };
const THEMES = { auto: ["auto", "as the system"], light: ["sun", "light"], dark: ["moon", "dark"] };

function ThemeSwitch({ app }) {
  const [icon, words] = THEMES[app.state.theme];
  return html`
    <button class="ghost" aria-label=${`Colours: ${words}. Change`} title=${`Colours: ${words}`} onClick=${() => app.useTheme(NEXT_THEME[app.state.theme])}>
      <${Icon} name=${icon} />
    </button>
  `;
}

function Line({ app }) {
  const { live } = app.state;
  const line = app.desk?.state.line ?? "ok";
  let text = "";
  if (line === "offline") text = "Offline. What you answer is kept in this browser and is sent, in order, when the line is back.";
  else if (line === "refused") text = "The server cannot save at the moment. Your answers are kept in this browser and are sent as soon as it can.";
  else if (live === "lost") text = "The live connection is lost; connecting again. Labelling goes on.";
  return html`<div class="line" role="status" aria-live="polite">${text ? html`<p>${text}</p>` : null}</div>`;
}
