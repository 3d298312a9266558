import type { Queryable } from "../storage/database.ts";
import { type Applied, type ManifestDeps, makePlan, type PlanParts, present, writePlan } from "./apply.ts";
import type { CheckedPlan } from "./diff/changes.ts";
import { readState, type State } from "./diff/state.ts";
import { createPlaceholders } from "./file/placeholders.ts";
import { type Environment, parseManifest } from "./file/read.ts";
import { standInFor } from "./file/stand-ins.ts";
import { lockManifest } from "./manifest-store.ts";

/** A catalog file that comes as a text from outside, so that its `${NAME}` are secrets kept here and never the environment's. */
export interface ImportedFile {
  readonly text: string;
  readonly prune: boolean;
}

/** Computes the effect of importing the file. Throws ManifestError with every problem, ManifestConflict. */
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

/** A catalog file of this machine's, which takes its secrets from the environment, else from what the gateway keeps. */
export interface LocalFile {
  /** For applyManifest(): what it declares beside this state. */
  readonly declared: (state: State) => Pick<PlanParts, "manifest" | "knownHash">;
  /** The variables that were not set, whose secrets stayed as they are; known once it was applied. */
  readonly unset: ReadonlySet<string>;
}

/**
 * Reads it so that an export can be applied where it was made, secrets or not. Throws ManifestError for what is wrong
 * whatever the gateway keeps; a variable that is not set and means nothing kept is refused when it is applied.
 */
export function localFile(text: string, env: Environment, file: string): LocalFile {
  parseManifest(text, env, file, { kept: (name) => standInFor(`for-the-secret-${name}`) });
  const unset = new Set<string>();
  return {
    unset,
    declared(state) {
      const standIns = createPlaceholders(state);
      const kept = (name: string): string | undefined => {
        const standIn = standIns.byName[name];
        if (standIn !== undefined) unset.add(name);
        return standIn;
      };
      const manifest = standIns.exchange(parseManifest(text, env, file, { kept }));
      return { manifest, knownHash: standIns.hashOf };
    },
  };
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
