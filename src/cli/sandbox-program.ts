import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { PACKAGE_FILES } from "../base/package-files.ts";
import { CommandFailure } from "./command.ts";

/** A machine under load still starts a small Node program within this. */
const START_TIMEOUT_MS = 20_000;

/** Path of the sandbox's entry. */
export function sandboxEntry(): string {
  const entry = PACKAGE_FILES.sandbox;
  if (!existsSync(entry)) throw new CommandFailure("sandbox/dist is missing; run `npm run build` first");
  return entry;
}

export interface SandboxProgram {
  readonly url: string;
  stop(): void;
}

/**
 * Starts the embedded sandbox on a free loopback port. It holds our pipe as its lifeline and ends when
 * that closes, so it cannot outlive a gateway that was killed. It is in no process group of ours: Ctrl-C in a terminal
 * would end it under the requests that the gateway still finishes.
 */
export function startSandboxProgram(onExit: () => void): Promise<SandboxProgram> {
  const child = spawn(process.execPath, [sandboxEntry(), "--port", "0", "--exit-with-parent"], {
    stdio: ["pipe", "pipe", "inherit"],
    // On Windows there are no such groups, and it would open a window.
    detached: process.platform !== "win32",
  });
  let ready = false;
  let stopping = false;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new CommandFailure("the sandbox didn't start within 20 seconds")),
      START_TIMEOUT_MS,
    );
    child.on("error", reject);
    child.on("exit", () => {
      if (!ready) reject(new CommandFailure("the sandbox ended before it was ready"));
      else if (!stopping) onExit();
    });
    readUrl(child, (url) => {
      clearTimeout(timer);
      ready = true;
      resolve({
        url,
        stop() {
          stopping = true;
          child.kill("SIGTERM");
        },
      });
    });
  });
}

function readUrl(child: ChildProcess, found: (url: string) => void): void {
  if (child.stdout === null) return;
  createInterface({ input: child.stdout }).on("line", (line) => {
    try {
      const { sandbox } = JSON.parse(line) as { sandbox?: unknown };
      if (typeof sandbox === "string") found(sandbox);
    } catch {
      // Other output of the sandbox is for people.
    }
  });
}
