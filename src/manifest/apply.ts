import { findAccount, setAccountDisabled, upsertAccount } from "../accounts/accounts-store.ts";
import type { AccountId } from "../accounts/caller.ts";
import { type KeyHasher, keepToken } from "../accounts/key-hasher.ts";
import { createKey, revokeKey, rotateKey, setKeyTerms } from "../accounts/keys-store.ts";
import { appendAll } from "../base/append-all.ts";
import { assert, unreachable } from "../base/assert.ts";
import { systemClock } from "../base/clock.ts";
import type { Seals } from "../base/seal.ts";
import { grantOpeningBalance } from "../billing/ledger/ledger-store.ts";
import { deleteGroup, upsertGroup, writeSettings } from "../catalog/catalog-store.ts";
import { pricedAt } from "../catalog/coming-prices.ts";
import { deleteModel, type ModelDeclaration, upsertModels } from "../catalog/models-store.ts";
import type { SettingsFile } from "../catalog/settings.ts";
import { deleteUpstream, upsertUpstream } from "../catalog/upstreams-store.ts";
import type { Database, Queryable } from "../storage/database.ts";
import { demoAccountWarnings, demoRemovals } from "./demo/demo.ts";
import { hadDemo } from "./demo/demo-store.ts";
import { type Change, type ChangeSummary, type CheckedPlan, renderPlan, summarize } from "./diff/changes.ts";
import { diffManifest } from "./diff/diff.ts";
import { findSecretOwners, readState, type State } from "./diff/state.ts";
import { warningsOf } from "./diff/warnings.ts";
import type { Manifest } from "./manifest.ts";
import { lockManifest } from "./manifest-store.ts";

export interface ManifestDeps {
  readonly database: Database;
  readonly seals: Seals;
  readonly hasher: KeyHasher;
}

export interface ApplyOptions {
  /** Also remove what the file no longer names, in the sections that it has. */
  readonly prune?: boolean;
  /** Also take out the demo that the first start put here. */
  readonly removeDemo?: boolean;
  /** Only say what would be done. */
  readonly dryRun?: boolean;
  /** Leaves a trace of what was changed in the same transaction; not called where nothing was. */
  readonly trace?: (tx: Queryable, applied: Applied) => Promise<void>;
}

export interface Applied {
  readonly changes: readonly ChangeSummary[];
  readonly notes: readonly string[];
  /** Statements of the file that are probably mistakes, as sentences. */
  readonly warnings: readonly string[];
  /** The diff for people; no secret in it. */
  readonly rendered: string;
}

/**
 * Makes the database hold what the manifest declares, wholly or not at all; gateways see it as one new
 * version of the catalog. Throws ManifestConflict where the file contradicts the database, SealError
 * under a wrong master key.
 */
export async function applyManifest(
  deps: ManifestDeps,
  manifest: Declared,
  { dryRun = false, ...options }: ApplyOptions = {},
): Promise<Applied> {
  if (dryRun) return planChanges(deps, manifest, options);
  return deps.database.transaction(async (tx) => {
    await lockManifest(tx);
    return applyWithin(tx, deps, manifest, options);
  });
}

/** The same as a part of a larger change, under lockManifest(). */
export async function applyWithin(
  tx: Queryable,
  deps: ManifestDeps,
  manifest: Declared,
  { prune = false, removeDemo = false, trace }: Omit<ApplyOptions, "dryRun"> = {},
): Promise<Applied> {
  const state = await readState(tx, deps.seals);
  const parts = { state, ...declaredIn(state, manifest), prune, removeDemo };
  const applied = await writePlan(tx, deps, await makePlan(tx, deps, parts));
  if (applied.changes.length > 0) await trace?.(tx, applied);
  return applied;
}

/** The plan of applyManifest(), from one snapshot of the database. */
export async function planChanges(
  deps: ManifestDeps,
  manifest: Declared,
  { prune = false, removeDemo = false }: Pick<ApplyOptions, "prune" | "removeDemo"> = {},
): Promise<Applied> {
  const plan = await deps.database.transaction(
    async (tx) => {
      const state = await readState(tx, deps.seals);
      return makePlan(tx, deps, { state, ...declaredIn(state, manifest), prune, removeDemo });
    },
    { isolation: "repeatable read", readOnly: true },
  );
  return present(plan);
}

/** The declarations of a file, or a function of the database's state that returns them. */
export type Declared = Manifest | ((state: State) => Pick<PlanParts, "manifest" | "knownHash">);

function declaredIn(state: State, declared: Declared): Pick<PlanParts, "manifest" | "knownHash"> {
  return typeof declared === "function" ? declared(state) : { manifest: declared };
}

