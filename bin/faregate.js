#!/usr/bin/env node
// The committed entry point: checks what a build cannot check for itself, then hands over.
import { statSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const supported = (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major === 24;
if (!supported) {
  console.error(`faregate: Node ${process.versions.node} is not supported; use Node 20.19+, 22.13+ or 24.`);
  process.exit(1);
}
// The bundle starts in two thirds of the time that the modules take which it is made of; whoever only compiled since runs those.
const modules = new URL("../dist/main.js", import.meta.url);
const bundle = new URL("../dist/bundle/main.js", import.meta.url);
const compiledAt = builtAt(new URL("../dist/.tsbuildinfo", import.meta.url));
const entry = builtAt(bundle) > compiledAt ? bundle : modules;
if (builtAt(entry) === 0) {
  console.error("faregate: dist/ is absent; run `npm run build` first (needs `npm ci --include=dev`).");
  process.exit(1);
}
// Node 22 and later keep compiled code beside the program, where that can be written, and start faster the next time.
// Not among temporary files, where others could put theirs.
module.enableCompileCache?.(fileURLToPath(new URL("../dist/compile-cache", import.meta.url)));
await import(entry.href);

/** When a file was last written; 0 = it is not there. */
function builtAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
