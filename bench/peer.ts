import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requestBody } from "./answers.ts";
import type { Absent, Contestant } from "./contestant.ts";
import { freePort, startProgram, untilAnswering } from "./programs.ts";

const PACKAGE = "@portkey-ai/gateway";
const VERSION = "1.15.2";

/**
 * The best-known gateway in TypeScript. It is installed into a cache of the bench's own, because nothing
 * of the project needs it. It keeps no accounts and no prices: it forwards and may retry.
 */
export async function startPeer(options: {
  readonly upstreamPort: number;
  readonly core: number | undefined;
}): Promise<Contestant | Absent> {
  const folder = join(tmpdir(), `faregate-bench-peer-${VERSION}-${process.getuid?.() ?? 0}`);
  const entry = join(folder, "node_modules", PACKAGE, "build", "start-server.js");
  if (!existsSync(entry) && !(await install(folder))) {
    return { absent: `${PACKAGE} ${VERSION} could not be installed from the npm registry` };
  }
  const port = await freePort();
  const program = startProgram([process.execPath, entry, "--headless", `--port=${port}`], {
    core: options.core,
    env: { ...process.env, NODE_ENV: "production" },
  });
  await untilAnswering(program, port);
  const headers = {
    authorization: "Bearer bench-upstream-key",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `http://127.0.0.1:${options.upstreamPort}/v1`,
  };
  const streams = await responsesStreams(port, headers);
  return {
    name: `${PACKAGE} ${VERSION}${streams ? "" : " (its streams fail here)"}`,
    port,
    pid: program.pid,
    headers,
    parts: streams ? ["plain", "stream"] : ["plain"],
    stop: async () => {
      await program.stop();
      return [];
    },
  };
}

async function install(folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const program = startProgram([
    npm,
    "install",
    "--prefix",
    folder,
    "--no-audit",
    "--no-fund",
    `${PACKAGE}@${VERSION}`,
  ]);
  return (await program.ended) === 0;
}

/** A fresh install answers every stream with status 500 on some versions of Node. */
async function responsesStreams(port: number, headers: Record<string, string>): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: requestBody(true),
  });
  return response.ok && (await response.text()).includes("[DONE]");
}
