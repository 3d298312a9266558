import { type Held, type MemoryOwner, MemoryPool, type Obstacle } from "./memory-pool.ts";
import type { Timers } from "./timers.ts";

/** Up to here memory is small: it has a pool of its own, so that what is large never stands in its way. */
export const SMALL_BYTES = 64 * 1024;

/** The share of the whole budget. */
const SMALL_SHARE = 0.1;

/** Others release their memory within moments, or not soon. */
const WAIT_MS = 2_000;

/** Each waits on a connection whose buffers are full, 200 KB: more of them would be memory that nobody counts. */
const MAX_WAITING = 256;

/** Why memory was refused: a share that is used up, the whole budget, or too many who wait already. */
export type MemoryRefusal = Obstacle | "queue";

interface Waiter {
  readonly grant: MemoryGrant;
  readonly bytes: number;
  end(obstacle: MemoryRefusal | undefined): void;
}

/**
 * Memory that must not be used up by those who ask for it. What is known beforehand is taken whole, or waited for in
 * turn; what is only found out on the way grows at once or is refused, since whoever holds something and waits for more
 * may wait for another who does the same.
 */
export class MemoryBudget {
  private readonly timers: Timers;
  private readonly small: MemoryPool;
  private readonly large: MemoryPool;
  /**
   * The waiting requests by account, the account whose turn is next first; each in the order of arrival. None is empty.
   */
  private readonly queues = new Map<Held, Waiter[]>();
  /** Each reason from the start: an alarm on its increase needs the sample before the first refusal. */
  private readonly refusals = new Map<MemoryRefusal, number>([
    ["key", 0],
    ["account", 0],
    ["total", 0],
    ["queue", 0],
  ]);
  private waiting = 0;

  /** `limitBytes` is asked anew each time, as it is a setting. */
  constructor(limitBytes: () => number, timers: Timers) {
    this.timers = timers;
    this.small = new MemoryPool("small", () => SMALL_SHARE * limitBytes());
    this.large = new MemoryPool("large", () => (1 - SMALL_SHARE) * limitBytes());
  }

  /** Begins with nothing; its holder must release it. */
  grant(owner: MemoryOwner): MemoryGrant {
    return new MemoryGrant(this, owner);
  }

  /** For metrics. */
  heldBytes(): readonly (readonly [pool: string, bytes: number])[] {
    return [this.small, this.large].map(({ name, held }) => [name, held]);
  }

  /** For metrics. */
  refused(): Iterable<readonly [why: string, count: number]> {
    return this.refusals;
  }

  waitingCount(): number {
    return this.waiting;
  }

  /** See MemoryGrant.growTo. Gives what stands against it. */
  grow(grant: MemoryGrant, bytes: number): Obstacle | undefined {
    const { owner, pool } = grant;
    const isSmall = bytes <= SMALL_BYTES && pool !== this.large;
    if (isSmall && this.small.obstacle(owner, grant.bytes, bytes - grant.bytes) === undefined) {
      this.small.add(owner, bytes - grant.bytes);
      grant.hold(this.small, bytes);
      return undefined;
    }
    const own = pool === this.large ? grant.bytes : 0;
    const obstacle = this.large.obstacle(owner, own, bytes - own);
    if (obstacle !== undefined) return obstacle;
    if (pool === this.small) pool.add(owner, -grant.bytes);
    this.large.add(owner, bytes - own);
    grant.hold(this.large, bytes);
    return undefined;
  }

  /** See MemoryGrant.await. */
  wait(grant: MemoryGrant, bytes: number): Promise<MemoryRefusal | undefined> {
    if (this.waiting >= MAX_WAITING) return Promise.resolve(this.count("queue"));
    return new Promise((resolve) => {
      const waiter: Waiter = {
        grant,
        bytes,
        end: (obstacle) => {
          cancel();
          this.waiting -= 1;
          grant.waiter = undefined;
          resolve(obstacle);
        },
      };
      const cancel = this.timers.after(WAIT_MS, () => {
        this.leave(waiter);
        // Its own share has room by now, but another that needs more is before it.
        waiter.end(this.count(this.obstacleFor(waiter) ?? "total"));
        this.serve();
      });
      this.waiting += 1;
      grant.waiter = waiter;
      const queue = this.queues.get(grant.owner.account);
      if (queue === undefined) this.queues.set(grant.owner.account, [waiter]);
      else queue.push(waiter);
      this.serve();
    });
  }

