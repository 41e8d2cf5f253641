// Builds the page into ../src/ohmline/service/static (or the folder given as the argument). The same source and the
// same lock file give the same bytes, which a test checks.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ? resolve(process.argv[2]) : join(here, "../src/ohmline/service/static");
mkdirSync(out, { recursive: true });

const palette = JSON.parse(readFileSync(join(here, "palette.json"), "utf8"));
const tokens = (theme) =>
  Object.entries(palette[theme])
    .map(([name, value]) =>
      Array.isArray(value) ? value.map((colour, k) => `--class-${k}: ${colour};`).join(" ") : `--${name}: ${value};`,
    )
    .join(" ");
const tokensCss = `
.ohm { ${tokens("light")} color-scheme: light; }
@media (prefers-color-scheme: dark) { .ohm:not([data-theme="light"]) { ${tokens("dark")} color-scheme: dark; } }
.ohm[data-theme="dark"] { ${tokens("dark")} color-scheme: dark; }
`;

const fromPalette = {
  name: "tokens",
  setup(builder) {
    builder.onResolve({ filter: /^tokens$/ }, () => ({ path: "tokens", namespace: "tokens" }));
    builder.onLoad({ filter: /.*/, namespace: "tokens" }, () => ({ contents: tokensCss, loader: "css" }));
  },
};
const shared = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome110", "firefox115", "safari16"],
  legalComments: "none",
  charset: "utf8",
  plugins: [fromPalette],
  logLevel: "warning",
};

await build({ ...shared, entryPoints: ["src/app.js"], outfile: join(out, "app.js") });
await build({ ...shared, entryPoints: ["src/page.js"], outfile: join(out, "page.js"), external: ["./app.js"] });
await build({ ...shared, entryPoints: ["src/css/app.css"], outfile: join(out, "app.css") });
writeFileSync(join(out, "index.html"), readFileSync(join(here, "src/index.html")));

const notices = ["preact", "htm", "sigma", "graphology", "graphology-utils", "events", "uplot"].map((name) => {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = ["LICENSE", "LICENSE.txt"].map((each) => join(folder, each));
  const text = file.map((each) => tryRead(each)).find((each) => each !== null);
  if (text === undefined) throw new Error(`${name} has no licence file in ${folder}`);
  return `${name} ${version} (${license})\n${"-".repeat(72)}\n${text.replaceAll("\r\n", "\n").trim()}\n`;
});
writeFileSync(
  join(out, "LICENSES.txt"),
  "The page of Ohmline contains the following packages, each under its own licence.\n\n" + notices.join("\n\n"),
);

function tryRead(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
