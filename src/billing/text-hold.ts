import { assert } from "../base/assert.ts";
import type { Timers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import { failpoint } from "../base/failpoint.ts";
import type { Log } from "../observe/log.ts";
import { CHARGED_REASONS, type HoldOrder, type OpenHold, type Outcome } from "./billing.ts";
import type { Hold } from "./journal/journal.ts";
import { encodeBegin, encodeEnd, rawText, type SettledEnd } from "./journal/journal-record.ts";
import type { Lease } from "./leases/lease.ts";
import { growHold } from "./leases/lease-growth.ts";
import type { LedgerRef } from "./leases/ledger-ref.ts";
import type { LedgerClient } from "./ledger/ledger-client.ts";
import { costOf, type RequestCost, UNKNOWN_COST } from "./pricing/attempt-cost.ts";
import { type Charge, chargeOf } from "./pricing/charge.ts";
import { encodeRow } from "./usage-log/usage-row.ts";

/** A hold that these leases have given, until it is settled, once. */
export class TextHold implements OpenHold {
  readonly begun: Promise<void>;
  private readonly client: LedgerClient;
  private readonly order: HoldOrder;
  private readonly ledgers: readonly LedgerRef[];
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly beganAtMs: number;
  private readonly timers: Timers;
  private readonly hold: Hold;
  private settling = false;
  private writtenOff = 0n;
  private withoutPrice: readonly string[] = [];

  /** Writes its begin record. */
  constructor(
    client: LedgerClient,
    order: HoldOrder,
    leases: readonly Lease[],
    { clock, timers, log }: { readonly clock: Clock; readonly timers: Timers; readonly log: Log },
  ) {
    const ledgers = leases.map(({ ledger }) => ledger);
    const beganAtMs = order.acceptedMs ?? clock.nowMs();
    this.client = client;
    this.order = order;
    this.ledgers = ledgers;
    this.clock = clock;
    this.log = log;
    this.timers = timers;
    this.beganAtMs = beganAtMs;
    this.hold = client.journal.begin(leases, order.amountNanos, (number) =>
      encodeBegin(number, beganAtMs, order, ledgers),
    );
    failpoint("hold.taken");
    const { number, beginRecord } = this.hold;
    assert(beginRecord, "a hold begins with its line");
    this.begun = client.writer.begin(number, beginRecord);
  }

  chargeNanos(): bigint {
    return this.hold.chargeNanos;
  }

  writtenOffNanos(): bigint {
    return this.writtenOff;
  }

  unpriced(): readonly string[] {
    return this.withoutPrice;
  }

  settle(outcome: Outcome): Promise<void> {
    const { order, hold, clock, timers } = this;
    assert(!this.settling, "a hold is settled once");
    this.settling = true;
    const charge = chargeFor(order, outcome, this.log);
    this.withoutPrice = charge?.unpriced ?? [];
    const dueNanos = charge !== undefined && CHARGED_REASONS.has(outcome.reason) ? charge.chargeNanos : 0n;
    const aboveNanos = dueNanos - hold.amountNanos;
    const growing = aboveNanos > 0n ? growHold(this.client, hold, aboveNanos, clock, timers) : undefined;
    return growing === undefined
      ? this.end(outcome, charge, dueNanos)
      : growing.then(() => this.end(outcome, charge, dueNanos));
  }

  /** Writes the end record. What the hold does not cover is the platform's loss, so that nothing later has to agree to it. */
  private end(outcome: Outcome, charge: Charge | undefined, dueNanos: bigint): Promise<void> {
    const { order, ledgers, clock, beganAtMs, hold } = this;
    const { journal, writer: records, flushLoop } = this.client;
    const chargeNanos = dueNanos < hold.amountNanos ? dueNanos : hold.amountNanos;
    this.writtenOff = dueNanos - chargeNanos;
    const end: SettledEnd = {
      chargeNanos,
      holdNanos: hold.amountNanos,
      writtenOffNanos: this.writtenOff,
      outcome,
      charge: charge?.isPlain ? undefined : charge,
      cost: costFor(order, beganAtMs, outcome, charge, this.log),
      raw: rawText(outcome.raw),
    };
    const endedAtMs = clock.nowMs();
    const endRecord = journal.end(hold, chargeNanos, clock.monotonicMs(), (number) => ({
      record: encodeEnd(number, endedAtMs, hold.number, order.amountNanos, end),
      row: encodeRow({ beganAtMs, endedAtMs, order, ledgers, end }),
    }));
    const ended = records.end(hold.endNumber, endRecord);
    // Otherwise a flush is due soon anyway.
    if (!records.isWritable()) journal.hurry();
    if (!records.isWritable() || journal.changesDueTime()) flushLoop.wake();
    return ended;
  }
}

function chargeFor(order: HoldOrder, outcome: Outcome, log: Log): Charge | undefined {
  try {
    return chargeOf(order.price, outcome);
  } catch (error) {
    // Our own mistake. The hold must be resolved all the same, and the caller does not pay for it.
    log.error({ err: error, requestId: order.requestId }, "a charge can't be computed; nothing is charged");
    return undefined;
  }
}

function costFor(
  order: HoldOrder,
  atMs: number,
  outcome: Outcome,
  charge: Charge | undefined,
  log: Log,
): RequestCost {
  try {
    return costOf(order, atMs, outcome, charge);
  } catch (error) {
    // Our own mistake again, which is nothing that a request may fail for.
    log.error(
      { err: error, requestId: order.requestId },
      "a cost can't be computed; it is recorded as unknown",
    );
    return UNKNOWN_COST;
  }
}
