import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestGateway } from "./gateway.ts";
import { nanosOf, requestIdOf, type TextPrice, type UsageRow } from "./money-books.ts";
import type { JournalLine } from "./sandbox.ts";
import { call, type Heard, TEXT_PROTOCOLS, type Wish } from "./text-caller.ts";

/** One request of a load, and what its caller received. */
export interface Told {
  readonly tag: string;
  readonly wish: Wish;
  readonly heard: Heard;
}

export interface Load {
  /** Lets what runs finish, and gives everything that was asked. */
  stop(): Promise<Told[]>;
  /** The number of responses that have arrived complete. */
  answered(): number;
}

export interface LoadOptions {
  readonly name: string;
  readonly modes: readonly ("stream" | "plain")[];
  readonly callers?: number;
}

/** Callers that ask one request after the other, over all protocols; `url` may change while they do. */
export function startLoad(url: () => string, { name, modes, callers = 6 }: LoadOptions): Load {
  const told: Told[] = [];
  let stopped = false;
  let asked = 0;
  let answered = 0;
  const run = async (): Promise<void> => {
    while (!stopped) {
      const index = asked;
      asked += 1;
      const tag = `${name}-${index}`;
      const wish: Wish = {
        protocol: TEXT_PROTOCOLS[index % TEXT_PROTOCOLS.length] ?? "messages",
        streamed: modes[Math.floor(index / TEXT_PROTOCOLS.length) % modes.length] === "stream",
        prompt: `Tell me of the sea. [[sandbox: tag=${tag} chunks=${4 + (index % 5)} pace=5]]`,
      };
      const heard = await call(url(), wish);
      told.push({ tag, wish, heard });
      if (heard.complete) answered += 1;
      else await sleep(20); // dead or dying: do not spin
    }
  };
  const running = Promise.all(Array.from({ length: callers }, run));
  return {
    answered: () => answered,
    async stop() {
      stopped = true;
      await running;
      return told;
    },
  };
}

/**
 * Everything that is wrong with the usage log of a gateway that was killed and started again, held against
 * what callers received and what the upstream did; [] = nothing is.
 */
export function faultsOf(
  told: readonly Told[],
  rows: readonly UsageRow[],
  journal: readonly JournalLine[],
  price: TextPrice,
): string[] {
  const faults: string[] = [];
  const rowsOf = groupBy(rows, ({ requestId }) => requestId);
  const journalOf = groupBy(journal, requestIdOf);
  for (const [id, found] of rowsOf) {
    if (found.length > 1) faults.push(`${id} is logged ${found.length} times`);
    const [line, ...others] = journalOf.get(id) ?? [];
    for (const { chargeNanos, reason } of found) {
      const truth = line === undefined ? 0n : nanosOf(line.usage, price);
      if (chargeNanos > 0n && line === undefined) faults.push(`${id}: ${chargeNanos} charged for nothing`);
      if (reason === "completed" && chargeNanos !== truth)
        faults.push(`${id}: charged ${chargeNanos}, the upstream did ${truth}`);
      if (reason !== "completed" && chargeNanos > 0n) faults.push(`${id}: ${chargeNanos} charged, ${reason}`);
    }
    if (others.length > 0) faults.push(`${id} reached the upstream ${others.length + 1} times`);
  }
  for (const { tag, heard } of told) {
    if (!heard.complete) continue;
    const [row] = rowsOf.get(heard.requestId ?? "") ?? [];
    if (row?.reason !== "completed")
      faults.push(`${tag} was answered, and is ${row?.reason ?? "not logged"}`);
  }
  return faults;
}

/** The journals on a data folder: none is left once everything is posted. */
export function journalsLeft(gateway: TestGateway): string[] {
  const folder = join(gateway.dataDir, "journal");
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Process ids of those that wrote the journals on a data folder. */
export function journalOwners(gateway: TestGateway): number[] {
  return journalsLeft(gateway).map((journal) => {
    const file = join(gateway.dataDir, "journal", journal, "owner.json");
    // Gone between the two looks: nobody's.
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid : 0;
  });
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