export interface PlanParts {
  readonly state: State;
  readonly manifest: Manifest;
  readonly prune: boolean;
  readonly removeDemo?: boolean;
  /** Hash of a key that is only known by its hash; undefined = it is hashed like any other. */
  readonly knownHash?: (credential: string) => Buffer | undefined;
}

/** Computes the changes without writing any. Throws ManifestConflict. */
export async function makePlan(
  tx: Queryable,
  { hasher }: Pick<ManifestDeps, "hasher">,
  { state, manifest, prune, removeDemo = false, knownHash }: PlanParts,
): Promise<CheckedPlan> {
  const hashOf = (credential: string): Buffer => knownHash?.(credential) ?? hasher.hash(credential);
  const owners = await findSecretOwners(tx, hashOf, manifest);
  const now = systemClock.nowMs();
  const models = manifest.models.map((model) => pricedAt(model, now));
  const plan = diffManifest(
    state,
    { ...manifest, models, settings: keptSettings(hasher, manifest.settings) },
    {
      prune,
      hashOf: (credential) => hashOf(credential).toString("hex"),
      ownerOf: (credential) => owners.get(credential),
    },
  );
  const isDemo = await hadDemo(tx);
  const demo = isDemo && removeDemo ? demoRemovals(state, manifest) : [];
  const known = new Set(plan.changes.map(changeKey));
  const changes = [...plan.changes, ...demo.filter((change) => !known.has(changeKey(change)))];
  const removed = new Set(
    changes.flatMap(({ subject, action, name }) =>
      subject === "upstream" && action === "delete" ? [name] : [],
    ),
  );
  const warnings = warningsOf(manifest, state, { removed, now });
  if (isDemo) appendAll(warnings, demoAccountWarnings(state, manifest, changes));
  return { changes, notes: plan.notes, warnings };
}

const changeKey = ({ subject, name, action }: Change): string => `${subject} ${name} ${action}`;

/** The settings as they are stored: of the token for monitors no more than its hash. */
export function keptSettings(hasher: KeyHasher, settings: SettingsFile): SettingsFile {
  const { metrics_token: token } = settings;
  return token == null ? settings : { ...settings, metrics_token: keepToken(hasher, token) };
}

/** Writes a plan in the transaction that has made it. */
export async function writePlan(tx: Queryable, deps: ManifestDeps, plan: CheckedPlan): Promise<Applied> {
  // All at once: there may be thousands. Nothing that the plan names before them is needed for them.
  await upsertModels(tx, plan.changes.flatMap(declaredModel));
  for (const change of plan.changes) await write(tx, deps, change);
  return present(plan);
}

function declaredModel(change: Change): ModelDeclaration[] {
  return change.subject === "model" && change.action !== "delete" ? [change.model] : [];
}

export function present(plan: CheckedPlan): Applied {
  const { notes, warnings } = plan;
  return { changes: summarize(plan.changes), notes, warnings, rendered: renderPlan(plan) };
}

async function write(tx: Queryable, deps: ManifestDeps, change: Change): Promise<void> {
  switch (change.subject) {
    case "group":
      if (change.action === "delete") await deleteGroup(tx, change.name);
      else await upsertGroup(tx, change.group);
      return;
    case "model":
      if (change.action === "delete") await deleteModel(tx, change.name);
      return;
    case "upstream":
      if (change.action === "delete") await deleteUpstream(tx, change.name);
      else await upsertUpstream(tx, deps.seals, change.upstream);
      return;
    case "settings":
      return writeSettings(tx, change.settings);
    case "account":
      if (change.action === "disable") await setAccountDisabled(tx, change.name, true);
      else await upsertAccount(tx, change.account);
      return;
    case "key":
      return writeKey(tx, deps.hasher, change);
    case "balance":
      await grantOpeningBalance(tx, await accountId(tx, change.name), change.amountNanos);
      return;
    default:
      return unreachable(change);
  }
}

// A key that the file replaced is one that may have leaked.
const AT_ONCE = new Date(0);

async function writeKey(
  tx: Queryable,
  hasher: KeyHasher,
  change: Extract<Change, { subject: "key" }>,
): Promise<void> {
  switch (change.action) {
    case "create":
      await createKey(tx, hasher, { ...change.key, accountId: await accountId(tx, change.account) });
      return;
    case "update":
      await setKeyTerms(tx, change.id, change.key);
      if (change.rotated !== null)
        await rotateKey(tx, hasher, { ...change.rotated, id: change.id, oldUntil: AT_ONCE });
      return;
    case "revoke":
      await revokeKey(tx, change.id);
      return;
    default:
      unreachable(change);
  }
}

async function accountId(tx: Queryable, name: string): Promise<AccountId> {
  const account = await findAccount(tx, name);
  assert(account, `account ${name} was written before what belongs to it`);
  return account.id;
}
