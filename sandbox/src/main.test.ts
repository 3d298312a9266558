import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

describe("the sandbox process", () => {
  let child: ChildProcess | undefined;
  afterEach(() => {
    child?.kill("SIGKILL");
  });

  /** Starts it and gives the URL it prints. */
  async function start(...args: string[]): Promise<{ child: ChildProcess; url: string }> {
    child = spawn(process.execPath, ["--import", "tsx", MAIN, "--port", "0", ...args]);
    const [line] = (await once(child.stdout as NodeJS.EventEmitter, "data")) as [Buffer];
    const printed = line.toString();
    expect(printed.endsWith("}\n")).toBe(true);
    return { child, url: (JSON.parse(printed) as { sandbox: string }).sandbox };
  }

  it("prints one line, answers, and ends on SIGTERM although a stream is running", async () => {
    const { child, url } = await start();
    const body = {
      model: "m",
      stream: true,
      messages: [{ role: "user", content: "[[sandbox: chunks=9 pace=60000]]" }],
    };
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    await response.text().catch(() => undefined);
  });

  it("ends when its parent's pipe closes", async () => {
    const { child } = await start("--exit-with-parent");
    child.stdin?.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("ends when its parent's IPC channel closes, whatever its standard input is", async () => {
    child = spawn(process.execPath, ["--import", "tsx", MAIN, "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    await once(child.stdout as NodeJS.EventEmitter, "data");
    expect(child.exitCode).toBeNull();
    child.disconnect();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("says in one sentence what is wrong with its arguments", async () => {
    child = spawn(process.execPath, ["--import", "tsx", MAIN, "--port", "high"]);
    let said = "";
    child.stderr?.on("data", (bytes: Buffer) => {
      said += bytes.toString();
    });
    expect(await once(child, "exit")).toEqual([1, null]);
    expect(said).toBe('faregate sandbox: --port must be a whole number from 0 to 65535, not "high"\n');
  });
});
