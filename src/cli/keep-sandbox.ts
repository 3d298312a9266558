import type { Log } from "../observe/log.ts";
import { type SandboxProgram, startSandboxProgram } from "./sandbox-program.ts";

/** Pauses between restarts of a sandbox that dies. */
const RESTART_AFTER_MS = 1_000;

interface SandboxKeeping {
  /** Hears each address, as the port changes with every start. */
  readonly moved: (url: string) => Promise<void>;
  readonly stop: Promise<unknown>;
  readonly log: Log;
}

/** Runs the sandbox and starts it anew when it dies, until the gateway stops. */
export async function keepSandbox({
  moved,
  stop,
  log,
}: SandboxKeeping): Promise<{ readonly url: string; stop(): Promise<void> }> {
  let stopping = false;
  void stop.then(() => {
    stopping = true;
  });
  let starting: Promise<void> = Promise.resolve();
  const start = async (): Promise<SandboxProgram> => {
    const next = await startSandboxProgram(restartSoon);
    try {
      await moved(next.url);
    } catch (error) {
      next.stop();
      throw error;
    }
    return next;
  };
  // A signal to the whole of a service reaches the sandbox first: only after the pause is it known to have died alone.
  const restartSoon = (): void => {
    setTimeout(() => {
      if (!stopping) starting = restart();
    }, RESTART_AFTER_MS).unref();
  };
  const restart = async (): Promise<void> => {
    log.warn({}, "sandbox process died; restarting it");
    try {
      program = await start();
    } catch (err) {
      if (stopping) return;
      log.error({ err }, "sandbox failed to start; retrying");
      restartSoon();
    }
  };
  let program = await start();
  return {
    url: program.url,
    async stop() {
      stopping = true;
      await starting;
      program.stop();
    },
  };
}
