// Ohmline's page and its notebook widget: one bundle.
import { render } from "preact";
import { App } from "./core/app.js";
import { browserStorage, followAddress } from "./core/address.js";
import { html } from "./html.js";
import { httpTransport } from "./transport/http.js";
import { modelTransport } from "./transport/model.js";
import { Frame } from "./views/frame.js";

export { httpTransport };

/**
 * Put the page into an element.
 *
 * transport: {request(method, path, body) -> Promise<{status, json}>, events?(after, onEvent, onState, path) -> close()}
 * options: project (id, instead of the chooser), views (which ones, all by default), view (the first one shown),
 *   page (true: owns the whole window, its address and its keys), theme ("auto", "light", "dark").
 * Returns a function that takes it out again.
 */
export function mount(element, transport, options = {}) {
  const root = element.ownerDocument.createElement("div");
  root.className = options.page ? "ohm whole" : "ohm embedded";
  if (!options.page) root.dataset.lmSuppressShortcuts = "true"; // A notebook's own shortcuts rest while this has the focus.
  element.replaceChildren(root);
  const app = new App(transport, { storage: browserStorage(), ...options });
  if (options.theme) app.state.theme = options.theme;
  const leave = options.page ? followAddress(app) : () => {};
  const dress = () => {
    root.dataset.theme = app.state.theme;
  };
  app.watch(dress);
  dress();
  render(html`<${Frame} app=${app} root=${root} />`, root);
  const wake = () => app.desk?.wake();
  window.addEventListener("online", wake);
  app.ready.then(() => app.start());
  return () => {
    leave();
    window.removeEventListener("online", wake);
    app.shut();
    render(null, root);
    root.remove();
  };
}

/** The widget of a notebook (anywidget): the label desk, with messages over the model instead of HTTP. */
export default {
  render({ model, el }) {
    const transport = modelTransport(model);
    const leave = mount(el, transport, {
      project: model.get("project") || null,
      theme: model.get("theme") || "auto",
      views: ["label"],
    });
    return () => {
      leave();
      transport.close();
    };
  },
};
