import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { removeDataDir, serverPid } from "../support/embedded.ts";
import { runFaregate } from "../support/gateway.ts";
import { waitFor } from "../support/wait.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/faregate.js", import.meta.url));

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "faregate-commands-"));
  expect((await run("migrate")).code).toBe(0);
});
afterEach(() => removeDataDir(dataDir));

const run = (...args: string[]) => runFaregate({ FAREGATE_DATA_DIR: dataDir }, ...args);

function begin(stdout: "pipe" | number, ...args: string[]): ChildProcess {
  const env = { PATH: process.env["PATH"], FAREGATE_DATA_DIR: dataDir };
  return spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ["ignore", stdout, "pipe"] });
}

async function ended(child: ChildProcess) {
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, stderr };
}

it("a command whose reader has gone goes on to its end, and leaves no database running", async () => {
  const child = begin("pipe", "doctor");
  child.stdout?.destroy();
  // It has found no upstream.
  expect(await ended(child)).toEqual({ code: 1, signal: null, stderr: "" });
  expect(await serverPid(dataDir)).toBeUndefined();
});

it.runIf(process.platform === "linux")("a command whose output has no room says so and fails", async () => {
  const full = await open("/dev/full", "w");
  try {
    const said = await ended(begin(full.fd, "export"));
    expect([said.code, said.stderr]).toEqual([1, "faregate: can't write the output (ENOSPC)\n"]);
    expect(await serverPid(dataDir)).toBeUndefined();
  } finally {
    await full.close();
  }
});

it.each(["SIGINT", "SIGTERM"] as const)(
  "%s ends a command and the database that it started",
  async (signal) => {
    // Takes connections and says nothing: `doctor` waits for it.
    const silent: Server = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : "";
    const file = join(dataDir, "faregate.yaml");
    const upstream = `{ name: silent, kind: openai-compatible, base_url: "http://127.0.0.1:${port}/v1", models: [] }`;
    await writeFile(file, `version: 1\nupstreams: [${upstream}]\n`);
    expect((await run("apply", file)).code).toBe(0);
    try {
      const asked = once(silent, "connection");
      const child = begin("pipe", "doctor");
      await asked;
      child.kill(signal);
      // Told again and again, as npm and supervisors pass on what their whole group was told.
      const again = setInterval(() => child.kill("SIGTERM"), 20);
      child.once("exit", () => clearInterval(again));
      expect(await ended(child)).toEqual({ code: null, signal, stderr: "" });
      await waitFor("the database to stop", async () => (await serverPid(dataDir)) === undefined);
    } finally {
      silent.close();
    }
  },
);
