import { readFileSync } from "node:fs";
import { PACKAGE_FILES } from "../base/package-files.ts";

/** The package's version. */
export function version(): string {
  const file = readFileSync(PACKAGE_FILES.description, "utf8");
  return (JSON.parse(file) as { version: string }).version;
}
