import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FORWARDED_MODEL, USAGE } from "./answers.ts";
import type { Contestant } from "./contestant.ts";
import { giveWay, moveToCore } from "./cores.ts";
import { databasePids } from "./cost.ts";
import { FOREIGN_PROTOCOLS, type ForeignProtocol } from "./foreign-answers.ts";
import { type Program, ROOT, startProgram } from "./programs.ts";

const KEY = "bench-key-0123456789abcdef";
const OPENING_USD = 1_000_000;
const NANOS_PER_USD = 1_000_000_000n;
const INPUT_NANOS_PER_TOKEN = 3_000; // 3 USD per million
const OUTPUT_NANOS_PER_TOKEN = 15_000;

/** What one response of the bench's upstream costs its caller. */
const CHARGE_NANOS = BigInt(
  USAGE.inputTokens * INPUT_NANOS_PER_TOKEN + USAGE.outputTokens * OUTPUT_NANOS_PER_TOKEN,
);

export interface GatewayOptions {
  /** What it is called in the tables. */
  readonly name: string;
  /** The checkout it is started from, which is built. */
  readonly root: string;
  readonly folder: string;
  readonly upstreamPort: number;
  readonly core: number | undefined;
  readonly databaseCore: number | undefined;
  readonly profile: string | undefined;
}

export interface GatewayUnderTest extends Contestant {
  /**
   * The same running gateway for the comparison of translation: its chat completions forwarded, and out
   * of each other protocol. The first is the unit of the others.
   */
  readonly translations: readonly [Contestant, ...Contestant[]];
  /** Looks its books up, once it is stopped. */
  readBooks(): Promise<Books>;
}

/** What a gateway says of its money. */
export interface Books {
  readonly spentNanos: bigint;
  /** What `faregate ledger verify` finds. */
  readonly complaints: readonly string[];
}

/** Holds the books of gateways against the number of responses that their callers got. Gives complaints. */
export async function auditGateways(
  gateways: readonly GatewayUnderTest[],
  answered: number,
): Promise<readonly string[]> {
  const books = await Promise.all(gateways.map((gateway) => gateway.readBooks()));
  const spent = books.reduce((sum, { spentNanos }) => sum + spentNanos, 0n);
  const complaints = books.flatMap((each) => each.complaints);
  return spent === BigInt(answered) * CHARGE_NANOS
    ? complaints
    : [
        ...complaints,
        `${answered} answers at ${CHARGE_NANOS} nanos each, but ${spent} nanos charged (${Number(spent) / Number(CHARGE_NANOS)} answers)`,
      ];
}

/** The gateway as an operator starts it, with everything on, selling the bench's upstream. */
export async function startGatewayUnderTest(options: GatewayOptions): Promise<GatewayUnderTest> {
  await mkdir(options.folder, { recursive: true });
  const file = join(options.folder, "catalog.yaml");
  await writeFile(file, catalogText(options.upstreamPort));
  const env = { ...gatewayEnvironment(join(options.folder, "data")), FAREGATE_CONFIG: file };
  const { program, port } = await startGateway(env, options);
  for (const pid of databasePids(program.pid)) moveToCore(pid, options.databaseCore);
  const headers = { authorization: `Bearer ${KEY}` };
  const prepare = async (): Promise<void> => {
    // It shares its core with the load generator or the upstream. Each time, as it begins processes when it likes.
    if (options.databaseCore !== options.core)
      for (const pid of databasePids(program.pid)) await giveWay(pid);
  };
  const place = { port, pid: program.pid, headers, prepare, stop: async () => [] };
  return {
    ...place,
    name: `${options.name}, everything on`,
    parts: ["plain", "stream"],
    translations: [
      { ...place, name: `${options.name}, forwarded`, parts: ["translated"] },
      ...FOREIGN_PROTOCOLS.map((protocol) => ({
        ...place,
        name: `${options.name}, out of ${protocol}`,
        model: modelOf(protocol),
        translates: true,
        parts: ["translated"] as const,
      })),
    ],
    async stop() {
      const code = await program.stop();
      return code === 0 ? [] : [`the gateway ended with ${code}:\n${program.output()}`];
    },
    readBooks: () => readBooks(env, options.root),
  };
}

