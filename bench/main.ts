import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { type Blocks, measureBlocks } from "./block.ts";
import { CONSOLE_GOAL_MS, type ConsoleBench, timeConsole } from "./console.ts";
import type { Absent, Contestant } from "./contestant.ts";
import { type Cores, chooseCores } from "./cores.ts";
import { auditGateways, type GatewayUnderTest, startGatewayUnderTest } from "./gateway.ts";
import { startMinimalProxy, startYoungProxy } from "./minimal.ts";
import { startNginx } from "./nginx.ts";
import { type Options, type Part, readOptions } from "./options.ts";
import { startPeer } from "./peer.ts";
import { buildPrograms, killAll, ROOT, startOwnServer } from "./programs.ts";
import {
  blockTable,
  consoleTable,
  latencyTable,
  loadTable,
  type Ratio,
  ratiosTo,
  startTable,
} from "./report.ts";
import { type LoadGenerator, type Measured, measure, startLoadGenerator, type Workload } from "./rounds.ts";
import { type StartTimes, timeStarts } from "./start-times.ts";

/**
 * The side-by-side benchmark: every server in one run, on the same upstream, one core each, in turn. It
 * fails only for errors (a wrong answer, a wrong charge), never for speed: docs/benchmark.md says how to
 * read it.
 */
interface Results {
  readonly tables: Record<string, readonly Measured[]>;
  /** By table, to the server that is its ratio 1.00. */
  readonly ratios: Record<string, readonly Ratio[]>;
  starts?: StartTimes;
  blocks?: Blocks;
  console?: ConsoleBench;
  readonly skipped: string[];
  readonly complaints: string[];
}

/** More than one caller at a time would measure waiting; fewer seconds suffice. */
const LATENCY_SECONDS = 2;

/** Before the measurement of one caller, which follows on warm servers. */
const SHORT_WARM_UP_SECONDS = 1;

/** What callers ask for: answers at once, or streams. */
type Way = "plain" | "stream";

const CONNECTIONS: Record<Way, number> = { plain: 64, stream: 32 };