  /** True if others wait whom a grant that takes at once would overtake. */
  hasQueue(): boolean {
    return this.waiting > 0;
  }

  /** A grant that waits is let go before its turn. */
  abandon(waiter: Waiter): void {
    this.leave(waiter);
    waiter.end("total");
    this.serve();
  }

  /** Something was let go. */
  serve(): void {
    while (this.waiting > 0 && this.serveOne());
  }

  count(why: MemoryRefusal): MemoryRefusal {
    this.refusals.set(why, (this.refusals.get(why) ?? 0) + 1);
    return why;
  }

  /**
   * Serves the first who can be served. Who lacks a share of their own lets others pass; who lacks what all share does
   * not, or whoever asks for little would overtake forever.
   */
  private serveOne(): boolean {
    for (const [account, queue] of this.queues) {
      const shortKeys = new Set<Held>();
      for (const waiter of queue) {
        const { owner } = waiter.grant;
        if (shortKeys.has(owner.key)) continue;
        const obstacle = this.obstacleFor(waiter);
        if (obstacle === "total") return false;
        if (obstacle === "account") break;
        if (obstacle === "key") {
          shortKeys.add(owner.key);
          continue;
        }
        this.leave(waiter);
        this.grow(waiter.grant, waiter.bytes);
        // The others' turn.
        const rest = this.queues.get(account);
        if (rest !== undefined && this.queues.delete(account)) this.queues.set(account, rest);
        waiter.end(undefined);
        return true;
      }
    }
    return false;
  }

  private obstacleFor({ grant, bytes }: Waiter): Obstacle | undefined {
    return this.large.obstacle(grant.owner, 0, bytes);
  }

  private leave(waiter: Waiter): void {
    const { account } = waiter.grant.owner;
    const rest = (this.queues.get(account) ?? []).filter((each) => each !== waiter);
    if (rest.length > 0) this.queues.set(account, rest);
    else this.queues.delete(account);
  }
}

/** The memory that one holder has of a budget. */
export class MemoryGrant {
  readonly owner: MemoryOwner;
  private readonly budget: MemoryBudget;
  bytes = 0;
  pool: MemoryPool | undefined;
  /** Set by the budget while it waits. */
  waiter: Waiter | undefined;

  constructor(budget: MemoryBudget, owner: MemoryOwner) {
    this.budget = budget;
    this.owner = owner;
  }

  /** Holds this many bytes from now on, if not more already; else gives why not, and keeps what it has. */
  growTo(bytes: number): MemoryRefusal | undefined {
    if (bytes <= this.bytes) return undefined;
    const obstacle = this.budget.grow(this, bytes);
    return obstacle === undefined ? undefined : this.budget.count(obstacle);
  }

  /**
   * The same for a grant that holds nothing yet: in turn, for up to two seconds. Undefined at once where there is room;
   * a promise of undefined once there is.
   */
  await(bytes: number): undefined | Promise<MemoryRefusal | undefined> {
    if (bytes <= this.bytes) return undefined;
    const mayPass = bytes <= SMALL_BYTES || !this.budget.hasQueue();
    if (mayPass && this.budget.grow(this, bytes) === undefined) return undefined;
    return this.budget.wait(this, bytes);
  }

  /** Lets go of all of it. A second call does nothing. */
  release(): void {
    const { waiter, pool, bytes } = this;
    if (waiter !== undefined) this.budget.abandon(waiter);
    if (pool === undefined) return;
    this.hold(undefined, 0);
    pool.add(this.owner, -bytes);
    this.budget.serve();
  }

  /** For the budget. */
  hold(pool: MemoryPool | undefined, bytes: number): void {
    this.pool = pool;
    this.bytes = bytes;
  }
}
