#!/usr/bin/env node
// The `prepare` script: builds where the compiler is installed, explains itself where it is not
// (a production install), and never fails an install for it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

if (existsSync(new URL("../node_modules/typescript/package.json", import.meta.url))) {
  const build = spawnSync("npm", ["run", "build"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  process.exit(build.status ?? 1);
}
console.log(
  "faregate: typescript is not installed, so nothing was built; run `npm ci --include=dev` to build from source.",
);
