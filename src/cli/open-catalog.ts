import { basename } from "node:path";
import { openKeyHasher } from "../accounts/key-hasher.ts";
import type { Seals } from "../base/seal.ts";
import { type ModelDeclaration, readModels } from "../catalog/models-store.ts";
import { readUpstreams } from "../catalog/upstreams-store.ts";
import type { Config } from "../config.ts";
import { EXAMPLE_PROTOCOL } from "../conversation/protocol-name.ts";
import type { ManifestDeps } from "../manifest/apply.ts";
import { readDemoWarnings } from "../manifest/demo/demo-warnings.ts";
import { type DemoOutcome, startWithDemo, startWithFile, wantsDemo } from "../manifest/demo/start.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { Log } from "../observe/log.ts";
import type { Database } from "../storage/database.ts";
import { ensureFirstUser, type FirstUser } from "../users/members/first-user.ts";
import { catalogTrace, startOrigin } from "./audit.ts";
import { keepSandbox } from "./keep-sandbox.ts";

/** The facts that the banner shows. */
export interface Welcome {
  /** The key that was made just now, on an empty database; shown once. */
  readonly firstKey: string | undefined;
  /** The first user who can sign in, if there was none before. */
  readonly firstUser: FirstUser | undefined;
  readonly sandboxUrl: string | undefined;
  /** Nothing was declared at this start: the catalog is what the database holds. */
  readonly asItIs: boolean;
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
  /** The file of FAREGATE_CONFIG; undefined = the variable is not set. */
  readonly manifest: Manifest | undefined;
  readonly database: Database;
  readonly seals: Seals;
  readonly log: Log;
  /** Resolves when the gateway begins to stop: a sandbox that ends from then on stays so. */
  readonly stop: Promise<unknown>;
}

/**
 * Makes the database hold the catalog that this start serves: the file of FAREGATE_CONFIG, else what is in the
 * database, else the demo on an embedded sandbox. On an empty database the first account gets its first key; where
 * there is no user yet, there is one afterwards.
 */
export async function openCatalog(options: OpenCatalogOptions): Promise<OpenedCatalog> {
  const { database, seals, manifest } = options;
  const deps = { database, seals, hasher: await openKeyHasher(database, seals) };
  if (manifest !== undefined) return openFile(options, deps, manifest);
  if (await wantsDemo(deps)) return openDemo(options, deps);
  options.log.info({}, AS_IT_IS);
  await warnOfDemo(options);
  return openAsItIs(options, deps);
}

const AS_IT_IS = "catalog of the database served; FAREGATE_CONFIG is not set";

async function openFile(
  { config, log }: OpenCatalogOptions,
  deps: ManifestDeps,
  manifest: Manifest,
): Promise<OpenedCatalog> {
  const { changes, notes, warnings, firstKey, declared } = await startWithFile(deps, manifest, {
    bootstrapKey: config.bootstrapKey,
    trace: catalogTrace(basename(config.configFile ?? ""), startOrigin()),
  });
  if (changes.length > 0) log.info({ changes: changes.length }, "catalog applied");
  const told = [...notes, ...warnings];
  if (told.length > 0) log.warn({ warnings: told }, "catalog file has warnings");
  return {
    welcome: {
      firstKey,
      firstUser: await firstUserOf(config, deps),
      sandboxUrl: undefined,
      asItIs: false,
      chatModel: chatModelOf(manifest.models),
      emptyAccount: firstKey && emptyAccountOf(declared),
    },
    close: () => Promise.resolve(),
  };
}

async function openDemo(options: OpenCatalogOptions, deps: ManifestDeps): Promise<OpenedCatalog> {
  const { config, stop, log } = options;
  let firstKey: string | undefined;
  let isTouched = false;
  const moved = async (sandboxUrl: string): Promise<void> => {
    const trace = catalogTrace("demo", startOrigin());
    const outcome = await startWithDemo(deps, sandboxUrl, { bootstrapKey: config.bootstrapKey, trace });
    isTouched = outcome.type !== "untouched";
    if (outcome.type === "made") firstKey = outcome.firstKey;
    log.info({ sandboxUrl }, DEMO_SENTENCES[outcome.type]);
    await warnOfDemo(options);
  };
  const sandbox = await keepSandbox({ moved, stop, log });
  try {
    const opened = await openAsItIs(options, deps);
    const demo = { firstKey, sandboxUrl: isTouched ? sandbox.url : undefined, asItIs: !isTouched };
    return { welcome: { ...opened.welcome, ...demo }, close: () => sandbox.stop() };
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
}

const DEMO_SENTENCES: Readonly<Record<DemoOutcome["type"], string>> = {
  made: "demo catalog loaded into the empty database; FAREGATE_CONFIG is not set",
  moved: "demo catalog served with a new sandbox port; FAREGATE_CONFIG is not set",
  untouched: AS_IT_IS,
};

async function openAsItIs({ config }: OpenCatalogOptions, deps: ManifestDeps): Promise<OpenedCatalog> {
  return {
    welcome: {
      firstKey: undefined,
      firstUser: await firstUserOf(config, deps),
      sandboxUrl: undefined,
      chatModel: chatModelOf(await readModels(deps.database)),
      emptyAccount: undefined,
      asItIs: true,
    },
    close: () => Promise.resolve(),
  };
}

async function warnOfDemo({ database, seals, log }: OpenCatalogOptions): Promise<void> {
  const warnings = await readDemoWarnings(database, await readUpstreams(database, seals));
  if (warnings.length > 0) log.warn({ warnings }, "demo catalog has warnings");
}

function firstUserOf(
  { bootstrapPassword }: Config,
  { database, hasher }: ManifestDeps,
): Promise<FirstUser | undefined> {
  return ensureFirstUser(database, hasher, bootstrapPassword);
}

function chatModelOf(
  models: readonly Pick<ModelDeclaration, "id" | "endpoints" | "price">[],
): string | undefined {
  return models.find(({ endpoints, price }) => endpoints.includes(EXAMPLE_PROTOCOL) && price !== null)?.id;
}

/** The account that a first key is for is the file's first. */
function emptyAccountOf({ accounts: [account] }: Manifest): string | undefined {
  return account !== undefined && (account.balanceNanos ?? 0n) === 0n ? account.name : undefined;
}
