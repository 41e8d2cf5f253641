// The address of the page: #token=… logs in once and vanishes, #/p/PROJECT/VIEW says what is open.
import { VIEWS } from "./app.js";

export function browserStorage() {
  try {
    const { localStorage } = window;
    localStorage.getItem("ohmline:theme");
    return localStorage;
  } catch {
    return null; // A browser that forbids it: nothing is kept over a reload.
  }
}

export const addressOf = (project, view) => `#/p/${encodeURIComponent(project)}/${view}`;

function readAddress() {
  const found = /^#\/p\/([^/]+)(?:\/([a-z]+))?/.exec(location.hash);
  if (!found) return { project: null, view: null };
  return { project: decodeURIComponent(found[1]), view: VIEWS.includes(found[2]) ? found[2] : null };
}

export function followAddress(app) {
  const token = /^#token=(.+)$/.exec(location.hash);
  if (token) {
    history.replaceState(null, "", location.pathname + location.search);
    app.ready = app.transport.request("POST", "/api/login", { token: decodeURIComponent(token[1]) }).catch(() => null);
  }
  const go = () => {
    if (/^#token=/.test(location.hash)) return location.reload(); // pasted into a page that is open: as if opened with it
    const { project, view } = readAddress();
    if (view) app.show(view);
    app.wanted = project;
    if (project && (app.state.stage === "open" || app.state.stage === "choose") && project !== app.state.project?.id) app.open(project);
    else if (!project && app.state.stage === "open" && app.state.projects.length > 1) app.choose();
  };
  const title = () => {
    const { project, view } = app.state;
    document.title = project ? `${project.name || project.id} · ${view} · Ohmline` : "Ohmline";
    if (app.state.stage === "open" && !location.hash.startsWith(addressOf(project.id, ""))) {
      history.replaceState(null, "", addressOf(project.id, view));
    }
  };
  go();
  window.addEventListener("hashchange", go);
  const unwatch = app.watch(title);
  return () => {
    window.removeEventListener("hashchange", go);
    unwatch();
  };
}
