import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { PACKAGE_FILES } from "../../base/package-files.ts";
import { SERVER_ENVIRONMENT } from "./settings.ts";

/** Whoever is started again within this time finds the server running. */
const GRACE_SECONDS = 20;

/**
 * The server belongs to nobody, so a program that is killed leaves it running; and it could go on for ever. A small
 * shell waits for the end of this program, which it learns by the end of a pipe however that came, and some time
 * later runs the command that stops a server which nobody uses. It has a session of its own: what is sent to our
 * process group does not reach it.
 */
export function watchOverServer(dataDir: string): { end(): void } {
  const script = `read -r _; sleep ${GRACE_SECONDS}; exec "$0" "$1" stop-database`;
  const child: ChildProcess = spawn("/bin/sh", ["-c", script, process.execPath, PACKAGE_FILES.program], {
    cwd: "/",
    detached: true,
    env: { ...SERVER_ENVIRONMENT, FAREGATE_DATA_DIR: dataDir },
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell nobody watches, as it was before.
  child.once("error", () => undefined);
  child.unref();
  (child.stdin as Socket | null)?.unref();
  return { end: () => void child.kill("SIGKILL") };
}
