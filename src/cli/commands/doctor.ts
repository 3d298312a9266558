import { access, constants, readdir, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { openSeals } from "../../accounts/master-key.ts";
import { learnMasterKey, openAll } from "../../accounts/master-key-store.ts";
import { systemClock } from "../../base/clock.ts";
import { SealError, type Seals } from "../../base/seal.ts";
import { counted } from "../../base/text.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { createCatalogCache } from "../../catalog/catalog-cache.ts";
import { momentText } from "../../catalog/coming-prices.ts";
import type { Config } from "../../config.ts";
import { redisProblem } from "../../limits/limits.ts";
import { readDemoWarnings } from "../../manifest/demo/demo-warnings.ts";
import type { Database } from "../../storage/database.ts";
import { migrationStatus } from "../../storage/migrator.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { probeUpstream } from "../../upstreams/probe.ts";
import { type Command, commandLine } from "../command.ts";
import { sentenceOf } from "../failure-sentence.ts";
import { mailProblem } from "../mail-server.ts";
import { withDatabase } from "../open.ts";
import { limitsOf } from "../upstream-limits.ts";

/** Below this the database's log and the journal soon have no room. */
const LEAST_FREE_BYTES = 500 * 1024 * 1024;

/** Checks everything a gateway needs and says what to do about what is missing. */
export const doctorCommand: Command = {
  name: "doctor",
  summary: "check environment, database, upstreams and models, and suggest fixes",
  positionals: [],
  options: {},
  examples: ["faregate doctor"],
  async run({ config }) {
    const report = createReport();
    report.good("environment", "all settings are valid");
    await checkDataDir(config, report);
    await checkRedis(config, report);
    try {
      await withDatabase(config, "doctor", async ({ database }) => {
        report.good(
          "database",
          config.databaseUrl === undefined
            ? "the embedded PostgreSQL runs"
            : "the server in DATABASE_URL responds",
        );
        const status = await migrationStatus(database);
        if (status.state === "current") report.good("schema", "up to date");
        else report.bad("schema", status.reason);
        const seals = await checkMasterKey(database, config, report);
        if (seals === undefined) return;
        const catalog = await createCatalogCache({ database, seals, kindOf });
        await catalog.close();
        for (const warning of await readDemoWarnings(database, catalog.current().upstreams))
          report.odd("demo", warning);
        await checkMailServer(catalog.current(), report, config);
        const answering = await checkUpstreams(catalog.current(), report, config);
        checkModels(catalog.current(), answering, report);
      });
    } catch (error) {
      report.bad("database", sentenceOf(error, config));
    }
    console.log(
      report.failures === 0
        ? "\nAll checks passed."
        : `\n${report.failures} ${report.failures === 1 ? "check" : "checks"} failed.`,
    );
    return report.failures === 0 ? 0 : 1;
  },
};

interface Report {
  failures: number;
  good(what: string, sentence: string): void;
  /** Worth a look, and no failure. */
  odd(what: string, sentence: string): void;
  bad(what: string, sentence: string): void;
}

function createReport(): Report {
  const report: Report = {
    failures: 0,
    good: (what, sentence) => console.log(`  ok    ${what}: ${sentence}`),
    odd: (what, sentence) => console.log(`  note  ${what}: ${sentence}`),
    bad(what, sentence) {
      report.failures += 1;
      console.log(`  FAIL  ${what}: ${sentence}`);
    },
  };
  return report;
}

async function checkDataDir(config: Config, report: Report): Promise<void> {
  try {
    // A folder that is not there yet is made by a start, not by a look at it.
    const place = await nearestFolder(config.dataDir);
    await access(place, constants.W_OK);
    const { bavail, bsize } = await statfs(place);
    if (bavail * bsize < LEAST_FREE_BYTES)
      report.bad(
        "data folder",
        `less than 500 MB free in ${config.dataDir}; free some space or change FAREGATE_DATA_DIR`,
      );
    else
      report.good(
        "data folder",
        place === config.dataDir
          ? `${place} is writable`
          : `${config.dataDir} doesn't exist yet and can be created`,
      );
  } catch (error) {
    report.bad("data folder", sentenceOf(error, config));
  }
}

async function checkRedis({ redisUrl }: Config, report: Report): Promise<void> {
  if (redisUrl === undefined) return;
  const problem = await redisProblem(redisUrl);
  if (problem === undefined) report.good("Redis", "the server in REDIS_URL responds");
  else
    report.bad(
      "Redis",
      `the server in REDIS_URL can't be used (${problem}); until it can, each process counts rates for itself`,
    );
}

async function checkMailServer(catalog: Catalog, report: Report, config: Config): Promise<void> {
  const problem = await mailProblem(catalog, config);
  if (problem === "") report.good("mail server", "the server in settings.smtp accepts connections");
  else if (problem !== undefined) report.bad("mail server", `${problem} Check settings.smtp.`);
}

/** The folder, or the one above it in which it can be made. Throws what keeps it from being looked at. */
async function nearestFolder(folder: string): Promise<string> {
  try {
    // The path is read as a folder, so that a file in its place or on the way to it is an error.
    await readdir(folder);
    return folder;
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isAbsent || dirname(folder) === folder) throw error;
    return nearestFolder(dirname(folder));
  }
}

