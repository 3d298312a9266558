import type { FlushRequest, FlushResult, LeaseState } from "../../../src/billing/journal/flush.ts";
import type { FlushBatch } from "../../../src/billing/journal/flush-batch.ts";
import type { LeaseDelta } from "../../../src/billing/leases/lease.ts";

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
  /** The amounts put in and paid out, for conservation. */
  funded: bigint;
  paid: bigint;
  lost: bigint;
}

interface ModelJournal {
  flush: number;
  posted: number;
  closed: boolean;
  readonly leases: Map<string, { amount: bigint; reclaimed: boolean }>;
  /** Closed by somebody who may not read its lines. */
  closedElsewhere: boolean;
  /**
   * By ledger: the amount that closing it returned, the charges of records that came later, and the part of those that
   * nobody had.
   */
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
  readonly journals = new Map<string, ModelJournal>();
  readonly usage: ModelUsage[] = [];
  /** Requests with a line of usage. */
  readonly recorded = new Set<string>();
  /** Called when a journal is closed by another process, which may not read its records. */
  onClosedElsewhere: (journal: string) => void = () => undefined;
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

  /** False where the money must be reclaimed first; undefined where there is too little. */
  debit(ledger: string, amount: bigint): boolean | undefined {
    const entry = this.ledger(ledger);
    if (entry.wallet >= amount) {
      entry.wallet -= amount;
      entry.funded -= amount;
      return true;
    }
    if (entry.wallet + entry.leased < amount) return undefined;
    this.reclaim(ledger, "");
    return false;
  }

  open(journal: string): void {
    if (this.journals.has(journal)) return;
    const made = { flush: 0, posted: 0, closed: false, closedElsewhere: false };
    this.journals.set(journal, { ...made, leases: new Map(), late: new Map() });
  }

  listOpen(): { journal: string; flush: number }[] {
    return [...this.journals]
      .filter(([, { closed }]) => !closed)
      .map(([journal, { flush }]) => ({ journal, flush }));
  }

  read(id: string): FlushResult | undefined {
    const journal = this.journals.get(id);
    if (!journal) return undefined;
    const { flush, posted, closed } = journal;
    return {
      flushNumber: flush,
      posted,
      closed,
      applied: false,
      leases: [...journal.leases.keys()].map((l) => this.state(journal, l)),
    };
  }

  flush(request: FlushRequest): FlushResult {
    const journal = this.journals.get(request.journal);
    if (!journal) throw new Error(`no journal ${request.journal}`);
    if (journal.flush !== request.flushNumber && this.mutant !== "no-compare-and-set") {
      const state = this.read(request.journal);
      if (state) return state;
    }
    journal.flush += 1;
    const charges = this.post(journal, request.batch);
    this.logInterrupted(request.interrupted);
    journal.posted = Math.max(journal.posted, request.flushedThrough);
    const asks = new Map(request.deltas.map((ask) => [ask.ledger, ask]));
    const touched = [...new Set([...charges.keys(), ...asks.keys()])].sort();
    for (const ledger of touched)
      this.moveLease(request.journal, journal, ledger, charges.get(ledger) ?? 0n, asks.get(ledger));
    const named = new Set(touched);
    for (const [ledger, { reclaimed }] of journal.leases) if (reclaimed) named.add(ledger);
    const { flush, posted, closed } = journal;
    return {
      flushNumber: flush,
      posted,
      closed,
      applied: true,
      leases: [...named].map((l) => this.state(journal, l)),
    };
  }

