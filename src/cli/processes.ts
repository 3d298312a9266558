import type { Worker } from "node:cluster";
import cluster from "node:cluster";
import { originOf } from "../config.ts";
import type { Log } from "../observe/log.ts";
import { exchangeMetrics } from "./sibling-metrics.ts";

export interface ProcessesOptions {
  /** Added to every process's environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Log;
  /** Resolves when all are to stop. */
  readonly stop: Promise<unknown>;
  /** A process that has not stopped by then, such as one that was paused, is killed. */
  readonly endedAfterMs: number;
  /** True if they answer callers: the start has failed where one ends before any does. */
  readonly serve: boolean;
  /** Called once, when the first process answers at this address. */
  readonly onListening: (url: string) => void;
}

/** A process that dies within this time of its start would only die again at once. */
const RESTART_AFTER_MS = 1_000;

const NOT_STOPPED =
  "gateway process did not stop in time; killing it (the next start on this data folder posts its remaining charges)";

/**
 * Runs gateway processes that share one port and replaces those that die. Resolves to the exit code
 * after `stop`, when all have stopped in order.
 */
export function superviseProcesses(count: number, options: ProcessesOptions): Promise<number> {
  const { environment, log, endedAfterMs, serve, onListening } = options;
  let stopping = false;
  let listening = false;
  let worst = 0;
  // The processes by their numbers, from 1: a replacement takes the number of the dead process. They are counted here
  // because `cluster.workers` still names a process that has exited until its channel has closed as well, and the order
  // of the two events is chance.
  const living = new Map<Worker, number>();
  const joinExchange = exchangeMetrics(living);

  // Each process accepts its own connections. Handed out by this one (the default), those under way to a
  // process that dies stay open here, and their callers wait forever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;

  return new Promise((resolve) => {
    const fork = (number: number): void => {
      const worker = cluster.fork(environment);
      living.set(worker, number);
      joinExchange(worker);
      worker.on("listening", (address) => {
        if (listening) return;
        listening = true;
        onListening(originOf(address.address, address.port));
      });
      worker.on("exit", (code, signal) => {
        living.delete(worker);
        // It has said why; the next would end of the same, such as a port that is taken.
        if (serve && !listening && code !== 0 && code !== null) stop();
        if (stopping) {
          // Serving processes catch SIGTERM, so a process that dies of it had only begun to start.
          worst = Math.max(worst, signal === "SIGTERM" ? 0 : (code ?? 1));
          if (living.size === 0) resolve(worst);
          return;
        }
        log.error({ died: worker.process.pid, code, signal }, "gateway process died; starting a replacement");
        setTimeout(() => {
          if (!stopping) fork(number);
        }, RESTART_AFTER_MS);
      });
    };
    const stop = (): void => {
      stopping = true;
      for (const worker of living.keys()) worker.process.kill("SIGTERM");
      setTimeout(() => {
        for (const { process: child } of living.keys()) {
          log.error({ killed: child.pid }, NOT_STOPPED);
          child.kill("SIGKILL");
        }
      }, endedAfterMs).unref();
    };
    for (let number = 1; number <= count; number += 1) fork(number);

    void options.stop.then(() => {
      stop();
      if (living.size === 0) resolve(worst);
    });
  });
}
