import { GatewayError } from "../../../src/errors.ts";
import { callerOf } from "../money/exchange.ts";
import { World } from "../money/world.ts";
import { fakeVendor, simulatedCatalog, videoRequest } from "../tasks.ts";
import { ModelStore, type StoreMutant } from "./model-board.ts";
import { ModelVendor } from "./model-vendor.ts";
import { type StoreFaults, TaskProcess } from "./process.ts";

export interface TaskSimulationOptions {
  readonly seed: number;
  /** Things that happen: submits, kills, pauses, outages. */
  readonly steps: number;
  /** Breaks a rule of the database on purpose. */
  readonly mutant?: StoreMutant;
}

export interface TaskFindings {
  readonly breaches: string[];
  /** The number of events of each kind: a run in which nothing happens proves nothing. */
  readonly counts: {
    succeeded: number;
    failed: number;
    refused: number;
    unavailable: number;
    kills: number;
    late: number;
  };
}

/**
 * Several processes share one board and two vendors while everything goes wrong that can: kills, pauses,
 * outages, lost commits, lost and slow answers, refusals, flapping, late success. Then all faults end, and every
 * task must be over, made at most once, paid or refunded exactly once. Gives what was not.
 */
export async function simulateTasks(options: TaskSimulationOptions): Promise<TaskFindings> {
  const simulation = new TaskSimulation(options);
  try {
    await simulation.run();
  } catch (error) {
    simulation.findings.breaches.push(`threw ${error instanceof Error ? error.stack : String(error)}`);
  }
  return simulation.findings;
}

const PROCESSES = 3;
const ACCOUNTS = 3;
const MAX_PAUSE_MS = 90_000;
const MAX_OUTAGE_MS = 60_000;
const DEADLINE_MS = 60 * 60_000;
/** T2's figure. */
const MAX_LATE_MS = 60_000;

class TaskSimulation {
  readonly findings: TaskFindings = {
    breaches: [],
    counts: { succeeded: 0, failed: 0, refused: 0, unavailable: 0, kills: 0, late: 0 },
  };
  private readonly steps: number;
  private readonly world: World;
  private readonly store: ModelStore;
  private readonly vendors: Map<bigint, ModelVendor>;
  private readonly faults: StoreFaults;
  private readonly findable: boolean;
  private readonly funded = new Map<bigint, bigint>();
  private readonly accepted = new Set<string>();
  private processes: TaskProcess[] = [];

  constructor({ seed, steps, mutant }: TaskSimulationOptions) {
    const world = new World(seed);
    this.world = world;
    this.steps = steps;
    this.store = new ModelStore(world, mutant);
    const vendor = (): ModelVendor =>
      new ModelVendor(world, {
        refused: world.pick([0, 0.1, 0.4]),
        lostResponse: world.pick([0, 0.05, 0.3]),
        unreachable: world.pick([0, 0.1]),
        failedPoll: world.pick([0, 0.1, 0.5]),
        flapping: world.pick([0, 0.3]),
        synchronous: world.chance(0.2),
      });
    this.vendors = new Map([
      [1n, vendor()],
      [2n, vendor()],
    ]);
    this.faults = {
      outage: false,
      lostCommit: world.pick([0, 0.01, 0.05]),
      lostStatement: world.pick([0, 0.01, 0.05]),
      pauseAtCommit: world.pick([0, 0.005]),
      longestPauseMs: MAX_PAUSE_MS,
    };
    this.findable = world.chance(0.5);
  }

  async run(): Promise<void> {
    const { world } = this;
    for (let account = 1; account <= ACCOUNTS; account += 1) {
      const nanos = BigInt(world.between(1, 40)) * 500_000_000n;
      this.funded.set(BigInt(account), nanos);
      this.store.fund(BigInt(account), nanos);
    }
    for (let count = 0; count < PROCESSES; count += 1) this.start();
    for (let step = 0; step < this.steps; step += 1) {
      this.act();
      await this.until(
        world.nowMs + (world.chance(0.1) ? world.between(1_000, 30_000) : world.between(0, 500)),
      );
      this.checkMoney();
    }
    await this.calmDown();
    this.checkEnds();
  }

  /** One thing happens. */
  private act(): void {
    const { world, faults } = this;
    const dice = world.random();
    if (dice < 0.8) void this.submit();
    else if (dice < 0.86) this.kill();
    else if (dice < 0.97)
      world.pick(this.processes).pause(world.between(1, world.chance(0.5) ? 3_000 : MAX_PAUSE_MS));
    else {
      faults.outage = true;
      world.after(world.between(100, MAX_OUTAGE_MS), () => {
        faults.outage = false;
      });
    }
  }

