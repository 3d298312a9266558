import { SMALL_BYTES } from "../../base/async/memory-budget.ts";
import type { UpstreamCall } from "../../upstreams/call.ts";

/** Why a response may not grow: its account's share is used up, or all of it. */
type Obstacle = "account" | "total";

/** No account's answers may hold up everybody else's. */
const ACCOUNT_SHARE = 0.5;

/**
 * The memory of plain responses, which are collected whole, and of what long streams keep. When it is used up, upstreams of
 * plain responses are read from no further, and streams end, all but the one whose response is the oldest: so one at least is
 * always on its way to its end, and none waits forever.
 */
export class ResponseMemory {
  private readonly limitBytes: () => number;
  /** The oldest first. */
  private readonly parts = new Set<ResponsePart>();
  private readonly byAccount = new Map<bigint, number>();
  /** Each reason from the start: an alarm on its increase needs the sample before the first. */
  private readonly refusals = new Map<Obstacle, number>([
    ["account", 0],
    ["total", 0],
  ]);
  private held = 0;

  constructor(limitBytes: () => number) {
    this.limitBytes = limitBytes;
  }

  /** For metrics. */
  heldBytes(): number {
    return this.held;
  }

  /** For metrics: streams that ended, by what was used up. */
  refused(): Iterable<readonly [why: string, count: number]> {
    return this.refusals;
  }

  /** For a response that is no longer small; `call` is paused while it may not grow, if there is one. */
  open(accountId: bigint, call?: Pick<UpstreamCall, "pause" | "resume">): ResponsePart {
    const part = new ResponsePart(this, accountId, call);
    this.parts.add(part);
    return part;
  }

  add({ accountId }: ResponsePart, bytes: number): void {
    this.held += bytes;
    const left = (this.byAccount.get(accountId) ?? 0) + bytes;
    if (left > 0) this.byAccount.set(accountId, left);
    else this.byAccount.delete(accountId);
  }

  /** The limit that stops this response from growing; undefined = it may grow. */
  obstacle(part: ResponsePart): Obstacle | undefined {
    const [oldest] = this.parts;
    if (part === oldest) return undefined;
    const limit = this.limitBytes();
    if (this.held >= limit) return "total";
    return (this.byAccount.get(part.accountId) ?? 0) < ACCOUNT_SHARE * limit ? undefined : "account";
  }

  /** A stream ends for want of memory. */
  count(why: Obstacle): void {
    this.refusals.set(why, (this.refusals.get(why) ?? 0) + 1);
  }

  remove(part: ResponsePart): void {
    this.parts.delete(part);
    for (const each of this.parts) each.goOn();
  }
}

/** The memory of one response. */
export class ResponsePart {
  readonly accountId: bigint;
  private readonly memory: ResponseMemory;
  private readonly call: Pick<UpstreamCall, "pause" | "resume"> | undefined;
  private bytes = 0;
  private paused = false;
  private released = false;

  constructor(memory: ResponseMemory, accountId: bigint, call?: Pick<UpstreamCall, "pause" | "resume">) {
    this.memory = memory;
    this.accountId = accountId;
    this.call = call;
  }

  /** Reports the size so far; false = it may not grow. */
  holds(bytes: number): boolean {
    this.memory.add(this, bytes - this.bytes);
    this.bytes = bytes;
    const obstacle = this.memory.obstacle(this);
    if (obstacle === undefined) return true;
    if (!this.paused && this.call === undefined) this.memory.count(obstacle);
    if (!this.paused) this.call?.pause();
    this.paused = true;
    return false;
  }

  /** Frees the memory. Calls after the first do nothing. */
  release(): void {
    if (this.released) return;
    this.released = true;
    this.memory.add(this, -this.bytes);
    this.memory.remove(this);
  }

  /** Others have let go of theirs. */
  goOn(): void {
    if (!this.paused || this.memory.obstacle(this) !== undefined) return;
    this.paused = false;
    this.call?.resume();
  }
}

/** True if a response of this size counts. Most are small and never have to wait. */
export function isLarge(bytes: number): boolean {
  return bytes > SMALL_BYTES;
}
