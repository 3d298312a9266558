import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { removeDataDir, serverPid } from "../support/embedded.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { isRunning } from "../support/proc.ts";
import { report } from "../support/report.ts";
import { waitFor } from "../support/wait.ts";

/** The grace of the watch, and as long again for a busy machine. */
const GRACE_MS = 20_000;

let gateway: TestGateway | undefined;
afterEach(async () => {
  if (gateway === undefined) return;
  gateway.child.kill("SIGKILL");
  await gateway.ended;
  await removeDataDir(gateway.dataDir);
});

async function kill({ child, ended }: TestGateway): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

it.each([
  ["one process", []],
  ["two processes", ["--processes", "2"]],
])("the database of a killed gateway of %s ends within a minute, and so does its folder", async (_, args) => {
  gateway = await startGateway({ embedded: true, args });
  const pid = (await serverPid(gateway.dataDir)) ?? 0;
  const sockets = (await readFile(join(gateway.dataDir, "database-socket"), "utf8")).trim();
  await kill(gateway);
  const killedMs = performance.now();
  expect(await isRunning(pid)).toBe(true);
  await waitFor("the database to end", async () => !(await isRunning(pid)));
  const tookMs = performance.now() - killedMs;
  report(`the database of a killed gateway ended after ${(tookMs / 1000).toFixed(1)} s`);
  await waitFor("the socket's folder to go", () =>
    readFile(join(sockets, ".")).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === "ENOENT",
    ),
  );
});

it("a gateway that is started again meanwhile takes the database over, and keeps it", async () => {
  const killed = await startGateway({ embedded: true });
  gateway = killed;
  const pid = await serverPid(killed.dataDir);
  await kill(killed);
  gateway = await startGateway({ embedded: true, dataDir: killed.dataDir });
  expect(await serverPid(gateway.dataDir)).toBe(pid);
  await sleep(2 * GRACE_MS);
  expect(await serverPid(gateway.dataDir)).toBe(pid);
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  expect((await gateway.run("stop-database")).stdout).toContain("is in use and keeps running");
});
