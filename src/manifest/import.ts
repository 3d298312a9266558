import type { Queryable } from "../storage/database.ts";
import { type Applied, type ManifestDeps, makePlan, present, writePlan } from "./apply.ts";
import type { CheckedPlan } from "./changes.ts";
import { lockManifest } from "./manifest-store.ts";
import { createPlaceholders } from "./placeholders.ts";
import { parseManifest } from "./read.ts";
import { readState } from "./state.ts";

/** A catalog file that comes as a text from outside, so that its `${NAME}` are secrets kept here and never the environment's. */
export interface ImportedFile {
  readonly text: string;
  readonly prune: boolean;
}

/** What importing the file would do. Throws ManifestError with every problem, ManifestConflict. */
export function planImport(deps: ManifestDeps, file: ImportedFile): Promise<Applied> {
  return deps.database.transaction(async (tx) => present(await planFile(tx, deps, file)), {
    isolation: "repeatable read",
    readOnly: true,
  });
}

/** Imports the file in the caller's transaction, wholly or not at all. Throws as planImport does. */
export async function applyImport(tx: Queryable, deps: ManifestDeps, file: ImportedFile): Promise<Applied> {
  await lockManifest(tx);
  return writePlan(tx, deps, await planFile(tx, deps, file));
}

async function planFile(
  tx: Queryable,
  deps: ManifestDeps,
  { text, prune }: ImportedFile,
): Promise<CheckedPlan> {
  const state = await readState(tx, deps.seals);
  const standIns = createPlaceholders(state);
  const parsed = parseManifest(text, standIns.byName, "catalog file", { secretsOnly: true });
  const manifest = standIns.exchange(parsed);
  return makePlan(tx, deps, { state, manifest, prune, knownHash: standIns.hashOf });
}
