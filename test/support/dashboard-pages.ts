import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The values of the `$names` of a page's path. */
export type PathValues = Readonly<Record<string, string>>;

/**
 * Every page of the dashboard, as its table of routes has them, with values for their `$names`, and one
 * address that is none's.
 */
export function dashboardPages(values: PathValues): { readonly open: string[]; readonly signedIn: string[] } {
  const table = readFileSync(
    fileURLToPath(new URL("../../dashboard/src/routes.tsx", import.meta.url)),
    "utf8",
  );
  const paths = (word: string): string[] =>
    [...table.matchAll(new RegExp(`\\b${word}\\(\\s*"([^"]+)"`, "g"))].map(([, path = ""]) =>
      filled(path, values),
    );
  return { open: [...paths("gatePage"), "/operator/nowhere"], signedIn: paths("page") };
}

function filled(path: string, values: PathValues): string {
  return path.replace(/\$(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`${path}: say in the dashboard's world what stands for $${name}`);
    return value;
  });
}
