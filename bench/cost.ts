import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** What a server has used so far; undefined where the system has no /proc. */
export interface Cost {
  /** Of the server itself with its workers, in milliseconds of one core. */
  readonly serverCpuMs: number;
  /** Of the database below it. */
  readonly databaseCpuMs: number;
}

export interface Memory {
  /** Resident memory of the server's processes, now and at most since `forgetPeak`. */
  readonly serverBytes: number;
  readonly serverPeakBytes: number;
  /** The database's share, shared pages counted once. */
  readonly databaseBytes: number;
}

/** Linux counts CPU time in ticks of 1/100 s for every program (USER_HZ). */
const MS_PER_TICK = 10;

export function costOf(pid: number): Cost | undefined {
  const tree = treeOf(pid);
  if (tree.length === 0) return undefined;
  const sum = (database: boolean): number =>
    tree.filter((each) => isDatabase(each) === database).reduce((ticks, each) => ticks + each.cpuTicks, 0) *
    MS_PER_TICK;
  return { serverCpuMs: sum(false), databaseCpuMs: sum(true) };
}

export function memoryOf(pid: number): Memory | undefined {
  const tree = treeOf(pid);
  if (tree.length === 0) return undefined;
  const server = tree.filter((each) => !isDatabase(each));
  const sum = (processes: Task[], bytes: (pid: number) => number): number =>
    processes.reduce((total, each) => total + bytes(each.pid), 0);
  return {
    serverBytes: sum(server, (each) => kilobytes(`/proc/${each}/status`, "VmRSS")),
    serverPeakBytes: sum(server, (each) => kilobytes(`/proc/${each}/status`, "VmHWM")),
    databaseBytes: sum(tree.filter(isDatabase), (each) => kilobytes(`/proc/${each}/smaps_rollup`, "Pss")),
  };
}

/** The programs of the database below a server. */
export function databasePids(pid: number): number[] {
  return treeOf(pid)
    .filter(isDatabase)
    .map((each) => each.pid);
}

/** Lets the peak begin again from what is resident now. */
export function forgetPeak(pid: number): void {
  for (const each of treeOf(pid)) {
    try {
      writeFileSync(`/proc/${each.pid}/clear_refs`, "5");
    } catch {
      // Ended meanwhile, or not ours to reset: the peak is then that of its whole life.
    }
  }
}

interface Task {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** Its own and that of its children that have ended. */
  readonly cpuTicks: number;
}

function isDatabase(task: Task): boolean {
  return task.name.startsWith("postgres");
}

/** A program and all that descends from it. */
function treeOf(pid: number): Task[] {
  const all = allTasks();
  const tree = all.filter((each) => each.pid === pid);
  for (const parent of tree) tree.push(...all.filter((each) => each.parent === parent.pid));
  return tree;
}

function allTasks(): Task[] {
  const pids = text(() => readdirSync("/proc").join("\n")).split("\n");
  return pids
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      // "pid (name) state parent ..."; the name may hold anything, so count from its last parenthesis.
      const stat = text(() => readFileSync(`/proc/${name}/stat`, "utf8"));
      const end = stat.lastIndexOf(")");
      if (end === -1) return [];
      const fields = stat.slice(end + 2).split(" ");
      return [
        {
          pid: Number(name),
          parent: Number(fields[1]),
          name: stat.slice(stat.indexOf("(") + 1, end),
          cpuTicks: fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0),
        },
      ];
    });
}

function kilobytes(file: string, field: string): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text(() => readFileSync(file, "utf8")));
  return Number(found?.[1] ?? 0) * 1024;
}

/** What is gone or forbidden reads as nothing. */
function text(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
