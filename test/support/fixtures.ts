import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Names the folder of the recordings, which are no part of the project. */
const VARIABLE = "TEST_FIXTURES";

/**
 * A file or folder of the recorded exchanges with real vendors and of the vendors' published schemas. Only the tests of
 * `test/recordings` read them: `npm test` is the same on every machine.
 */
export function fixture(path: string): string {
  const folder = process.env[VARIABLE];
  if (!folder || !existsSync(folder))
    throw new Error(`There are no recordings: ${VARIABLE} ${said(folder)}.`);
  return join(resolve(folder), path);
}

function said(folder: string | undefined): string {
  return folder ? `names ${folder}, which is not there` : "names no folder; npm run test:recordings sets it";
}

/** The message comes once before the lane begins, instead of once for each of its files. */
export default function setup(): void {
  fixture("");
}
