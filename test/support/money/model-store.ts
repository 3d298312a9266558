import type { Posting } from "../../../src/billing/posting.ts";
import type { PurseAsk } from "../../../src/billing/purse.ts";
import type { PurseState, TickAnswer, TickRequest } from "../../../src/billing/tick.ts";

/** Rules of the database that a test can break, to see that the checks notice. */
export const MUTANTS = [
  "no-compare-and-set",
  "forget-watermark-on-close",
  "give-twice",
  "keep-leases-on-close",
  "interrupted-each-time",
  "grant-beyond-wallet",
  "grow-beyond-wallet",
] as const;
export type Mutant = (typeof MUTANTS)[number];

export interface ModelLedger {
  wallet: bigint;
  leased: bigint;
  allowance: bigint;
  /** What was put in and what was paid out, for conservation. */
  funded: bigint;
  paid: bigint;
  lost: bigint;
}

interface ModelSpool {
  tick: number;
  posted: number;
  closed: boolean;
  readonly leases: Map<string, { amount: bigint; recalled: boolean }>;
  /** Closed by somebody who may not read its lines. */
  closedElsewhere: boolean;
  /** By ledger: what closing it returned, what lines that came later were charged, and how much of that nobody had. */
  readonly late: Map<string, { returned: bigint; charged: bigint; lost: bigint }>;
}

export interface ModelUsage {
  readonly request: string;
  readonly charge: bigint;
  /** In the end. */
  readonly hold: bigint;
  readonly reason: string;
}

/** The database in memory: migrations 000004 and 000016 once more, in another language, each method one committed statement. */
export class ModelStore {
  readonly ledgers = new Map<string, ModelLedger>();
  readonly spools = new Map<string, ModelSpool>();
  readonly usage: ModelUsage[] = [];
  /** Requests with a line of usage. */
  readonly recorded = new Set<string>();
  /** Called when a spool is closed by somebody who may not read its lines. */
  onClosedElsewhere: (spool: string) => void = () => undefined;
  /** Called with what the statement notifies once it has committed. */
  onNotify: (payload: string) => void = () => undefined;
  private readonly mutant: Mutant | undefined;

  constructor(mutant?: Mutant) {
    this.mutant = mutant;
  }

  credit(ledger: string, amount: bigint): void {
    const entry = this.ledger(ledger);
    entry.wallet += amount;
    entry.funded += amount;
    this.onNotify(`room ${ledger}`);
  }

  /** False where the money must be recalled first; undefined where there is too little. */
  debit(ledger: string, amount: bigint): boolean | undefined {
    const entry = this.ledger(ledger);
    if (entry.wallet >= amount) {
      entry.wallet -= amount;
      entry.funded -= amount;
      return true;
    }
    if (entry.wallet + entry.leased < amount) return undefined;
    this.recall(ledger, "");
    return false;
  }

  open(spool: string): void {
    if (this.spools.has(spool)) return;
    const made = { tick: 0, posted: 0, closed: false, closedElsewhere: false };
    this.spools.set(spool, { ...made, leases: new Map(), late: new Map() });
  }

  listOpen(): { spool: string; tick: number }[] {
    return [...this.spools].filter(([, { closed }]) => !closed).map(([spool, { tick }]) => ({ spool, tick }));
  }

  read(id: string): TickAnswer | undefined {
    const spool = this.spools.get(id);
    if (!spool) return undefined;
    const { tick, posted, closed } = spool;
    return {
      tick,
      posted,
      closed,
      applied: false,
      purses: [...spool.leases.keys()].map((l) => this.state(spool, l)),
    };
  }

  tick(request: TickRequest): TickAnswer {
    const spool = this.spools.get(request.spool);
    if (!spool) throw new Error(`no spool ${request.spool}`);
    if (spool.tick !== request.tick && this.mutant !== "no-compare-and-set") {
      const state = this.read(request.spool);
      if (state) return state;
    }
    spool.tick += 1;
    const charges = this.post(spool, request.lines);
    this.logInterrupted(request.interrupted);
    spool.posted = Math.max(spool.posted, request.upto);
    const asks = new Map(request.asks.map((ask) => [ask.ledger, ask]));
    const touched = [...new Set([...charges.keys(), ...asks.keys()])].sort();
    for (const ledger of touched)
      this.movePurse(request.spool, spool, ledger, charges.get(ledger) ?? 0n, asks.get(ledger));
    const named = new Set(touched);
    for (const [ledger, { recalled }] of spool.leases) if (recalled) named.add(ledger);
    const { tick, posted, closed } = spool;
    return { tick, posted, closed, applied: true, purses: [...named].map((l) => this.state(spool, l)) };
  }

