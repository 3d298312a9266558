/** Virtual time and seeded chance: a run is a function of its seed. */
export class World {
  nowMs = 0;
  private readonly events: { atMs: number; order: number; run: () => void }[] = [];
  private order = 0;
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** From 0 up to, not including, 1 (mulberry32). */
  random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** A whole number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + Math.floor(this.random() * (high - low + 1));
  }

  pick<T>(from: readonly T[]): T {
    const one = from[Math.floor(this.random() * from.length)];
    if (one === undefined) throw new Error("nothing to pick from");
    return one;
  }

  after(delayMs: number, run: () => void): void {
    this.push({ atMs: this.nowMs + Math.max(0, delayMs), order: this.order++, run });
  }

  /** Runs one event; false when none is due by then. */
  step(untilMs: number): boolean {
    const next = this.events[0];
    if (next === undefined || next.atMs > untilMs) {
      this.nowMs = Math.max(this.nowMs, untilMs);
      return false;
    }
    this.pop();
    this.nowMs = Math.max(this.nowMs, next.atMs);
    next.run();
    return true;
  }

  private push(event: { atMs: number; order: number; run: () => void }): void {
    const heap = this.events;
    heap.push(event);
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!this.earlier(child, parent)) break;
      this.swap(child, parent);
      child = parent;
    }
  }

  private pop(): void {
    const heap = this.events;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let parent = 0; ; ) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2])
        if (child < heap.length && this.earlier(child, least)) least = child;
      if (least === parent) return;
      this.swap(parent, least);
      parent = least;
    }
  }

  private earlier(one: number, other: number): boolean {
    const a = this.events[one];
    const b = this.events[other];
    if (!a || !b) return false;
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  }

  private swap(one: number, other: number): void {
    const heap = this.events;
    const held = heap[one];
    const with_ = heap[other];
    if (!held || !with_) return;
    heap[one] = with_;
    heap[other] = held;
  }
}
