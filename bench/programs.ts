import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { onCore } from "./cores.ts";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const BUILT = join(ROOT, "node_modules", ".cache", "faregate-bench");
const PARTS = ["answers", "foreign-answers", "saying", "answer-reader", "upstream", "minimal-proxy", "load"];

/**
 * Builds the bench's own programs: run through a TypeScript loader they would carry its memory into the
 * comparison.
 */
export function buildPrograms(): void {
  mkdirSync(BUILT, { recursive: true });
  writeFileSync(join(BUILT, "package.json"), '{"type":"module"}\n');
  for (const part of PARTS) {
    const source = readFileSync(join(ROOT, "bench", `${part}.ts`), "utf8");
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        rewriteRelativeImportExtensions: true,
        verbatimModuleSyntax: true,
      },
    });
    writeFileSync(join(BUILT, `${part}.js`), outputText);
  }
}

export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  /** What it has printed, for the day it fails. */
  output(): string;
  /** Resolves with the exit code when it has ended; null when a signal ended it or it never began. */
  readonly ended: Promise<number | null>;
  /** SIGTERM, and SIGKILL where that takes too long; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface ProgramOptions {
  readonly core?: number | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly channel?: boolean;
}

/** A gateway drains for up to 30 s and then posts what it has spooled. */
const STOP_MS = 45_000;

/** Output of a program that talks without end must not fill memory. */
const MAX_OUTPUT = 200_000;

const running = new Set<ChildProcess>();

/** For a bench that is interrupted. Each ends in its own good order. */
export function killAll(): void {
  for (const child of running) child.kill("SIGTERM");
}

/** Starts a program on a core. */
export function startProgram(command: readonly string[], options: ProgramOptions = {}): Program {
  const [file = "", ...args] = onCore(options.core, command);
  const child = spawn(file, args, {
    cwd: ROOT,
    env: options.env ?? process.env,
    stdio: ["ignore", "pipe", "pipe", ...(options.channel ? (["ipc"] as const) : [])],
  });
  running.add(child);
  let output = "";
  const hear = (chunk: Buffer): void => {
    if (output.length < MAX_OUTPUT) output += chunk;
  };
  child.stdout?.on("data", hear);
  child.stderr?.on("data", hear);
  child.on("error", (error) => hear(Buffer.from(error.message)));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  void ended.then(() => running.delete(child));
  return {
    child,
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      const code = await ended;
      clearTimeout(timer);
      return code;
    },
  };
}

/** Starts one of the bench's own programs that report the port they chose. */
export async function startOwnServer(
  name: string,
  args: readonly string[],
  core: number | undefined,
): Promise<Program & { readonly port: number }> {
  const program = startOwnProgram(name, args, core);
  const address = await nextMessage<{ port: number }>(program);
  return { ...program, port: address.port };
}

export function startOwnProgram(name: string, args: readonly string[], core: number | undefined): Program {
  return startProgram([process.execPath, join(BUILT, `${name}.js`), ...args], { core, channel: true });
}

/** What it says next over its channel; throws with its output where it ends before. */
export async function nextMessage<T>(program: Program): Promise<T> {
  const end = program.ended.then((code) => {
    throw new Error(`a program of the bench ended with ${code}:\n${program.output()}`);
  });
  const [message] = await Promise.race([once(program.child, "message"), end]);
  return message as T;
}

/** A port that was free a moment ago, for servers that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

/** Resolves when something answers HTTP there; throws with the program's output where it ends before. */
export async function untilAnswering(program: Program, port: number): Promise<void> {
  while (program.child.exitCode === null && program.child.signalCode === null) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(50);
  }
  throw new Error(`a server ended before it was ready:\n${program.output()}`);
}
