import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Which core each part of the bench runs on; without pinning the numbers of two runs hardly compare. */
export interface Cores {
  readonly load: number | undefined;
  readonly upstream: number | undefined;
  /** The measured server has it to itself: only one of them is under load at a time. */
  readonly server: number | undefined;
  /** For the gateway's database: on a server of its own it would not take time from the gateway either. */
  readonly database: number | undefined;
  /** One line for the report. */
  readonly sentence: string;
}

/** Chooses among the cores that this program may use. */
export function chooseCores(oneCore: boolean): Cores {
  const allowed = allowedCores();
  const [first] = allowed;
  const last = allowed.at(-1);
  if (first === undefined || first === last || spawnSync("taskset", ["-V"]).status !== 0) {
    return {
      load: undefined,
      upstream: undefined,
      server: undefined,
      database: undefined,
      sentence:
        "Nothing is pinned to a core (that needs Linux, taskset and two cores): compare with care, the load generator takes time from the servers.",
    };
  }
  const upstream = allowed.length > 2 ? allowed[1] : first;
  const rest =
    upstream === first
      ? `load generator and upstream share core ${first}`
      : `the load generator has core ${first}, the upstream core ${upstream}`;
  return {
    load: first,
    upstream,
    server: last,
    database: oneCore ? last : upstream,
    sentence: `Pinned: the measured server has core ${last}, its database core ${oneCore ? last : upstream}; ${rest}.`,
  };
}

/** Moves a running program to a core, with its threads; what it starts later follows it there. */
export function moveToCore(pid: number, core: number | undefined): void {
  if (core !== undefined) spawnSync("taskset", ["-a", "-c", "-p", String(core), String(pid)]);
}

/**
 * Lets a running program have only the time that others on its core leave. What measures must not wait for what is
 * measured.
 */
export async function giveWay(pid: number): Promise<void> {
  const priority = constants.priority.PRIORITY_LOW;
  // Linux weighs sessions against each other first, and each process of PostgreSQL is a session of its own: without this
  // the priority counts only within it.
  const session = `/proc/${pid}/autogroup`;
  if (readTextFile(session).endsWith(`nice ${priority}\n`)) return;
  try {
    setPriority(pid, priority);
    writeFileSync(session, String(priority));
  } catch (error) {
    // Otherwise it has ended meanwhile, or sessions are not weighed here.
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
    // Whoever is not root may weigh one session in a tenth of a second.
    await sleep(100);
    await giveWay(pid);
  }
}

/** The command line that starts a program on a core. */
export function onCore(core: number | undefined, command: readonly string[]): string[] {
  return core === undefined ? [...command] : ["taskset", "-c", String(core), ...command];
}

function allowedCores(): number[] {
  const list = /Cpus_allowed_list:\s*(\S+)/.exec(readTextFile("/proc/self/status"))?.[1] ?? "";
  return list
    .split(",")
    .filter(Boolean)
    .flatMap((range) => {
      const [from = 0, to = from] = range.split("-").map(Number);
      return Array.from({ length: to - from + 1 }, (_, index) => from + index);
    });
}

function readTextFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
