import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BillingRig, createBillingRig, serve, TOKEN_NANOS } from "../../../test/support/billing.ts";
import type { Caller } from "../../accounts/caller.ts";
import { systemClock } from "../../base/clock.ts";
import { randomText } from "../../base/random.ts";
import type { JournalBilling } from "../journal/journal-billing.ts";
import { ledgersOf } from "../leases/ledger-ref.ts";
import { LEDGER_RULES } from "./verify-store.ts";

let rig: BillingRig;
let billing: JournalBilling;
beforeAll(async () => {
  rig = await createBillingRig();
  billing = await rig.start("books");
  const caller = await rig.account(1_000n * TOKEN_NANOS, { amountNanos: 500n * TOKEN_NANOS, period: "week" });
  for (let count = 0; count < 3; count += 1) await serve(billing, caller, 50, 20);
  await billing.drain();
  await endedTask(caller, "SUCCESS", 7n);
  await endedTask(caller, "FAILURE", 7n);
  await acceptTask(caller, 7n);
  // A second one that stays, so that there are leases.
  const running = await rig.start("running");
  await serve(running, caller, 50, 0);
});
afterAll(() => rig.close());

async function acceptTask(caller: Caller, holdNanos: bigint): Promise<string> {
  const id = `task-${randomText(8)}`;
  const facts = {
    id,
    request: id,
    account: String(caller.accountId),
    key: "1",
    group_name: "default",
    medium: "video",
    family: "videoa",
    model: "m",
    action: "generate",
    units: {},
    open_ended: false,
    deadline_ms: 1_000,
    price: "1",
    rates: {},
    factor: "1000000",
    hold: String(holdNanos),
    max_waiting: 10,
  };
  const ledgers = ledgersOf(caller, systemClock.nowMs());
  await rig.database.query("select accept_task($1, '{}', $2, $3)", [
    JSON.stringify(facts),
    ledgers.map((each) => each.id),
    ledgers.map((each) => each.allowanceNanos),
  ]);
  return id;
}

async function endedTask(caller: Caller, state: string, holdNanos: bigint): Promise<void> {
  const facts = { state, fail_reason: "", reason: "completed", charge: "3", media: {}, estimated: false };
  const id = await acceptTask(caller, holdNanos);
  await rig.database.query("select finish_task($1, 0, $2, null)", [
    id,
    JSON.stringify(state === "SUCCESS" ? facts : { ...facts, charge: "0" }),
  ]);
}

