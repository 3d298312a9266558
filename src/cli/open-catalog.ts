import { readAccounts } from "../accounts/accounts-store.ts";
import { generateKey } from "../accounts/key-form.ts";
import { openKeyHasher } from "../accounts/key-hasher.ts";
import type { Seals } from "../base/seal.ts";
import type { Config } from "../config.ts";
import { applyManifest } from "../manifest/apply.ts";
import { demoManifest } from "../manifest/demo.ts";
import { withFirstKey } from "../manifest/first-key.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { readManifest } from "../manifest/read.ts";
import type { Log } from "../observe/log.ts";
import { ensureFirstUser, type FirstUser } from "../people/first-user.ts";
import type { Database } from "../storage/database.ts";
import { type SandboxProgram, startSandboxProgram } from "./sandbox-program.ts";

/** What the welcome tells a person. */
export interface Welcome {
  /** The key that was made just now, on an empty database; shown once. */
  readonly firstKey: string | undefined;
  /** Who can sign in first, where nobody could before. */
  readonly firstUser: FirstUser | undefined;
  readonly sandboxUrl: string | undefined;
  /** A model to try first; undefined = none is served on chat completions. */
  readonly chatModel: string | undefined;
  /** The first key's account, where it has nothing to spend. */
  readonly emptyAccount: string | undefined;
}

export interface OpenedCatalog {
  readonly welcome: Welcome;
  /** Resolves when nothing of it uses the database any more. */
  close(): Promise<void>;
}

export interface OpenCatalogOptions {
  readonly config: Config;
  readonly database: Database;
  readonly seals: Seals;
  readonly log: Log;
  /** Resolves when the gateway begins to stop: a sandbox that ends from then on stays so. */
  readonly stop: Promise<unknown>;
}

/**
 * Makes the database hold the catalog that this start serves: the file of FAREGATE_CONFIG, else the demo
 * on an embedded sandbox. On an empty database the first account gets its first key; where there is no user
 * yet, there is one afterwards.
 */
export async function openCatalog({
  config,
  database,
  seals,
  log,
  stop,
}: OpenCatalogOptions): Promise<OpenedCatalog> {
  const deps = { database, seals, hasher: await openKeyHasher(database, seals) };
  const isEmpty = (await readAccounts(database)).length === 0;
  const apply = async (manifest: Manifest): Promise<void> => {
    const { changes, notes } = await applyManifest(deps, manifest);
    if (changes.length > 0) log.info({ changes: changes.length }, "catalog applied");
    for (const note of notes) log.warn({}, note);
  };
  const firstUserOf = (): Promise<FirstUser | undefined> =>
    ensureFirstUser(database, deps.hasher, config.bootstrapPassword);

  if (config.configFile !== undefined) {
    const manifest = await readManifest(config.configFile, config.environment);
    const firstKey = isEmpty ? (config.bootstrapKey ?? keyUnlessDeclared(manifest)) : undefined;
    const declared = firstKey === undefined ? manifest : withFirstKey(manifest, firstKey);
    await apply(declared);
    const welcome = {
      ...{ firstKey, firstUser: await firstUserOf(), sandboxUrl: undefined },
      ...{ chatModel: chatModelOf(manifest), emptyAccount: firstKey && emptyAccountOf(declared) },
    };
    return { welcome, close: () => Promise.resolve() };
  }
  const firstKey = isEmpty ? (config.bootstrapKey ?? generateKey()) : undefined;
  let declared = firstKey;
  const moved = async (sandboxUrl: string): Promise<void> => {
    await apply(demoManifest({ sandboxUrl, bootstrapKey: declared }));
    declared = undefined;
  };
  const sandbox = await keepSandbox({ moved, stop, log });
  try {
    const welcome = {
      ...{ firstKey, firstUser: await firstUserOf(), sandboxUrl: sandbox.url },
      ...{ chatModel: chatModelOf(demoManifest({ sandboxUrl: sandbox.url })), emptyAccount: undefined },
    };
    return { welcome, close: () => sandbox.stop() };
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
}

/** A file that declares keys of its own needs no first key of ours. */
function keyUnlessDeclared(manifest: Manifest): string | undefined {
  return manifest.accounts.some(({ keys }) => keys !== null && keys.length > 0) ? undefined : generateKey();
}

function chatModelOf({ models }: Manifest): string | undefined {
  return models.find(({ endpoints, price }) => endpoints.includes("chat-completions") && price !== null)?.id;
}

/** The account that a first key is for is the file's first. */
function emptyAccountOf({ accounts: [account] }: Manifest): string | undefined {
  return account !== undefined && (account.balanceNanos ?? 0n) === 0n ? account.name : undefined;
}

/** Pauses between restarts of a sandbox that dies. */
const RESTART_AFTER_MS = 1_000;

interface SandboxKeeping {
  /** Hears each address, as the port changes with every start. */
  readonly moved: (url: string) => Promise<void>;
  readonly stop: Promise<unknown>;
  readonly log: Log;
}

/** Runs the sandbox and starts it anew when it dies, until the gateway stops. */
async function keepSandbox({
  moved,
  stop,
  log,
}: SandboxKeeping): Promise<{ readonly url: string; stop(): Promise<void> }> {
  let stopping = false;
  void stop.then(() => {
    stopping = true;
  });
  let starting: Promise<void> = Promise.resolve();
  const start = async (): Promise<SandboxProgram> => {
    const next = await startSandboxProgram(restartSoon);
    try {
      await moved(next.url);
    } catch (error) {
      next.stop();
      throw error;
    }
    return next;
  };
  // A signal to the whole of a service reaches the sandbox first: only after the pause is it known to have died alone.
  const restartSoon = (): void => {
    setTimeout(() => {
      if (!stopping) starting = restart();
    }, RESTART_AFTER_MS).unref();
  };
  const restart = async (): Promise<void> => {
    log.warn({}, "the sandbox died and is started again");
    try {
      program = await start();
    } catch (err) {
      if (stopping) return;
      log.error({ err }, "the sandbox does not start; trying again");
      restartSoon();
    }
  };
  let program = await start();
  return {
    url: program.url,
    async stop() {
      stopping = true;
      await starting;
      program.stop();
    },
  };
}
