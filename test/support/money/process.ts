import type { Timers } from "../../../src/base/async/timers.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { HoldOrder, OpenHold } from "../../../src/billing/billing.ts";
import type { JournalStore } from "../../../src/billing/journal/flush.ts";
import {
  createJournalBilling,
  type JournalBilling,
  type LedgerNotification,
} from "../../../src/billing/journal/journal-billing.ts";
import type { JournalDisk } from "../../../src/billing/journal/journal-disk.ts";
import { readRecords } from "../../../src/billing/journal/journal-files.ts";
import { DEFAULT_WAIT_LIMITS } from "../../../src/catalog/settings.ts";
import { silentLog } from "../../../src/observe/log.ts";
import type { ModelStore } from "./model-store.ts";
import type { World } from "./world.ts";

/** The faults between a process and the database, switched by the scenario. */
export interface Faults {
  /** No statement reaches the database. */
  outage: boolean;
  /** A statement takes effect and its response is lost. */
  lostCommit: number;
  /** A statement never arrives. */
  lostStatement: number;
  /** Lost statements have no error, so that only the driver gives up on them, after 35 s. */
  silentLoss: number;
  /** A notification is lost. */
  lostNotification: number;
  /** A statement lies in a buffer for long, and arrives after its repetition. */
  lateStatement: number;
  /** A process sleeps between the commit of its statement and the response. */
  pauseAtCommit: number;
  longestPauseMs: number;
  /** Disks refuse writes. */
  diskFull: boolean;
}

export const NO_FAULTS: Faults = {
  outage: false,
  diskFull: false,
  lostCommit: 0,
  lostStatement: 0,
  silentLoss: 1,
  lostNotification: 0,
  lateStatement: 0,
  pauseAtCommit: 0,
  longestPauseMs: 0,
};

/** The disk of one machine: survives its processes. */
export class ModelDisk {
  readonly journals = new Map<string, { owner: SimulatedProcess; text: string }>();
}

/** A gateway process as far as money goes: the real code on simulated time, store and disk. */
export class SimulatedProcess {
  readonly name: string;
  readonly disk: ModelDisk;
  alive = true;
  /** Its start then fails at the last step. */
  cannotListen = false;
  billing: JournalBilling | undefined;
  onNews: (news: LedgerNotification) => void = () => undefined;
  private pausedUntilMs = 0;
  private journalsMade = 0;
  private readonly world: World;
  private readonly store: ModelStore;
  private readonly faults: Faults;
  private readonly wallOffsetMs: number;

  constructor(name: string, world: World, store: ModelStore, disk: ModelDisk, faults: Faults) {
    this.name = name;
    this.world = world;
    this.store = store;
    this.disk = disk;
    this.faults = faults;
    // Wall clocks of machines disagree, which must not matter.
    this.wallOffsetMs = 1_790_000_000_000 + world.between(-3_600_000, 3_600_000);
  }

  async start(): Promise<void> {
    this.billing = await createJournalBilling({
      store: this.faultyStore(),
      disk: this.faultyDisk(),
      clock: this.clock,
      timers: this.timers,
      log: silentLog,
      waitLimits: () => DEFAULT_WAIT_LIMITS,
      label: this.name,
      newId: () => `${this.name}.${++this.journalsMade}`,
      listen: async (onNews) => {
        if (this.cannotListen) throw new Error("cannot listen");
        this.onNews = onNews;
        return async () => undefined;
      },
    });
  }

  kill(): void {
    this.alive = false;
  }

  /** SIGSTOP for so long: nothing runs, then everything that was due at once. */
  pause(forMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.world.nowMs + forMs);
  }

  get isPaused(): boolean {
    return this.world.nowMs < this.pausedUntilMs;
  }

  /** The journal in which this process takes new holds. */
  get currentJournal(): string {
    return `${this.name}.${this.journalsMade}`;
  }

  async take(order: HoldOrder): Promise<OpenHold> {
    if (!this.billing) throw new Error("not started");
    return this.billing.take(order);
  }

  /** Runs a callback in this process: not at all when it is dead, later when it is paused. */
  run(callback: () => void): void {
    if (!this.alive) return;
    if (this.isPaused) this.world.after(this.pausedUntilMs - this.world.nowMs, () => this.run(callback));
    else callback();
  }

  readonly clock: Clock = {
    nowMs: () => this.world.nowMs + this.wallOffsetMs,
    monotonicMs: () => this.world.nowMs,
  };

  readonly timers: Timers = {
    after: (delayMs, callback) => {
      let wanted = true;
      this.world.after(delayMs, () =>
        this.run(() => {
          if (wanted) callback();
        }),
      );
      return () => {
        wanted = false;
      };
    },
    defer: (callback) => this.world.after(this.world.chance(0.9) ? 0 : 1, () => this.run(callback)),
  };

  /** Its own, or one whose process on this machine is dead. */
  private mayRead(journal: string): boolean {
    const owner = this.disk.journals.get(journal)?.owner;
    return owner === this || owner?.alive === false;
  }

  /** Each statement travels, takes effect at once, and its response travels back; each leg may fail. */
  private faultyStore(): JournalStore {
    const { world, store, faults } = this;
    const call = <T>(statement: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        const lost = (): void => {
          const afterMs = world.chance(faults.silentLoss) ? 35_000 : world.between(0, 100);
          world.after(afterMs, () => this.run(() => reject(new Error("connection lost"))));
        };
        const travelMs = world.chance(faults.lateStatement)
          ? world.between(1_000, 20_000)
          : world.between(0, 8);
        world.after(travelMs, () => {
          if (faults.outage || world.chance(faults.lostStatement)) return lost();
          let result: T;
          try {
            result = statement();
          } catch (error) {
            world.after(1, () => this.run(() => reject(error)));
            return;
          }
          if (world.chance(faults.pauseAtCommit)) this.pause(world.between(1, faults.longestPauseMs));
          if (world.chance(faults.lostCommit)) return lost();
          world.after(world.between(0, 8), () => this.run(() => resolve(result)));
        });
      });
    return {
      open: (journal) => call(() => store.open(journal)),
      flush: (request) => call(() => store.flush(request)),
      read: (journal) => call(() => store.read(journal)),
      listOpen: () => call(() => store.listOpen()),
      close: (journal, flush) => call(() => store.close(journal, flush, !this.mayRead(journal))),
    };
  }

  private faultyDisk(): JournalDisk {
    const { journals } = this.disk;
    return {
      make: (journal) => {
        const file = { owner: this as SimulatedProcess, text: "" };
        journals.set(journal, file);
        return {
          append: (lines) => {
            const text = lines.toString();
            if (this.faults.diskFull) {
              // Half a write can happen.
              file.text += `${text.slice(0, this.world.between(0, text.length))}\n`;
              throw new Error("no space left");
            }
            file.text += text;
          },
          release: () => undefined,
          carryBefore: () => 0,
          remove: () => journals.delete(journal),
          close: () => undefined,
        };
      },
      abandoned: (own) =>
        [...journals]
          .filter(([journal, { owner }]) => !own.has(journal) && !owner.alive)
          .map(([journal]) => journal),
      read: (journal) => readRecords([journals.get(journal)?.text ?? ""]),
      remove: (journal) => journals.delete(journal),
    };
  }
}
