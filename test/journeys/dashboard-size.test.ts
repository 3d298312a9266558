import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const built = fileURLToPath(new URL("../../dist/dashboard/", import.meta.url));

/** A slow line of 1 Mbit/s brings this in two seconds. */
const MAX_BYTES = 250 * 1024;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

describe("the dashboard's first load", () => {
  it.each(["sign-in", "home"])("of the %s page is at most 250 KB as sent", (page) => {
    const manifest: Record<string, Chunk> = JSON.parse(
      readFileSync(join(built, ".vite/manifest.json"), "utf8"),
    );
    const files = new Set(["index.html"]);
    const add = (name: string): void => {
      const chunk = manifest[name];
      if (chunk === undefined) throw new Error(`the build has no ${name}`);
      if (files.has(chunk.file)) return;
      for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
      chunk.imports?.forEach(add);
    };
    add("index.html");
    add(`src/pages/${page}/page.tsx`);
    const bytes = [...files].reduce((sum, file) => sum + statSync(join(built, `${file}.gz`)).size, 0);
    expect(files.size).toBeGreaterThan(3);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });
});
