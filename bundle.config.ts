import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig } from "vite";

/** What the compiler wrote. */
const MODULES = "dist";

/** Where the program looks for what lies beside it: as deep below the root as the modules of src/ that look. */
const OUTPUT = "dist/bundle";

/**
 * The built modules in few files: Node spends a third of a start on finding and linking hundreds of them. Packages stay
 * outside, as installed. Workers are entries, since they are started by the name of their file.
 */
export default defineConfig({
  publicDir: false,
  build: {
    ssr: true,
    outDir: OUTPUT,
    emptyOutDir: true,
    target: "node20",
    minify: false,
    rollupOptions: {
      input: { main: `${MODULES}/main.js`, ...workers() },
      // A log names the classes of errors.
      output: { keepNames: true, entryFileNames: "[name].js", chunkFileNames: "[name].js" },
    },
  },
});

function workers(): Record<string, string> {
  const paths = readdirSync(MODULES, { recursive: true, encoding: "utf8" });
  const found = paths.filter((path) => path.endsWith("-worker.js") && !path.startsWith("bundle"));
  return Object.fromEntries(found.map((path) => [basename(path, ".js"), `${MODULES}/${path}`]));
}
