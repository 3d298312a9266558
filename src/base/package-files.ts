import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Absolute paths of what the program needs of its own package and does not import. */
export const PACKAGE_FILES = {
  /** Says the version. */
  description: pathOf("package.json"),
  /** The program behind `faregate` on the command line. */
  program: pathOf("bin/faregate.js"),
  /** A folder of SQL files. */
  migrations: pathOf("migrations"),
  /** The folder where `npm run build` puts the pages. */
  dashboard: pathOf("dist/dashboard/"),
  /** The folder where it puts the files of the page at /docs. */
  documentation: pathOf("dist/swagger-ui/"),
  /** A program of its own, so that no bug is shared by both ends. */
  sandbox: pathOf("sandbox/dist/main.js"),
} as const;

/**
 * Only this module looks for anything beside itself: it is two folders deep among the sources (src/base), among the built
 * modules (dist/base) and in the bundle of them (dist/bundle), so that the same steps lead to the root from all three.
 */
function pathOf(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** The package's version. */
export function version(): string {
  const file = readFileSync(PACKAGE_FILES.description, "utf8");
  return (JSON.parse(file) as { version: string }).version;
}
