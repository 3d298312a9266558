import { readAccounts } from "../../accounts/accounts-store.ts";
import { generateKey } from "../../accounts/key-form.ts";
import { type Applied, type ApplyOptions, applyWithin, type ManifestDeps } from "../apply.ts";
import { DEFAULT_GROUP, type DeclaredAccount, type Manifest } from "../manifest.ts";
import { lockManifest } from "../manifest-store.ts";
import { demoManifest } from "./demo.ts";
import { hasDemoSandbox, isCatalogEmpty, markDemo, moveDemoSandbox } from "./demo-store.ts";

/** The catalog that a start puts into the database, and the audit entry for it. */
export interface StartOptions {
  /** The first key of an empty database; undefined = one is made. */
  readonly bootstrapKey: string | undefined;
  readonly trace: NonNullable<ApplyOptions["trace"]>;
}

export interface StartedFile extends Applied {
  /** The first key, where the database was empty and the file declares none of its own. */
  readonly firstKey: string | undefined;
  /** The manifest with it. */
  readonly declared: Manifest;
}

/** Applies the file of FAREGATE_CONFIG. On an empty database its first account gets a first key. */
export function startWithFile(
  deps: ManifestDeps,
  manifest: Manifest,
  { bootstrapKey, trace }: StartOptions,
): Promise<StartedFile> {
  return deps.database.transaction(async (tx) => {
    await lockManifest(tx);
    // The check is under the lock, so that only one of several gateways that start on one empty database makes the key.
    const isFirst = (await readAccounts(tx)).length === 0;
    const firstKey = isFirst ? (bootstrapKey ?? keyUnlessDeclared(manifest)) : undefined;
    const declared = firstKey === undefined ? manifest : withFirstKey(manifest, firstKey);
    return { ...(await applyWithin(tx, deps, declared, { trace })), firstKey, declared };
  });
}

/** A file that declares keys of its own needs no first key of ours. */
function keyUnlessDeclared(manifest: Manifest): string | undefined {
  const isDeclared = manifest.accounts.some(({ keys }) =>
    keys?.some(({ credential }) => credential !== null),
  );
  return isDeclared ? undefined : generateKey();
}

/** True if a start without a file needs the demo's sandbox: for an empty database, or for the demo that is there. */
export async function wantsDemo({ database }: Pick<ManifestDeps, "database">): Promise<boolean> {
  return (await isCatalogEmpty(database)) || (await hasDemoSandbox(database));
}

/** `untouched`: the catalog is somebody's own, and nothing was changed. */
export type DemoOutcome =
  | { readonly type: "made"; readonly firstKey: string }
  | { readonly type: "moved" | "untouched" };

/**
 * Puts the demo into an empty database and marks it; where it is there, points its sandbox at the new address.
 * Whatever else is in the database stays as it is: a start is no reason to change what somebody sells.
 */
export function startWithDemo(
  deps: ManifestDeps,
  sandboxUrl: string,
  { bootstrapKey, trace }: StartOptions,
): Promise<DemoOutcome> {
  return deps.database.transaction(async (tx): Promise<DemoOutcome> => {
    await lockManifest(tx);
    if (!(await isCatalogEmpty(tx)))
      return { type: (await moveDemoSandbox(tx, sandboxUrl)) ? "moved" : "untouched" };
    const firstKey = bootstrapKey ?? generateKey();
    const manifest = demoManifest({ sandboxUrl, bootstrapKey: firstKey });
    await applyWithin(tx, deps, manifest, { trace });
    await markDemo(tx, sandboxUrl);
    return { type: "made", firstKey };
  });
}

/**
 * The manifest with one more key on its first account, so that a new installation can be called at once;
 * without any account, one called `first` gets it. Left as it is where the file declares this very key.
 */
export function withFirstKey(manifest: Manifest, credential: string): Manifest {
  const [declared, ...others] = manifest.accounts;
  const account: DeclaredAccount = declared ?? {
    name: "first",
    group: DEFAULT_GROUP,
    balanceNanos: null,
    keys: [],
  };
  const known = manifest.accounts.flatMap(({ keys }) => keys ?? []);
  if (known.some((key) => key.credential === credential)) return manifest;
  const name = freeName(account);
  return {
    ...manifest,
    accounts: [
      { ...account, keys: [...(account.keys ?? []), { name, credential, reference: null }] },
      ...others,
    ],
  };
}

function freeName({ keys }: DeclaredAccount): string {
  const taken = new Set((keys ?? []).map(({ name }) => name));
  let name = "bootstrap";
  for (let number = 2; taken.has(name); number += 1) name = `bootstrap-${number}`;
  return name;
}
