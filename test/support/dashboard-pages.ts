import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The values of the `$names` of a page's path. */
export type PathValues = Readonly<Record<string, string>>;

/** Pages that say more of other things: of a failed request, and what is behind a tab. */
const MORE = [
  "/accounts/$account/requests?tab=failed",
  "/accounts/$account/requests/$failed",
  "/operator/requests/$failed",
  "/operator/errors?tab=unknown_keys",
];

/**
 * Every page of the dashboard, as its table of routes has them, with values for their `$names`, those that say more of
 * other things, and one address that is none's.
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
  const more = MORE.map((path) => filled(path, values));
  return { open: [...paths("gatePage"), "/operator/nowhere"], signedIn: [...paths("page"), ...more] };
}

function filled(path: string, values: PathValues): string {
  return path.replace(/\$(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`${path}: say in the dashboard's world what stands for $${name}`);
    return value;
  });
}