/** Starts `faregate start` and waits until `/readyz` says so. */
export async function startGateway(
  env: NodeJS.ProcessEnv,
  { root, core, profile }: Partial<Pick<GatewayOptions, "root" | "core" | "profile">> = {},
): Promise<{ program: Program; port: number }> {
  const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const command = [process.execPath, ...profiling, programOf(root), "start"];
  const program = startProgram(command, { core, env });
  while (program.child.exitCode === null && program.child.signalCode === null) {
    const url = /Base URL +(http:\S+)/.exec(program.output())?.[1];
    if (url !== undefined && (await fetch(`${url}/readyz`)).ok)
      return { program, port: Number(new URL(url).port) };
    await sleep(5);
  }
  throw new Error(`the gateway ended before it was ready:\n${program.output()}`);
}

/** An operator's environment, less whatever would configure this gateway otherwise. */
export function gatewayEnvironment(dataDir: string): NodeJS.ProcessEnv {
  const ours = /^(FAREGATE_.*|DATABASE_URL|REDIS_URL|HOST|PORT|LOG_LEVEL|NODE_OPTIONS)$/;
  const rest = Object.entries(process.env).filter(([name]) => !ours.test(name));
  return { ...Object.fromEntries(rest), PORT: "0", FAREGATE_DATA_DIR: dataDir };
}

function programOf(root = ROOT): string {
  return join(root, "bin", "faregate.js");
}

async function readBooks(env: NodeJS.ProcessEnv, root: string): Promise<Books> {
  const command = [process.execPath, programOf(root), "ledger", "verify", "--json"];
  const program = startProgram(command, { env });
  await program.ended;
  const text = program.output();
  const report = readReport(text);
  if (report === undefined)
    return { spentNanos: 0n, complaints: [`ledger verify printed no report:\n${text}`] };
  const balance = BigInt(report.accounts.find(({ name }) => name === "bench")?.balance_nanos ?? 0);
  return {
    spentNanos: BigInt(OPENING_USD) * NANOS_PER_USD - balance,
    complaints: report.ok ? [] : [`ledger verify found breaches: ${JSON.stringify(report.breaches)}`],
  };
}

interface LedgerReport {
  readonly ok: boolean;
  readonly breaches: readonly unknown[];
  readonly accounts: readonly { readonly name: string; readonly balance_nanos: number | string }[];
}

/** Log lines may stand around the report. */
function readReport(text: string): LedgerReport | undefined {
  const json = /^\{\n[\s\S]*?^\}$/m.exec(text)?.[0];
  return json === undefined ? undefined : (JSON.parse(json) as LedgerReport);
}

/** Only an upstream of that protocol serves it, so that the bench's chat completions must be translated. */
function modelOf(protocol: ForeignProtocol): string {
  return `${FORWARDED_MODEL}-${protocol}`;
}

/** The kinds of upstream that speak them, and what their base URLs end in. */
const KINDS: Readonly<Record<ForeignProtocol, readonly [kind: string, path: string]>> = {
  messages: ["anthropic", ""],
  responses: ["openai", "/v1"],
  "generate-content": ["gemini", ""],
};

function catalogText(upstreamPort: number): string {
  const url = `http://127.0.0.1:${upstreamPort}`;
  const foreign = FOREIGN_PROTOCOLS.map((protocol) => {
    const [kind, path] = KINDS[protocol];
    return upstreamText(protocol, kind, url + path, protocol, modelOf(protocol));
  });
  return `version: 1
groups:
  - { name: default, factor: 1 }
models:
${[FORWARDED_MODEL, ...FOREIGN_PROTOCOLS.map(modelOf)].map(modelText).join("")}
upstreams:
${upstreamText("bench", "openai-compatible", `${url}/v1`, "chat-completions", FORWARDED_MODEL)}${foreign.join("")}
accounts:
  - name: bench
    group: default
    balance: ${OPENING_USD}
    keys:
      - { name: bench, key: "${KEY}" }
`;
}

function modelText(id: string): string {
  return `  - id: ${id}
    endpoints: [oa]
    context_tokens: 200000
    max_output_tokens: 32000
    price: { input: ${INPUT_NANOS_PER_TOKEN / 1000}, output: ${OUTPUT_NANOS_PER_TOKEN / 1000} }
`;
}

function upstreamText(name: string, kind: string, url: string, protocol: string, model: string): string {
  return `  - name: ${name}
    kind: ${kind}
    base_url: ${url}
    protocols: [${protocol}]
    api_key: bench-upstream-key
    models: [${model}]
    limits: { concurrency: 1000 }
`;
}
