import { addressOf } from "../core/address.js";
import { count, many } from "../core/words.js";
import { html } from "../html.js";
import { Empty } from "../parts/state.js";

export function Choose({ app }) {
  const { projects } = app.state;
  if (!projects.length) {
    return html`<${Empty} title="No project yet">A project is a folder with a graph and its classes. Make one in Python with <code>Project.create</code>, or start <code>ohmline serve</code> without a folder for a demonstration.<//>`;
  }
  return html`
    <section class="choose" aria-labelledby="choose-title">
      <h2 id="choose-title">Projects</h2>
      <ul class="cards">
        ${projects.map((project) => {
          if (project.problem) return html`<li key=${project.id}><div class="sheet cannot"><h3>${project.name || project.id}</h3><p class="bad">${project.problem}</p></div></li>`;
          const share = project.nodes ? project.labels / project.nodes : 0;
          const classes = Array.isArray(project.classes) ? project.classes.length : project.classes;
          return html`
            <li key=${project.id}>
              <a class="sheet" href=${addressOf(project.id, "label")} onClick=${(event) => openProject(event, app, project.id)}>
                <h3>${project.name || project.id}</h3>
                <p class="muted">${many(project.nodes, "node")}, ${many(classes, "class", "classes")}</p>
                <progress max="1" value=${share} aria-label="Share labelled"></progress>
                <p class="small">${count(project.labels)} labelled</p>
              </a>
            </li>
          `;
        })}
      </ul>
    </section>
  `;
}

function openProject(event, app, id) {
  if (app.options.page) return; // The address changes, and the page follows it.
  event.preventDefault();
  app.open(id);
}