async function bench(options: Options): Promise<Results> {
  const cores = chooseCores(options.oneCore);
  const results: Results = { tables: {}, ratios: {}, skipped: [], complaints: [] };
  const folder = await mkdtemp(join(tmpdir(), "faregate-bench-"));
  console.log(`Node ${process.version}, ${cpus()[0]?.model.trim()} x ${cpus().length}. ${cores.sentence}`);
  console.log(
    `${options.rounds} interleaved rounds of ${options.seconds} s each; medians. Ratio 1.00 is the minimal proxy, for translation the same gateway forwarding.\n`,
  );
  buildPrograms();
  try {
    if (options.parts.includes("start")) {
      results.starts = await timeStarts(folder);
      console.log(`${startTable(results.starts)}\n`);
    }
    if (options.parts.includes("console")) {
      results.console = await timeConsole(folder);
      console.log(`${consoleTable(results.console, CONSOLE_GOAL_MS)}\n`);
      for (const { page, path, status } of results.console.times.filter((each) => each.status !== 200))
        results.complaints.push(`${page} answered ${status} to ${path}`);
    }
    const parts = options.parts.filter((part) => part !== "start" && part !== "console");
    if (parts.length > 0) await measureServers(options, parts, cores, folder, results);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}

/** The parts that measure servers under load. */
type ServerPart = Exclude<Part, "start" | "console">;

async function measureServers(
  options: Options,
  parts: readonly ServerPart[],
  cores: Cores,
  folder: string,
  results: Results,
): Promise<void> {
  const upstream = await startOwnServer("upstream", options.coalesced ? ["--coalesced"] : [], cores.upstream);
  const load = startLoadGenerator(cores.load);
  const running: Contestant[] = [];
  const place = { upstreamPort: upstream.port, core: cores.server };
  const enter = (contestant: Contestant | Absent): void => {
    if ("absent" in contestant) results.skipped.push(contestant.absent);
    else running.push(contestant);
  };
  const gateways: GatewayUnderTest[] = [];
  const ways = parts.filter((part) => part === "plain" || part === "stream");
  try {
    for (let start = 0; start < (ways.length > 0 ? options.starts : 1); start += 1) {
      // Behind a proxy, as a gateway still posts when its own turn is over.
      enter(await startMinimalProxy(place));
      for (const { name, root } of checkouts(options)) {
        const gateway = await startGatewayUnderTest({
          ...place,
          name,
          root,
          databaseCore: cores.database,
          folder: join(folder, `gateway-${gateways.length}`),
          profile: gateways.length === 0 ? options.profile : undefined,
        });
        enter(gateway);
        gateways.push(gateway);
      }
      if (ways.length > 0) enter(await startYoungProxy(place));
    }
    if (ways.length > 0) {
      enter(await startNginx({ ...place, folder: join(folder, "nginx") }));
      if (options.peers) enter(await startPeer(place));
      else results.skipped.push("the TypeScript peer was left out (--no-peers)");
      for (const reason of results.skipped) console.log(`Skipped: ${reason}.`);
    }
    const [gateway] = gateways;
    for (const way of ways) await measureForwarding(options, load, running, way, results);
    if (gateway !== undefined && parts.includes("translated")) {
      await measureTranslation(options, load, gateways.slice(0, checkouts(options).length), results);
    }
    if (gateway !== undefined && parts.includes("block")) {
      results.blocks = await measureBlocks(gateway);
      results.complaints.push(...results.blocks.complaints);
      console.log(`${blockTable(results.blocks)}\n`);
    }
  } finally {
    for (const contestant of running) results.complaints.push(...(await contestant.stop()));
    await load.stop();
    await upstream.stop();
  }
  await audit(gateways, results);
}

/** Every server side by side; the unit is the first. */
async function measureForwarding(
  options: Options,
  load: LoadGenerator,
  contestants: readonly Contestant[],
  way: Way,
  results: Results,
): Promise<void> {
  const busy = workload(way, way, CONNECTIONS[way], options.seconds, options.warmUpSeconds);
  const rows = await measure(load, contestants, busy, options.rounds);
  const base = rows[0]?.name ?? "";
  results.ratios[way] = ratiosTo(rows, base);
  show(results, way, rows, loadTable(`${way}, ${busy.connections} connections`, rows, base));
  const quiet = workload(way, way, 1, Math.min(options.seconds, LATENCY_SECONDS), SHORT_WARM_UP_SECONDS);
  const alone = await measure(load, contestants, quiet, options.rounds);
  show(results, `${way}-latency`, alone, latencyTable(`${way}, 1 connection, first byte`, alone, base));
}

/** What translation costs: the same gateways and caller; the unit is the first one's upstream that needs none. */
async function measureTranslation(
  options: Options,
  load: LoadGenerator,
  gateways: readonly GatewayUnderTest[],
  results: Results,
): Promise<void> {
  const translations = gateways.flatMap((gateway) => gateway.translations);
  const base = translations[0]?.name ?? "";
  for (const way of ["plain", "stream"] as const) {
    const busy = workload("translated", way, CONNECTIONS[way], options.seconds, options.warmUpSeconds);
    const rows = await measure(load, translations, busy, options.rounds);
    results.ratios[`translated-${way}`] = ratiosTo(rows, base);
    const title = `${way} chat, translated, ${busy.connections} connections`;
    show(results, `translated-${way}`, rows, loadTable(title, rows, base));
  }
}

/** The gateways of a run: this one, and another to compare it with. */
function checkouts({ beside }: Options): readonly { readonly name: string; readonly root: string }[] {
  const other = beside === undefined ? [] : [{ name: "Faregate beside", root: beside }];
  return [{ name: "Faregate", root: ROOT }, ...other];
}

/** The money of the run: every response charged once, and the books right. */
async function audit(gateways: readonly GatewayUnderTest[], results: Results): Promise<void> {
  const names = new Set(
    gateways.flatMap((gateway) => [gateway, ...gateway.translations]).map(({ name }) => name),
  );
  const rows = Object.values(results.tables)
    .flat()
    .filter(({ name }) => names.has(name));
  const answered = rows.reduce((total, row) => total + row.answered, results.blocks?.answered ?? 0);
  const complaints = await auditGateways(gateways, answered);
  results.complaints.push(...complaints);
  if (complaints.length === 0) {
    console.log(
      `Books: ${answered} answers, ${answered} charges to the nano; \`faregate ledger verify\` is clean.`,
    );
  }
}

function workload(
  part: ServerPart,
  way: Way,
  connections: number,
  seconds: number,
  warmUpSeconds: number,
): Workload {
  return { part, streamed: way === "stream", connections, seconds, warmUpSeconds };
}

function show(results: Results, name: string, rows: readonly Measured[], text: string): void {
  results.tables[name] = rows;
  console.log(`${text}\n`);
  for (const row of rows.filter(({ errors }) => errors > 0)) {
    results.complaints.push(
      `${row.name}, ${name}: ${row.errors} errors, such as ${row.errorTexts.join("; ")}`,
    );
  }
  if (rows.every(({ errors }) => errors === 0)) {
    const isTranslated = name.startsWith("translated");
    const compared = rows.reduce((total, row) => total + row.compared, 0);
    console.log(
      `${compared} sampled answers equal the upstream's${isTranslated ? " in what they say" : " bytes"}.\n`,
    );
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    killAll();
    process.exit(130);
  });
}
try {
  const options = readOptions(process.argv.slice(2));
  const results = await bench(options);
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(results, null, 2)}\n`);
  for (const complaint of results.complaints) console.error(`Error: ${complaint}`);
  process.exitCode = results.complaints.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
