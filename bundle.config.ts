import { defineConfig } from "vite";

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
      input: {
        main: "dist/main.js",
        "translate-worker": "dist/relay/translate-worker.js",
        "large-json-worker": "dist/base/large-json-worker.js",
      },
      // A log names the classes of errors.
      output: { keepNames: true, entryFileNames: "[name].js", chunkFileNames: "[name].js" },
    },
  },
});
