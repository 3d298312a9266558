import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { crashPoint } from "../base/crash-point.ts";
import type { Log } from "../observe/log.ts";
import { CHARGED_REASONS, type FrozenPrice, type HoldOrder, type OpenHold, type Outcome } from "./billing.ts";
import { encodeBegin, encodeEnd, rawText } from "./line.ts";
import type { Purse } from "./purse.ts";
import { charge } from "./rate.ts";
import type { Session } from "./session.ts";
import { encodeRow } from "./usage-row.ts";

/** Writes the begin line of a hold that these purses have given, and lets it be settled once. */
export function openHold(
  session: Session,
  order: HoldOrder,
  purses: readonly Purse[],
  clock: Clock,
  log: Log,
): OpenHold {
  const { spool, lines, ticker } = session;
  const ledgers = purses.map(({ ledger }) => ledger);
  const beganAtMs = clock.nowMs();
  const hold = spool.begin(purses, order.amountNanos, (number) =>
    encodeBegin(number, beganAtMs, order, ledgers),
  );
  crashPoint("hold.taken");
  const { beginLine } = hold;
  assert(beginLine, "a hold begins with its line");
  const begun = lines.begin(hold.number, beginLine);
  return {
    begun,
    chargeNanos: () => hold.chargeNanos,
    settle(outcome) {
      assert(hold.beginLine !== undefined, "a hold is settled once");
      const price = outcome.withoutExtras ? withoutExtras(order.price) : order.price;
      const chargeNanos = chargeOf(order, price, outcome, log);
      const lastRates = price === order.price ? undefined : price.rates;
      const endedAtMs = clock.nowMs();
      const raw = rawText(outcome.raw);
      const endLine = spool.end(hold, chargeNanos, clock.monotonicMs(), (number) => ({
        line: encodeEnd(number, endedAtMs, hold.number, chargeNanos, outcome, lastRates, raw),
        row: encodeRow({ beganAtMs, endedAtMs, order, ledgers, chargeNanos, outcome, raw }),
      }));
      const ended = lines.end(hold.endNumber, endLine);
      // Otherwise a tick is due soon anyway.
      if (!lines.isWritable()) spool.hurry();
      if (!lines.isWritable() || spool.changesDueTime()) ticker.wake();
      return ended;
    },
  };
}

function withoutExtras(price: FrozenPrice): FrozenPrice {
  if (price.extras === undefined) return price;
  const { extras: _unasked, ...tokensAlone } = price;
  return tokensAlone;
}

function chargeOf({ requestId }: HoldOrder, price: FrozenPrice, outcome: Outcome, log: Log): bigint {
  if (!CHARGED_REASONS.has(outcome.reason)) return 0n;
  try {
    return charge(outcome.usage, price);
  } catch (error) {
    // Our own mistake. The hold must be resolved all the same, and the caller does not pay for it.
    log.error({ err: error, requestId }, "a charge cannot be computed; nothing is charged");
    return 0n;
  }
}
