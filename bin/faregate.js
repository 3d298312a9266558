#!/usr/bin/env node
// The committed entry point: checks what a build cannot check for itself, then hands over.
import { existsSync } from "node:fs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const supported = (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major === 24;
if (!supported) {
  console.error(`faregate: Node ${process.versions.node} is not supported; use Node 20.19+, 22.13+ or 24.`);
  process.exit(1);
}
const entry = new URL("../dist/main.js", import.meta.url);
if (!existsSync(entry)) {
  console.error("faregate: dist/ is absent; run `npm run build` first (needs `npm ci --include=dev`).");
  process.exit(1);
}
await import(entry.href);
