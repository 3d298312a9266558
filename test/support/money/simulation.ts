import { GatewayError } from "../../../src/errors.ts";
import { checkBooks, checkLedgers } from "./books.ts";
import { callerOf, type Exchange, LIMIT, ledgerIdsOf, orderOf, outcomeOf } from "./exchange.ts";
import { ModelStore, type Mutant } from "./model-store.ts";
import { type Faults, ModelDisk, SimulatedProcess } from "./process.ts";
import { World } from "./world.ts";

export interface SimulationOptions {
  readonly seed: number;
  /** Things that happen: requests, kills, pauses, outages ... */
  readonly steps: number;
  /** Breaks a rule of the database on purpose. */
  readonly mutant?: Mutant;
}

export interface Findings {
  readonly breaches: string[];
  /** The number of events of each kind: a run in which nothing happens proves nothing. */
  readonly counts: {
    served: number;
    insufficient: number;
    busy: number;
    unavailable: number;
    kills: number;
    /** Charges above their holds, and those of them that were not had in full. */
    grown: number;
    writtenOff: number;
  };
}

/**
 * Several gateways on several machines share one ledger while everything goes wrong that can: kills,
 * pauses to 90 s, outages, lost commits, lost notifications, full disks, racing adopters. Then all faults
 * end, the dead are adopted, everybody drains, and the books must be right. Gives what was not.
 */
export async function simulate(options: SimulationOptions): Promise<Findings> {
  const simulation = new Simulation(options);
  try {
    await simulation.run();
  } catch (error) {
    simulation.findings.breaches.push(`threw ${error instanceof Error ? error.stack : String(error)}`);
  }
  return simulation.findings;
}

const MACHINES = 3;
const ACCOUNTS = 3;
// Half of the seeds stay within what closes no living process's journal.
const MAX_GENTLE_PAUSE_MS = 20_000;
const MAX_GENTLE_OUTAGE_MS = 10_000;
const MAX_PAUSE_MS = 90_000;
const MAX_OUTAGE_MS = 70_000;

class Simulation {
  readonly findings: Findings = {
    breaches: [],
    counts: { served: 0, insufficient: 0, busy: 0, unavailable: 0, kills: 0, grown: 0, writtenOff: 0 },
  };
  private readonly steps: number;
  private readonly world: World;
  private readonly store: ModelStore;
  private readonly faults: Faults;
  private readonly gentle: boolean;
  private readonly overcharges: boolean;
  private readonly disks = Array.from({ length: MACHINES }, () => new ModelDisk());
  private readonly exchanges: Exchange[] = [];
  private readonly creditedAtMs = new Map<string, number>();
  private processes: SimulatedProcess[] = [];
  private processesMade = 0;

  constructor({ seed, steps, mutant }: SimulationOptions) {
    const world = new World(seed);
    this.world = world;
    this.steps = steps;
    this.store = new ModelStore(mutant);
    this.store.onNotify = (payload) => this.notify(payload);
    this.store.onClosedElsewhere = (journal) => this.checkClosing(journal);
    this.gentle = world.chance(0.5);
    this.overcharges = world.chance(0.3);
    this.faults = {
      outage: false,
      diskFull: false,
      lostCommit: world.pick([0, 0.01, 0.1]),
      lostStatement: world.pick([0, 0.01, 0.1]),
      silentLoss: 0.5,
      lostNotification: world.pick([0, 0.3, 1]),
      lateStatement: world.pick([0, 0.01]),
      pauseAtCommit: world.pick([0, 0.002]),
      longestPauseMs: this.gentle ? MAX_GENTLE_PAUSE_MS : MAX_PAUSE_MS,
    };
  }

  async run(): Promise<void> {
    const { world } = this;
    for (let account = 1; account <= ACCOUNTS; account += 1) this.credit(account, world.between(50, 3_000));
    for (const disk of this.disks) this.start(disk);
    await this.until(2_000);
    for (let step = 0; step < this.steps; step += 1) {
      this.act();
      await this.until(
        world.nowMs + (world.chance(0.02) ? world.between(1_000, 15_000) : world.between(0, 150)),
      );
    }
    await this.calmDown();
    await this.holdEverything();
    await this.drain();
    this.findings.breaches.push(...checkBooks(this.store, this.exchanges));
  }

