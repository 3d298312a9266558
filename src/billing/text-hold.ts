import { assert } from "../base/assert.ts";
import type { Timers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import { failpoint } from "../base/failpoint.ts";
import type { Log } from "../observe/log.ts";
import { CHARGED_REASONS, type HoldOrder, type OpenHold, type Outcome, type ServedUsage } from "./billing.ts";
import type { JournalHold } from "./journal/journal.ts";
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
  private readonly hold: JournalHold;
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
    this.begun = this.writeBegin();
    // A caller that ends the hold before its begin record is written doesn't wait for the write.
    this.begun.catch(() => undefined);
  }

  /** Never throws: what has a hold must be able to settle it. */
  private writeBegin(): Promise<void> {
    const { number, beginRecord } = this.hold;
    try {
      failpoint("hold.taken");
      assert(beginRecord, "a hold begins with its line");
      return this.client.writer.begin(number, beginRecord);
    } catch (error) {
      return Promise.reject(error);
    }
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
    const { order, hold, log } = this;
    assert(!this.settling, "a hold is settled once");
    this.settling = true;
    const known = safeCharge(order, outcome, log);
    const charge = known?.charge;
    const dueNanos = known?.dueNanos ?? 0n;
    this.withoutPrice = charge?.unpriced ?? [];
    const aboveNanos = dueNanos - hold.amountNanos;
    const growing = aboveNanos > 0n ? this.grow(aboveNanos) : undefined;
    return growing === undefined
      ? this.end(outcome, charge, dueNanos)
      : growing.then(() => this.end(outcome, charge, dueNanos));
  }

  private grow(byNanos: bigint): Promise<void> | undefined {
    const failed = (error: unknown): void =>
      this.logBug(error, "hold increase failed; the hold is settled at its present amount");
    try {
      return growHold(this.client, this.hold, byNanos, this.clock, this.timers)?.catch(failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  /**
   * Ends the hold whatever throws: with all that is known of the request, else with its charge, else free. What the hold does
   * not cover is the platform's loss, so that nothing later has to agree to it.
   */
  private end(outcome: Outcome, charge: Charge | undefined, dueNanos: bigint): Promise<void> {
    const { order, beganAtMs, hold, log } = this;
    const chargeNanos = dueNanos < hold.amountNanos ? dueNanos : hold.amountNanos;
    const writtenOffNanos = dueNanos - chargeNanos;
    const ways: readonly (() => SettledEnd)[] = [
      () => ({
        chargeNanos,
        holdNanos: hold.amountNanos,
        writtenOffNanos,
        outcome,
        charge: charge?.isPlain ? undefined : charge,
        cost: safeCost(order, beganAtMs, outcome, charge, log),
        raw: outcome.rawText ?? rawText(outcome.raw),
      }),
      () => ({ ...this.bareEnd(bareOutcome(outcome)), chargeNanos, writtenOffNanos }),
      () => this.bareEnd(UNKNOWN_OUTCOME),
    ];
    for (const end of ways) {
      try {
        const settled = end();
        this.writtenOff = settled.writtenOffNanos;
        return this.write(settled);
      } catch (error) {
        this.logBug(error, "end of a request could not be recorded in full");
        // The journal has ended it already and will post it.
        if (hold.beginRecord === undefined) break;
      }
    }
    return Promise.resolve();
  }

  private bareEnd(outcome: Outcome): SettledEnd {
    return {
      chargeNanos: 0n,
      holdNanos: this.hold.amountNanos,
      writtenOffNanos: 0n,
      outcome,
      charge: undefined,
      cost: UNKNOWN_COST,
      raw: "",
    };
  }

  /** Writes the end record. */
  private write(end: SettledEnd): Promise<void> {
    const { order, ledgers, clock, beganAtMs, hold } = this;
    const { journal, writer: records, flushLoop } = this.client;
    const endedAtMs = clock.nowMs();
    const endRecord = journal.end(hold, end.chargeNanos, clock.monotonicMs(), (number) => ({
      record: encodeEnd(number, endedAtMs, hold.number, order.amountNanos, end),
      row: encodeRow({ beganAtMs, endedAtMs, order, ledgers, end }),
    }));
    const ended = records.end(hold.endNumber, endRecord);
    // Otherwise a flush is due soon anyway.
    if (!records.isWritable()) journal.flushSoon();
    if (!records.isWritable() || journal.changesDueTime()) flushLoop.wake();
    return ended;
  }

  private logBug(error: unknown, message: string): void {
    this.log.error({ err: error, requestId: this.order.requestId }, message);
  }
}

/** The order as if the model that answered had been asked. */
function answeredOrder(order: HoldOrder, { answeredBy }: Outcome): HoldOrder {
  return answeredBy === undefined ? order : { ...order, ...answeredBy };
}

/** Returns the fields that every outcome has, without anything of the vendor's. */
function bareOutcome(outcome: Outcome): Outcome {
  const { reason, usage, estimated, upstream, upstreamModel, status, attempts, firstByteMs, totalMs } =
    outcome;
  // The charge is by the price of the model that answered.
  const { answeredBy } = outcome;
  return {
    reason,
    usage,
    estimated,
    upstream,
    upstreamModel,
    answeredBy,
    status,
    attempts,
    firstByteMs,
    totalMs,
  };
}

const UNKNOWN_OUTCOME: Outcome = {
  reason: "upstream_failed",
  usage: {},
  estimated: false,
  upstream: null,
  upstreamModel: null,
  status: 500,
  attempts: 0,
  firstByteMs: null,
  totalMs: 0,
  errorCode: "internal_error",
};

interface DueCharge {
  readonly charge: Charge;
  /** The charge; 0 if the reason for the end is free. */
  readonly dueNanos: bigint;
}

function safeCharge(order: HoldOrder, outcome: Outcome, log: Log): DueCharge | undefined {
  try {
    const isCharged = CHARGED_REASONS.has(outcome.reason);
    const work = isCharged || isUsed(outcome) ? outcome : { ...outcome, requests: 0 };
    const charge = chargeOf(answeredOrder(order, outcome).price, work);
    return { charge, dueNanos: isCharged ? charge.chargeNanos : 0n };
  } catch (error) {
    // Our own mistake. The hold must be resolved all the same, and the caller does not pay for it.
    log.error({ err: error, requestId: order.requestId }, "charge computation failed; nothing is charged");
    return undefined;
  }
}

/** True if the vendor has said that it did anything: without a word of it, no call of a free request is known to have run. */
function isUsed({ usage, calls = [], units, additionalUsage = [] }: ServedUsage): boolean {
  return (
    Object.keys(usage).length > 0 || calls.length > 0 || units !== undefined || additionalUsage.length > 0
  );
}

function safeCost(
  order: HoldOrder,
  atMs: number,
  outcome: Outcome,
  charge: Charge | undefined,
  log: Log,
): RequestCost {
  try {
    return costOf(answeredOrder(order, outcome), atMs, outcome, charge);
  } catch (error) {
    // Our own mistake again, which is nothing that a request may fail for.
    log.error(
      { err: error, requestId: order.requestId },
      "cost computation failed; the cost is recorded as unknown",
    );
    return UNKNOWN_COST;
  }
}
