#!/usr/bin/env node
// The `prepare` script: builds where the compiler is installed, explains itself where it is not
// (a production install), and never fails an install for it.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const OUTPUTS = [
  "../dist/bundle/main.js",
  "../dist/dashboard/index.html",
  "../dist/swagger-ui/index.css",
  "../sandbox/dist/main.js",
];
const INPUTS = ["src", "dashboard/src", "dashboard/index.html", "sandbox/src", "package-lock.json"];

const isBuilt = OUTPUTS.every((path) => existsSync(new URL(path, import.meta.url)));

// `npx` in a clone runs this as well: it would rebuild the program under a gateway that serves from it.
if (isBuilt && (process.env.npm_command === "exec" || isCurrent())) process.exit(0);
if (existsSync(new URL("../node_modules/typescript/package.json", import.meta.url))) {
  const build = spawnSync("npm", ["run", "build"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  process.exit(build.status ?? 1);
}
console.log(
  isBuilt
    ? "faregate: typescript is not installed, so dist/ stays as it was built, which is older than the sources."
    : "faregate: typescript is not installed, so nothing was built; run `npm ci --include=dev` to build from source.",
);

/** Whether everything was built after the last change of what it is built from. */
function isCurrent() {
  const oldest = Math.min(...OUTPUTS.map((path) => statSync(new URL(path, import.meta.url)).mtimeMs));
  return INPUTS.every((path) => newestIn(`${root}${path}`) < oldest);
}

function newestIn(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestIn(`${path}/${name}`)));
}
