import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const outDir = fileURLToPath(new URL("../dist/dashboard", import.meta.url));

/** The gateway serves what lies in dist/dashboard; `npx vite dashboard` is for working on the pages. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), tailwind(), precompressed()],
  build: {
    outDir,
    emptyOutDir: true,
    // Which page needs which files: the test of what a first visit loads reads it.
    manifest: true,
    // The browsers that know light-dark(), of which both themes are made.
    target: ["chrome123", "edge123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8080", "/v1": "http://127.0.0.1:8080" } },
});

/** Writes each file once more as gzip and brotli, so that the gateway never compresses at run time. */
function precompressed(): Plugin {
  return {
    name: "precompressed",
    apply: "build",
    async closeBundle() {
      const entries = await readdir(outDir, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && /\.(js|css|html|svg)$/.test(entry.name));
      await Promise.all(
        files.map(async (entry) => {
          const path = join(entry.parentPath, entry.name);
          const body = await readFile(path);
          await writeFile(`${path}.gz`, await promisify(gzip)(body, { level: 9 }));
          await writeFile(`${path}.br`, await promisify(brotliCompress)(body));
        }),
      );
    },
  };
}