  /** `elsewhere`: by somebody who may not read its lines. */
  close(id: string, tick: number, elsewhere = false): boolean {
    const spool = this.spools.get(id);
    if (!spool || spool.tick !== tick || spool.closed) return false;
    spool.tick += 1;
    spool.closed = true;
    spool.closedElsewhere = elsewhere;
    if (elsewhere) this.onClosedElsewhere(id);
    if (this.mutant === "forget-watermark-on-close") spool.posted = 0;
    for (const [ledger, { amount, recalled }] of spool.leases) {
      const entry = this.ledger(ledger);
      entry.wallet += amount;
      entry.leased -= amount;
      spool.late.set(ledger, { returned: amount, charged: 0n, lost: 0n });
      if (recalled) this.onNotify(`room ${ledger}`);
    }
    if (this.mutant !== "keep-leases-on-close") spool.leases.clear();
    return true;
  }

  ledger(id: string): ModelLedger {
    let ledger = this.ledgers.get(id);
    if (!ledger) {
      ledger = { wallet: 0n, leased: 0n, allowance: 0n, funded: 0n, paid: 0n, lost: 0n };
      this.ledgers.set(id, ledger);
    }
    return ledger;
  }

  private post(spool: ModelSpool, posting: Posting): Map<string, bigint> {
    const charges = new Map<string, bigint>();
    for (const [index, line] of posting.pairs().entries()) {
      if ((posting.numbers[index] ?? 0) <= spool.posted) continue;
      const begin = JSON.parse(line.beginLine) as { request: string; hold: string; ledgers: string[] };
      const end = JSON.parse(line.endLine ?? "") as { charge: string; reason: string; hold?: string };
      const { request, ledgers } = begin;
      const { charge, reason, hold = begin.hold } = end;
      this.record({ request, charge: BigInt(charge), hold: BigInt(hold), reason });
      for (const ledger of ledgers) charges.set(ledger, (charges.get(ledger) ?? 0n) + BigInt(charge));
    }
    return charges;
  }

  private logInterrupted(beginLines: readonly string[]): void {
    for (const line of beginLines) {
      const { request } = JSON.parse(line) as { request: string };
      if (!this.recorded.has(request) || this.mutant === "interrupted-each-time")
        this.record({ request, charge: 0n, hold: 0n, reason: "interrupted" });
    }
  }

  private record(row: ModelUsage): void {
    this.usage.push(row);
    this.recorded.add(row.request);
  }

  private movePurse(
    id: string,
    spool: ModelSpool,
    ledger: string,
    charge: bigint,
    ask: PurseAsk | undefined,
  ): void {
    const entry = this.ledger(ledger);
    const before = spool.leases.get(ledger) ?? { amount: 0n, recalled: false };
    let { amount: lease } = before;
    if (ask && ask.allowanceNanos !== null) this.fund(entry, ask.allowanceNanos);

    const fromLease = least(charge, lease);
    lease -= fromLease;
    const fromWallet = least(charge - fromLease, entry.wallet);
    entry.wallet -= fromWallet;
    const lost = charge - fromLease - fromWallet;
    entry.lost += lost;
    if (spool.closed && charge > 0n) {
      const late = spool.late.get(ledger) ?? { returned: 0n, charged: 0n, lost: 0n };
      spool.late.set(ledger, { ...late, charged: late.charged + charge, lost: late.lost + lost });
    }
    entry.paid += charge;

    const give = least(ask?.giveNanos ?? 0n, lease);
    if (this.mutant !== "give-twice") lease -= give;
    entry.wallet += give;
    if (give > 0n && before.recalled) this.onNotify(`room ${ledger}`);

    if (!spool.closed) {
      const growing = ask?.growNanos ?? 0n;
      let granted = this.mutant === "grow-beyond-wallet" ? growing : least(growing, entry.wallet);
      let fits = true;
      for (const want of ask?.wants ?? []) {
        fits = want <= entry.wallet - granted || this.mutant === "grant-beyond-wallet";
        if (!fits) break;
        granted += want;
      }
      if (fits) granted += least(ask?.aheadNanos ?? 0n, (entry.wallet - granted) / 4n);
      entry.wallet -= granted;
      lease += granted;
      if (!fits) this.recall(ledger, id);
    }

    entry.leased += lease - before.amount;
    if (lease === 0n) spool.leases.delete(ledger);
    else
      spool.leases.set(ledger, { amount: lease, recalled: before.recalled && !(ask?.recallSeen ?? false) });
  }

  private fund(entry: ModelLedger, allowance: bigint): void {
    let part = allowance - entry.allowance;
    if (part < -entry.wallet) part = -entry.wallet;
    entry.wallet += part;
    entry.funded += part;
    entry.allowance += part;
  }

  private recall(ledger: string, exceptSpool: string): void {
    let any = false;
    for (const [id, { leases }] of this.spools) {
      const lease = leases.get(ledger);
      if (!lease || lease.recalled || id === exceptSpool) continue;
      lease.recalled = true;
      any = true;
    }
    if (any) this.onNotify(`recall ${ledger} ${exceptSpool}`);
  }

  private state(spool: ModelSpool, ledger: string): PurseState {
    const { wallet, leased } = this.ledger(ledger);
    const { amount, recalled } = spool.leases.get(ledger) ?? { amount: 0n, recalled: false };
    return { ledger, leaseNanos: amount, recalled, totalNanos: wallet + leased };
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
