// Who is here, which project is open, what is shown: everything above the desk.
import { Desk } from "./desk.js";
import { Observed } from "./observed.js";
import { keyOf, problemOf } from "./words.js";

export const VIEWS = ["label", "map", "curves", "people", "history", "settings"];
export const isAdmin = (state) => (state.project?.role ?? state.me?.role) === "admin";
const QUIET = 600; // Milliseconds without an event before views read again.

export class App extends Observed {
  constructor(transport, options) {
    super({
      stage: "loading", // or "login", "choose", "open", "failed"
      problem: null,
      me: null,
      projects: [],
      project: null,
      progress: null,
      view: options.view ?? "label",
      live: "connecting",
      changes: 0,
      notes: [],
      node: null,
      help: false,
      theme: "auto",
    });
    this.transport = transport;
    this.options = options;
    this.storage = options.storage ?? null;
    this.desk = null;
    this.live = null;
    this.noteNumber = 0;
    this.ready = Promise.resolve(); // What must be done before the first request, such as logging in.
    this.state.theme = this.storage?.getItem("ohmline:theme") ?? "auto";
  }

  async request(method, path, body) {
    try {
      const reply = await this.transport.request(method, path, body);
      if (reply.status === 401 && this.state.stage !== "login") this.set({ stage: "login", problem: null });
      return reply;
    } catch {
      return { status: 0, json: null };
    }
  }

  inProject(method, path, body) {
    return this.request(method, this.path(path), body);
  }

  path(path = "") {
    const base = `/api/projects/${encodeURIComponent(this.state.project?.id ?? this.opening)}`;
    return path ? `${base}/${path}` : base;
  }

  async start() {
    this.set({ stage: "loading", problem: null });
    const me = await this.request("GET", "/api/me");
    if (me.status === 401) return;
    if (me.status !== 200) return this.set({ stage: "failed", problem: problemOf(me) });
    const list = await this.request("GET", "/api/projects");
    if (list.status !== 200) return this.set({ stage: "failed", problem: problemOf(list) });
    const { projects } = list.json;
    this.set({ me: me.json, projects });
    const wanted = this.options.project ?? this.wanted ?? (projects.length === 1 ? projects[0].id : null);
    if (wanted === null) return this.set({ stage: "choose" });
    await this.open(wanted);
  }

  async login(token) {
    const reply = await this.request("POST", "/api/login", { token });
    if (reply.status >= 200 && reply.status < 300) {
      await this.start();
      return null;
    }
    return problemOf(reply);
  }

  async logout() {
    await this.request("POST", "/api/logout", {});
    this.shut();
    this.set({ stage: "login", project: null, me: null });
  }

  async open(id) {
    if (this.state.project?.id === id && this.state.stage === "open") return;
    this.shut();
    this.opening = id;
    this.set({ stage: "loading", project: null, problem: null, node: null, notes: [] });
    const reply = await this.request("GET", `/api/projects/${encodeURIComponent(id)}`);
    if (reply.status === 401 || this.opening !== id) return;
    if (reply.status !== 200) return this.set({ stage: "failed", problem: problemOf(reply) });
    const project = reply.json;
    this.set({ stage: "open", project, progress: project.progress, live: "connecting" });
    this.desk = new Desk({
      request: (method, path, body) => this.inProject(method, path, body),
      name: `${id}:${project.person ?? this.state.me?.person ?? ""}`,
      storage: this.storage,
      note: (...said) => this.note(...said),
      progressed: (progress) => this.set({ progress }),
    });
    this.live = this.transport.events?.(
      project.seq,
      (event) => this.heard(event),
      (state) => this.lineIs(state),
      this.path("events"),
    );
    if (!this.transport.events) this.set({ live: "none" });
    this.desk.watch(() => this.set({}));
    await this.desk.start();
  }

  shut() {
    this.live?.();
    this.desk?.close();
    this.live = this.desk = null;
    clearTimeout(this.quiet);
  }

  async choose() {
    this.shut();
    this.wanted = null;
    this.set({ stage: "loading", project: null });
    const list = await this.request("GET", "/api/projects");
    if (list.status === 200) this.set({ stage: "choose", projects: list.json.projects });
    else if (list.status !== 401) this.set({ stage: "failed", problem: problemOf(list) });
  }

  async reloadProject() {
    const reply = await this.inProject("GET", "");
    if (reply.status === 200) this.set({ project: reply.json, progress: reply.json.progress });
  }

  heard(event) {
    if (event.progress) this.set({ progress: event.progress });
    if (event.actor === this.state.me?.person) this.desk?.answeredElsewhere(event.payload?.lease);
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => {
      this.set({ changes: this.state.changes + 1 });
      if (!this.state.progress || !event.progress) this.readProgress();
    }, QUIET);
    if (["configured", "classes-added", "class-removed", "grown", "imported"].includes(event.kind)) {
      this.reloadProject();
      this.desk?.refresh();
    } else if (event.kind !== "leased" && !this.desk?.state.queue.length) this.desk?.wake();
  }

  async readProgress() {
    const reply = await this.inProject("GET", "progress");
    if (reply.status === 200) this.set({ progress: reply.json });
  }

  lineIs(live) {
    const before = this.state.live;
    this.set({ live });
    if (live === "live" && before !== "live") this.desk?.wake();
  }

  show(view) {
    this.set({ view, help: false });
  }

  openNode(node) {
    this.set({ node: { node, key: keyOf(node) } });
  }

  closeNode() {
    this.set({ node: null });
  }

  note(text, kind = "info", action = null) {
    const id = ++this.noteNumber;
    this.set({ notes: [...this.state.notes.slice(-2), { id, text, kind, action }] });
    const stays = kind === "bad" || action ? 12000 : 5000;
    setTimeout(() => this.unnote(id), stays);
  }

  unnote(id) {
    this.set({ notes: this.state.notes.filter((note) => note.id !== id) });
  }

  useTheme(theme) {
    this.storage?.setItem("ohmline:theme", theme);
    this.set({ theme });
  }
}
