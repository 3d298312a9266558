import { join } from "node:path";
import { fillDatabase } from "./console-data.ts";
import { consolePaths } from "./console-paths.ts";
import { gatewayEnvironment, startGateway } from "./gateway.ts";

/** How long the console took to answer what one page asks for. */
export interface ConsoleTimes {
  readonly page: string;
  readonly path: string;
  readonly status: number;
  readonly p50Ms: number;
  readonly maxMs: number;
  readonly bytes: number;
}

export interface ConsoleBench {
  readonly requests: number;
  readonly keys: number;
  readonly fillSeconds: number;
  readonly times: readonly ConsoleTimes[];
}

/** What a page may take at the median. */
export const CONSOLE_GOAL_MS = 200;

const REQUESTS = 1_000_000;
const KEYS = 10_000;
const TIMES = 15;
const WARM_UPS = 2;

/** Asks the console for every page's data, again and again, one caller, over a database of a million requests. */
export async function timeConsole(folder: string, requests = REQUESTS, keys = KEYS): Promise<ConsoleBench> {
  const dataDir = join(folder, "console");
  const password = "a password for the bench";
  const env = { ...gatewayEnvironment(dataDir), FAREGATE_BOOTSTRAP_PASSWORD: password };
  const { program, port } = await startGateway(env);
  try {
    const beginMs = performance.now();
    const named = await fillDatabase(dataDir, requests, keys);
    const fillSeconds = (performance.now() - beginMs) / 1000;
    const api = `http://127.0.0.1:${port}/api`;
    const cookie = await signIn(api, password);
    const times: ConsoleTimes[] = [];
    for (const [page, path] of consolePaths(named)) times.push(await time(api, cookie, page, path));
    return { requests, keys, fillSeconds, times };
  } finally {
    await program.stop();
  }
}

async function signIn(api: string, password: string): Promise<string> {
  const response = await fetch(`${api}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@localhost", password }),
  });
  if (!response.ok) throw new Error(`the bench cannot sign in: ${response.status} ${await response.text()}`);
  return (response.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

async function time(api: string, cookie: string, page: string, path: string): Promise<ConsoleTimes> {
  const took: number[] = [];
  let status = 0;
  let bytes = 0;
  for (let turn = -WARM_UPS; turn < TIMES; turn++) {
    const beginMs = performance.now();
    const response = await fetch(`${api}${path}`, { headers: { cookie } });
    bytes = (await response.arrayBuffer()).byteLength;
    status = response.status;
    if (turn >= 0) took.push(performance.now() - beginMs);
  }
  took.sort((a, b) => a - b);
  return {
    page,
    path,
    status,
    bytes,
    p50Ms: took[TIMES >> 1] ?? Number.NaN,
    maxMs: took.at(-1) ?? Number.NaN,
  };
}