  /** `elsewhere`: by somebody who may not read its lines. */
  close(id: string, flush: number, elsewhere = false): boolean {
    const journal = this.journals.get(id);
    if (!journal || journal.flush !== flush || journal.closed) return false;
    journal.flush += 1;
    journal.closed = true;
    journal.closedElsewhere = elsewhere;
    if (elsewhere) this.onClosedElsewhere(id);
    if (this.mutant === "forget-watermark-on-close") journal.posted = 0;
    for (const [ledger, { amount, reclaimed }] of journal.leases) {
      const entry = this.ledger(ledger);
      entry.wallet += amount;
      entry.leased -= amount;
      journal.late.set(ledger, { returned: amount, charged: 0n, lost: 0n });
      if (reclaimed) this.onNotify(`room ${ledger}`);
    }
    if (this.mutant !== "keep-leases-on-close") journal.leases.clear();
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

  private post(journal: ModelJournal, batch: FlushBatch): Map<string, bigint> {
    const charges = new Map<string, bigint>();
    for (const [index, line] of batch.pairs().entries()) {
      if ((batch.numbers[index] ?? 0) <= journal.posted) continue;
      const begin = JSON.parse(line.beginRecord) as { request: string; hold: string; ledgers: string[] };
      const end = JSON.parse(line.endRecord ?? "") as { charge: string; reason: string; hold?: string };
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

  private moveLease(
    id: string,
    journal: ModelJournal,
    ledger: string,
    charge: bigint,
    ask: LeaseDelta | undefined,
  ): void {
    const entry = this.ledger(ledger);
    const before = journal.leases.get(ledger) ?? { amount: 0n, reclaimed: false };
    let { amount: lease } = before;
    if (ask && ask.allowanceNanos !== null) this.fund(entry, ask.allowanceNanos);

    const fromLease = least(charge, lease);
    lease -= fromLease;
    const fromWallet = least(charge - fromLease, entry.wallet);
    entry.wallet -= fromWallet;
    const lost = charge - fromLease - fromWallet;
    entry.lost += lost;
    if (journal.closed && charge > 0n) {
      const late = journal.late.get(ledger) ?? { returned: 0n, charged: 0n, lost: 0n };
      journal.late.set(ledger, { ...late, charged: late.charged + charge, lost: late.lost + lost });
    }
    entry.paid += charge;

    const give = least(ask?.releaseNanos ?? 0n, lease);
    if (this.mutant !== "give-twice") lease -= give;
    entry.wallet += give;
    if (give > 0n && before.reclaimed) this.onNotify(`room ${ledger}`);

    if (!journal.closed) {
      const growing = ask?.growNanos ?? 0n;
      let granted = this.mutant === "grow-beyond-wallet" ? growing : least(growing, entry.wallet);
      let fits = true;
      for (const want of ask?.demands ?? []) {
        fits = want <= entry.wallet - granted || this.mutant === "grant-beyond-wallet";
        if (!fits) break;
        granted += want;
      }
      if (fits) granted += least(ask?.prefetchNanos ?? 0n, (entry.wallet - granted) / 4n);
      entry.wallet -= granted;
      lease += granted;
      if (!fits) this.reclaim(ledger, id);
    }

    entry.leased += lease - before.amount;
    if (lease === 0n) journal.leases.delete(ledger);
    else
      journal.leases.set(ledger, {
        amount: lease,
        reclaimed: before.reclaimed && !(ask?.answersReclaim ?? false),
      });
  }

  private fund(entry: ModelLedger, allowance: bigint): void {
    let part = allowance - entry.allowance;
    if (part < -entry.wallet) part = -entry.wallet;
    entry.wallet += part;
    entry.funded += part;
    entry.allowance += part;
  }

  private reclaim(ledger: string, exceptJournal: string): void {
    let any = false;
    for (const [id, { leases }] of this.journals) {
      const lease = leases.get(ledger);
      if (!lease || lease.reclaimed || id === exceptJournal) continue;
      lease.reclaimed = true;
      any = true;
    }
    if (any) this.onNotify(`reclaim ${ledger} ${exceptJournal}`);
  }

  private state(journal: ModelJournal, ledger: string): LeaseState {
    const { wallet, leased } = this.ledger(ledger);
    const { amount, reclaimed } = journal.leases.get(ledger) ?? { amount: 0n, reclaimed: false };
    return { ledger, leaseNanos: amount, reclaimed, totalNanos: wallet + leased };
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