describe("ledger verify", () => {
  it("finds nothing in books that are right, and says what they hold", async () => {
    const report = await rig.verify();
    expect(report).toMatchObject({
      ok: true,
      breaches: [],
      revenue_nanos: 60n * TOKEN_NANOS + 3n,
      loss_nanos: 0n,
      quarantined_records: 0,
      accounts: [
        {
          name: "account 1",
          balance_nanos: 940n * TOKEN_NANOS - 3n,
          // One task still holds.
          available_nanos: 940n * TOKEN_NANOS - 10n,
        },
      ],
    });
  });

  // What somebody with the database's password and bad intentions, or a bug of ours, could do.
  const tamperings: [rule: string, statement: string][] = [
    ["transfer_sides", "update transfers set to_side = 'leased' where kind = 'opening'"],
    ["ledger_equals_transfers", "update ledgers set wallet = wallet + 1 where kind = 'balance'"],
    ["ledger_equals_transfers", "update transfers set amount = amount + 1 where kind = 'opening'"],
    ["ledger_equals_transfers", "delete from transfers where kind = 'lease'"],
    ["ledger_equals_transfers", "delete from ledgers where kind = 'balance'"],
    ["balance_days_equal_transfers", "update balance_days set text_nanos = text_nanos + 1"],
    ["balance_days_equal_transfers", "delete from balance_days"],
    [
      "never_negative",
      "alter table ledgers drop constraint wallet_not_negative; update ledgers set wallet = -1",
    ],
    ["leased_equals_leases", "update leases set amount = amount + 1"],
    ["leased_equals_leases", "delete from leases"],
    ["closed_journal_leases_nothing", "update journals set closed = true where not closed"],
    ["allowance_equals_transfers", "update ledgers set allowance = allowance + 1 where kind = 'limit'"],
    [
      "usage_equals_revenue",
      "update usage set charge_nanos = charge_nanos + 1 where record_number = (select min(record_number) from usage)",
    ],
    ["usage_equals_revenue", "delete from usage where charge_nanos > 0"],
    ["usage_equals_revenue", "delete from transfers where kind = 'post' and to_side = 'revenue'"],
    ["charge_within_hold", "update usage set hold_nanos = charge_nanos - 1 where charge_nanos > 0"],
    ["cost_equals_attempts", "update usage set costs = '[]' where cost_nanos > 0"],
    ["rollups_equal_usage", "update spending_days set margin_nanos = margin_nanos + 1"],
    ["rollups_equal_usage", "update cost_days set cost_nanos = cost_nanos + 1"],
    ["rollups_equal_usage", "update usage_hours set input_uncached = input_uncached + 1"],
    ["rollups_equal_usage", "update usage_keys set charge_nanos = charge_nanos + 1"],
    // Far away: the next bucket may be there already.
    ["rollups_equal_usage", "update usage_latencies set bucket = bucket + 1000"],
    ["rollups_equal_usage", "delete from usage_hours"],
    ["rollups_equal_usage", "delete from usage where charge_nanos > 0"],
    ["request_recorded_once", "insert into usage select * from usage limit 1"],
    ["record_posted_once", "update usage set record_number = 2, journal = 's'"],
    ["watermark_covers_records", "update journals set flushed_through = 0"],
    [
      "quarantine_equals_loss",
      "insert into quarantined_records select 's', 1, ledger, 5, '', '', '' from transfers limit 1",
    ],
    [
      "code_credited_once",
      "with made as (insert into redemption_batches (amount_nanos, note, created_by) values (5, '', '') returning id) insert into redemption_codes (batch_id, hash, hint, redeemed_at, account_id, redeemed_by) select id, sha256('code'), '', now(), (select id from accounts limit 1), '' from made",
    ],
    ["held_equals_open_tasks", "update tasks set hold_nanos = hold_nanos + 1 where finished_at is null"],
    ["held_equals_open_tasks", "delete from tasks where finished_at is null"],
    ["hold_resolved_at_most_once", "update transfers set amount = amount + 1 where kind = 'settle'"],
    ["hold_resolved_at_most_once", "delete from transfers where kind = 'hold'"],
    [
      "hold_resolved_at_most_once",
      "insert into transfers (key, kind, ledger, from_side, to_side, amount, reference) select key || 'x', kind, ledger, from_side, to_side, amount, reference from transfers where kind = 'release'",
    ],
    ["task_resolved_once", "delete from transfers where kind = 'release'"],
    ["task_resolved_once", "update transfers set kind = 'release' where kind = 'settle'"],
  ];

  it.each(tamperings)("finds %s: %s", async (rule, statement) => {
    const breaches = await breachesAfter(statement);
    expect(breaches).toContain(rule);
  });

  it("has a tampering for each of its rules", () => {
    expect(new Set(tamperings.map(([rule]) => rule))).toEqual(new Set(LEDGER_RULES.map(({ rule }) => rule)));
  });
});

/** Runs the rules after a change that is undone again; triggers are off, as they would refuse it. */
async function breachesAfter(statement: string): Promise<string[]> {
  const found: string[] = [];
  const undo = new Error("undo");
  await rig.database
    .transaction(async (tx) => {
      await tx.query(`set local session_replication_role = replica; ${statement}`);
      for (const { rule, finds } of LEDGER_RULES) {
        const rows = await tx.query(finds);
        if (rows.length > 0) found.push(rule);
      }
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}