  /** One thing happens. */
  private act(): void {
    const { world, faults } = this;
    const dice = world.random();
    if (dice < 0.86) {
      this.request();
    } else if (dice < 0.88) {
      this.kill();
    } else if (dice < 0.91) {
      world.pick(this.processes).pause(world.between(1, world.chance(0.5) ? 3_000 : faults.longestPauseMs));
    } else if (dice < 0.915) {
      faults.outage = true;
      const longest = this.gentle ? MAX_GENTLE_OUTAGE_MS : MAX_OUTAGE_MS;
      world.after(world.between(100, longest), () => {
        faults.outage = false;
      });
    } else if (dice < 0.925) {
      faults.diskFull = true;
      world.after(world.between(10, 5_000), () => {
        faults.diskFull = false;
      });
    } else if (dice < 0.96) {
      this.credit(world.between(1, ACCOUNTS), world.between(1, 300));
    } else {
      this.store.debit(`account:${world.between(1, ACCOUNTS)}`, BigInt(world.between(1, 200)));
    }
    this.findings.breaches.push(...checkLedgers(this.store));
  }

  private request(): void {
    const { world } = this;
    const ready = this.processes.filter((process) => process.billing && !process.isPaused);
    if (ready.length === 0) return;
    const amount = world.chance(0.1) ? world.between(100, 1_500) : world.between(1, 100);
    const above = this.overcharges && world.chance(0.1);
    void this.exchange(world.pick(ready), world.between(1, ACCOUNTS), world.chance(0.3), {
      amount: BigInt(amount),
      charge: BigInt(above ? world.pick([2, 20]) * amount : world.between(0, amount)),
      runsMs: world.chance(0.02) ? world.between(10_000, 100_000) : world.between(0, 4_000),
    });
  }

  private async exchange(
    process: SimulatedProcess,
    account: number,
    limited: boolean,
    { amount, charge, runsMs }: { amount: bigint; charge: bigint; runsMs: number },
  ): Promise<Exchange> {
    const caller = callerOf(account, limited);
    const exchange: Exchange = {
      id: `request ${this.exchanges.length}`,
      process,
      ledgers: ledgerIdsOf(caller),
      amount,
      sinceMs: this.world.nowMs,
      charge: () => 0n,
      state: "asked",
    };
    this.exchanges.push(exchange);
    try {
      const hold = await process.take(orderOf(exchange.id, caller, amount));
      exchange.state = "taken";
      this.findings.counts.served += 1;
      this.checkGrant(exchange);
      const begun = await hold.begun.then(
        () => true,
        () => false,
      );
      if (begun) exchange.state = "begun";
      process.timers.after(begun ? runsMs : 0, () => {
        exchange.state = begun && charge > amount ? "growing" : "settling";
        exchange.charge = () => hold.chargeNanos();
        void hold.settle(outcomeOf(charge, begun ? "completed" : "rejected")).then(() => {
          exchange.state = "settled";
          if (hold.chargeNanos() > amount) this.findings.counts.grown += 1;
          if (hold.writtenOffNanos() > 0n) this.findings.counts.writtenOff += 1;
        });
      });
    } catch (error) {
      exchange.state = "refused";
      exchange.reason = error instanceof GatewayError ? error.reason : String(error);
      this.checkRefusal(exchange, error);
    }
    return exchange;
  }

  /** Only after a minute of silence, which a gentle run has of the dead alone. */
  private checkClosing(journal: string): void {
    const owner = this.processes.find(({ disk }) => disk.journals.get(journal)?.owner.alive);
    if (owner && this.gentle)
      this.findings.breaches.push(`journal ${journal} was closed while its process lived`);
  }

  /**
   * No hold on a closed journal; all holds and charges of a ledger together within what was paid in. What records of closed journals
   * will charge is not known to others; once they are posted, what they cost the house is.
   */
  private checkGrant(exchange: Exchange): void {
    const { id, process, ledgers } = exchange;
    const { breaches } = this.findings;
    exchange.journal = process.currentJournal;
    if (this.isClosed(exchange)) breaches.push(`${id} was granted on a closed journal`);
    for (const ledger of ledgers) {
      let exposed = 0n;
      for (const other of this.exchanges) {
        if (other.state === "asked" || other.state === "refused" || !other.ledgers.includes(ledger)) continue;
        if (this.isClosed(other) && !this.store.recorded.has(other.id)) continue;
        if (other.state === "settled") exposed += other.charge();
        else if (other.process.alive) exposed += other.state === "settling" ? other.charge() : other.amount;
      }
      const { funded, lost } = this.store.ledger(ledger);
      if (exposed > funded + lost)
        breaches.push(`${id}: ${exposed} of ${funded} held or charged in ${ledger}, ${lost} lost`);
    }
  }

  private isClosed({ journal }: Exchange): boolean {
    return journal !== undefined && (this.store.journals.get(journal)?.closed ?? false);
  }