  private async submit(): Promise<void> {
    const { world, findings } = this;
    const process = world.pick(this.processes);
    if (process.isPaused) return;
    const caller = callerOf(world.between(1, ACCOUNTS), false);
    const request = videoRequest(caller, world.chance(0.05) ? { violation: "against the rules" } : {});
    try {
      const { id } = await process.submitter.submit(request);
      this.accepted.add(id);
      for (const each of this.processes) each.wake();
    } catch (error) {
      const reason = error instanceof GatewayError ? error.reason : String(error);
      if (reason === "insufficient_user_quota") findings.counts.refused += 1;
      // Every upstream has said 429 just now.
      else if (reason === "service_unavailable" || reason === "upstream_saturated")
        findings.counts.unavailable += 1;
      else findings.breaches.push(`a submit failed: ${reason}`);
    }
  }

  private kill(): void {
    const victim = this.world.pick(this.processes);
    victim.kill();
    this.findings.counts.kills += 1;
    this.processes = this.processes.filter((each) => each !== victim);
    if (this.processes.length === 0) this.start();
    this.world.after(this.world.between(0, 20_000), () => this.start());
  }

  private start(): void {
    const upstreams = [fakeVendor(1n), fakeVendor(2n, { priority: 1 })].map(({ upstream }) => upstream);
    this.processes.push(
      new TaskProcess({
        world: this.world,
        store: this.store,
        vendors: this.vendors,
        faults: this.faults,
        findable: this.findable,
        catalog: simulatedCatalog(upstreams),
      }),
    );
  }

  /** All faults of ours end; the vendors stay as they are. Then every deadline passes, and a late watch of some hours. */
  private async calmDown(): Promise<void> {
    Object.assign(this.faults, { lostCommit: 0, lostStatement: 0, pauseAtCommit: 0 });
    await this.until(this.world.nowMs + DEADLINE_MS + 2 * MAX_PAUSE_MS + MAX_LATE_MS);
  }

  /** The sum of all holds is that of open tasks; nobody pays more than there was. */
  private checkMoney(): void {
    for (const [account, { wallet, held, revenue }] of this.store.wallets) {
      const open = [...this.store.tasks.values()].filter(
        ({ wanted, finishedAtMs }) => wanted.caller.accountId === account && finishedAtMs === null,
      );
      const holds = open.reduce((sum, { wanted }) => sum + wanted.holdNanos, 0n);
      const where = `account ${account} at ${this.world.nowMs}`;
      if (held !== holds) this.findings.breaches.push(`${where}: ${held} held for ${holds}`);
      if (wallet < 0n) this.findings.breaches.push(`${where}: ${wallet} left`);
      if (wallet + held + revenue !== (this.funded.get(account) ?? 0n))
        this.findings.breaches.push(`${where}: money came or went`);
    }
  }

  private checkEnds(): void {
    const { breaches, counts } = this.findings;
    this.checkMoney();
    breaches.push(...this.store.breaches);
    for (const id of this.accepted)
      if (!this.store.tasks.has(id)) breaches.push(`${id} was accepted and is lost`);
    for (const [id, task] of this.store.tasks) {
      const makers = [...this.vendors.values()].map(({ made }) => made.get(id)?.length ?? 0);
      const made = makers.reduce((sum, count) => sum + count, 0);
      if (made > 1) breaches.push(`${id} was made ${made} times`);
      if (task.resolutions.length !== 1) breaches.push(`${id} was resolved ${task.resolutions.length} times`);
      const charge = task.resolutions[0]?.charge ?? 0n;
      if (task.finishedAtMs === null) breaches.push(`${id} is ${task.state} at the end`);
      else if (task.finishedAtMs > task.deadlineMs + MAX_LATE_MS)
        breaches.push(`${id} ended ${task.finishedAtMs - task.deadlineMs} ms late`);
      if (task.state === "SUCCESS") {
        counts.succeeded += 1;
        if (charge !== task.wanted.holdNanos) breaches.push(`${id} succeeded for ${charge}`);
        if (![...this.vendors.values()].some((vendor) => vendor.hasSucceeded(id)))
          breaches.push(`${id} succeeded, and no vendor made it`);
      } else {
        counts.failed += 1;
        if (charge !== 0n) breaches.push(`${id} failed for ${charge}`);
        if (task.lateResult !== null) counts.late += 1;
      }
      if (task.wanted.violation !== null && (made > 0 || task.state !== "FAILURE"))
        breaches.push(`${id} breaks the rules, was made ${made} times and is ${task.state}`);
    }
  }

  private async until(atMs: number): Promise<void> {
    while (this.world.step(atMs)) await settleMicrotasks();
    await settleMicrotasks();
  }
}

/** Lets what an event resolved run its course: Node comes to its ticks once no promise has anything left to do. */
function settleMicrotasks(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