/** Opens all secrets, not just the upstreams' credentials: where these have none, a wrong key would pass. */
async function checkMasterKey(
  database: Database,
  config: Config,
  report: Report,
): Promise<Seals | undefined> {
  const seals = await openSeals({ dataDir: config.dataDir, configured: config.masterKey, database }).catch(
    (error: unknown) => report.bad("master key", sentenceOf(error, config)),
  );
  if (!seals) return undefined;
  try {
    await learnMasterKey(database, seals);
    await openAll(database, seals);
    report.good("master key", "decrypts the secrets in the database");
    return seals;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    report.bad("master key", error.message);
    return undefined;
  }
}

/** Gives the names of those that answer. */
async function checkUpstreams(
  catalog: Catalog,
  report: Report,
  { environment, redisUrl }: Config,
): Promise<ReadonlySet<string>> {
  const answering = new Set<string>();
  if (catalog.upstreams.length === 0)
    report.bad(
      "upstreams",
      `there are none; add one to the catalog file, then run: ${commandLine("apply FILE")}`,
    );
  for (const upstream of catalog.upstreams) {
    if (upstream.credentials.length === 0)
      report.bad(`upstream ${upstream.name}`, "all its credentials are disabled; enable one or add another");
    for (const credential of upstream.credentials) {
      const problem = await probeUpstream(upstream, credential, { clock: systemClock, environment });
      const isBare = credential.secret === "";
      const name = `upstream ${upstream.name} (${isBare ? "no credential" : `credential ${credential.name}`})`;
      if (problem === undefined) {
        answering.add(upstream.name);
        report.good(name, isBare ? "reachable" : "reachable, credential accepted");
      } else report.bad(name, problem);
    }
    const limits = limitsOf(upstream, redisUrl !== undefined);
    if (limits !== undefined) report.good(`upstream ${upstream.name}`, limits);
  }
  return answering;
}

/** The first models of a long catalog show the problem of all. */
const SHOWN_MODELS = 10;

/** True if each can be called: it has a price, and one that answers serves it. An alias can be if its model can. */
function checkModels({ models, upstreams }: Catalog, answering: ReadonlySet<string>, report: Report): void {
  const broken = [...models.values()].flatMap(({ id, aliasOf, price, coming }): [string, string][] => {
    if (aliasOf !== undefined)
      return models.has(aliasOf) ? [] : [[id, `is an alias of ${aliasOf}, which doesn't exist`]];
    const [next] = coming ?? [];
    if (price === null && next?.fromMs !== undefined) {
      report.good(
        `model ${id}`,
        `has no price before ${momentText(next.fromMs)}, and can't be used until then`,
      );
      return [];
    }
    if (price === null) return [[id, "has no price, so it can't be used; set one in the catalog"]];
    const serving = upstreams.filter((upstream) => upstream.models.has(id)).map(({ name }) => name);
    if (serving.length === 0) return [[id, "has no enabled upstream; add it to an upstream's models"]];
    if (serving.some((name) => answering.has(name))) return [];
    return [[id, `has no working upstream (${serving.join(", ")})`]];
  });
  const own = [...models.values()].filter(({ aliasOf }) => aliasOf === undefined);
  if (broken.length === 0 && own.length > 0)
    report.good("models", `${counted(own.length, "model")}, each with a price and a working upstream`);
  for (const [id, problem] of broken.slice(0, SHOWN_MODELS)) report.bad(`model ${id}`, problem);
  const more = broken.length - SHOWN_MODELS;
  if (more > 0) report.bad("models", `${counted(more, "more model")} can't be used either`);
}