  /** 403 only where the money is not there, 429 only after the whole wait. */
  private checkRefusal({ id, ledgers, amount, sinceMs }: Exchange, error: unknown): void {
    const { breaches, counts } = this.findings;
    const reason = error instanceof GatewayError ? error.reason : String(error);
    if (reason === "service_unavailable") {
      counts.unavailable += 1;
    } else if (reason === "balance_busy") {
      counts.busy += 1;
      if (this.world.nowMs - sinceMs < 10_000) breaches.push(`${id} was sent away too early`);
    } else if (reason === "insufficient_user_quota") {
      counts.insufficient += 1;
      const couldPay = ledgers.every((ledger) => {
        // Money that came after the flush is no reproach.
        if ((this.creditedAtMs.get(ledger) ?? 0) >= sinceMs) return false;
        const entry = this.store.ledgers.get(ledger);
        return (entry ? entry.wallet + entry.leased : LIMIT) >= amount;
      });
      if (couldPay) breaches.push(`${id} was refused although its ledgers have ${amount}`);
    } else {
      breaches.push(`${id} failed: ${reason}`);
    }
  }

  private credit(account: number, amount: number): void {
    this.creditedAtMs.set(`account:${account}`, this.world.nowMs);
    this.store.credit(`account:${account}`, BigInt(amount));
  }

  private kill(): void {
    const process = this.world.pick(this.processes);
    this.remove(process);
    this.findings.counts.kills += 1;
    this.world.after(this.world.between(0, 20_000), () => {
      this.start(process.disk);
      // A second process of the same gateway: both adopt what the dead one left.
      if (this.world.chance(0.3) && this.processes.length < 2 * MACHINES) this.start(process.disk);
    });
  }

  private start(disk: ModelDisk): void {
    this.processesMade += 1;
    const process = new SimulatedProcess(`p${this.processesMade}`, this.world, this.store, disk, this.faults);
    this.processes.push(process);
    process.start().catch(() => {
      // The database was away. A supervisor starts it again.
      if (!process.alive) return;
      this.remove(process);
      this.world.after(1_000, () => this.start(disk));
    });
  }

  private remove(process: SimulatedProcess): void {
    process.kill();
    this.processes = this.processes.filter((each) => each !== process);
    // There is always somebody to pick.
    if (this.processes.length === 0) this.start(process.disk);
  }

  private notify(payload: string): void {
    const [kind, ledger, byJournal = ""] = payload.split(" ");
    if ((kind !== "reclaim" && kind !== "room") || !ledger) return;
    for (const process of this.processes) {
      if (this.world.chance(this.faults.lostNotification)) continue;
      this.world.after(this.world.between(0, 20), () =>
        process.run(() => process.onNews({ kind, ledger, byJournal })),
      );
    }
  }

  /** All faults end, every pause and request is over, every machine has a process. */
  private async calmDown(): Promise<void> {
    Object.assign(this.faults, {
      lostCommit: 0,
      lostStatement: 0,
      lostNotification: 0,
      lateStatement: 0,
      pauseAtCommit: 0,
    });
    await this.until(this.world.nowMs + 220_000);
    for (const disk of this.disks) {
      if (!this.processes.some((process) => process.disk === disk)) this.start(disk);
    }
    await this.until(this.world.nowMs + 40_000);
    for (const { id, state, process } of this.exchanges) {
      if (process.alive && state !== "refused" && state !== "settled")
        this.findings.breaches.push(`${id} is stuck: ${state}`);
    }
  }

  /** Nothing lies lost in some lease: a request for all that an account has is served. */
  private async holdEverything(): Promise<void> {
    for (let account = 1; account <= ACCOUNTS; account += 1) {
      const { wallet, leased } = this.store.ledger(`account:${account}`);
      const all = { amount: wallet + leased, charge: 0n, runsMs: 0 };
      const exchange = await this.settled(
        this.exchange(this.world.pick(this.processes), account, false, all),
      );
      if (exchange?.state !== "settled")
        this.findings.breaches.push(
          `account ${account}: ${all.amount} cannot be held: ${exchange?.state} ${exchange?.reason ?? ""}`,
        );
    }
  }

  private async settled(running: Promise<Exchange>): Promise<Exchange | undefined> {
    let exchange: Exchange | undefined;
    void running.then((done) => {
      exchange = done;
    });
    await this.until(this.world.nowMs + 12_000);
    return exchange;
  }

  private async drain(): Promise<void> {
    let drained: boolean[] | undefined;
    void Promise.all(this.processes.map(({ billing }) => billing?.drain() ?? false)).then((all) => {
      drained = all;
    });
    await this.until(this.world.nowMs + 15_000);
    if (!drained?.every(Boolean)) this.findings.breaches.push(`not everybody drained: ${drained}`);
  }

  private async until(atMs: number): Promise<void> {
    while (this.world.step(atMs)) await settleMicrotasks();
    await settleMicrotasks();
  }
}

/** Lets what an event resolved run its course. */
async function settleMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await undefined;
}
