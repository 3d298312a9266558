import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig, type Plugin } from "vite";

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
  plugins: [documentation()],
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

/** What the page at /docs needs of Swagger UI, and its terms. The package also holds further builds and their maps. */
const DOCUMENTATION = [
  ...["swagger-ui.css", "index.css", "swagger-ui-bundle.js", "favicon-16x16.png", "favicon-32x32.png"],
  ...["LICENSE", "NOTICE"],
];

/** The gateway serves what lies in dist/swagger-ui; the package is needed to build alone. */
function documentation(): Plugin {
  return {
    name: "documentation",
    closeBundle() {
      mkdirSync("dist/swagger-ui", { recursive: true });
      for (const file of DOCUMENTATION)
        copyFileSync(`node_modules/swagger-ui-dist/${file}`, `dist/swagger-ui/${file}`);
    },
  };
}
