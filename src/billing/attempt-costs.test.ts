import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BillingRig,
  completed,
  createBillingRig,
  order,
  TOKEN_NANOS,
} from "../../test/support/billing.ts";
import type { AttemptUse, Outcome } from "./billing.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
});
afterAll(() => rig.close());

const PLACE = { upstreamModel: "theirs", credential: "1", cost: null } as const;
const used = (tokens: number): AttemptUse["used"] => ({ usage: { inputUncached: tokens } });
const failed = (upstream: string, tokens: number): AttemptUse => ({ ...PLACE, upstream, used: used(tokens) });
const last: AttemptUse = { ...PLACE, upstream: "sandbox", used: "charged" };
const DISCOUNT = { factorPpm: 500_000n, prices: new Map() };

interface CostRow {
  readonly request_id: string;
  readonly attempt: bigint;
  readonly upstream: string;
  readonly cost_nanos: bigint;
  readonly stated_nanos: bigint | null;
  readonly used: string | null;
  readonly charge_nanos: bigint;
}

const rowsOf = (ids: readonly string[]): Promise<CostRow[]> =>
  rig.database.query<CostRow>(
    `select request_id, attempt, upstream, cost_nanos, stated_nanos, used, charge_nanos
       from attempt_costs where request_id = any($1) order by array_position($1, request_id), attempt`,
    [ids],
  );

/** What is asked of one gateway, and posted. */
async function post(outcomes: readonly Outcome[], name: string): Promise<string[]> {
  const caller = await rig.account(10_000n * TOKEN_NANOS);
  const billing = await rig.start(name);
  const ids = [];
  for (const outcome of outcomes) {
    const asked = order(caller, 100n * TOKEN_NANOS);
    const hold = await billing.take(asked);
    await hold.settle(outcome);
    ids.push(asked.requestId);
  }
  await billing.drain();
  return ids;
}

describe("costs in the database", () => {
  it("are a row for each attempt, charged or not, posted with the request", async () => {
    const outcomes: Outcome[] = [
      completed(10),
      { ...completed(10), attempts: 2, attemptUses: [failed("first", 7), last] },
      { ...completed(10), attemptUses: [{ ...last, cost: DISCOUNT }], raw: { cost: 0.000_02 } },
      { ...completed(0), reason: "empty_answer", usage: {}, attemptUses: [failed("sandbox", 3)] },
      { ...completed(0), reason: "upstream_timeout", usage: {}, attemptUses: [{ ...last, used: "unknown" }] },
      { ...completed(0), reason: "no_upstream", usage: {}, upstream: null, attempts: 0, attemptUses: [] },
      // Above its hold and the balance: what is written off costs all the same.
      { ...completed(20_000), attemptUses: [last] },
    ];
    const ids = await post(outcomes, "rows");
    const rows = await rowsOf(ids);
    const shown = rows.map(({ request_id, attempt, upstream, cost_nanos, stated_nanos, used: how }) => [
      ids.indexOf(request_id),
      Number(attempt),
      upstream,
      cost_nanos / TOKEN_NANOS,
      stated_nanos,
      how,
    ]);
    expect(shown).toEqual([
      [0, 1, "sandbox", 10n, null, null],
      [1, 1, "first", 7n, null, null],
      [1, 2, "sandbox", 10n, null, null],
      [2, 1, "sandbox", 5n, 20_000n, null],
      [3, 1, "sandbox", 3n, null, null],
      [4, 1, "sandbox", 0n, null, "unknown"],
      [6, 1, "sandbox", 20_000n, null, null],
    ]);
    // The charge of a request stands with its last attempt alone.
    expect(rows[1]?.charge_nanos).toBe(0n);
    expect(rows[2]?.charge_nanos).toBe(10n * TOKEN_NANOS);
  });

  it("are summed by day, account, model and upstream, and the sums equal the rows", async () => {
    const { verify, database } = rig;
    await post([{ ...completed(10), attempts: 2, attemptUses: [failed("first", 7), last] }], "sums");
    const days = await database.query<{ upstream: string; cost: bigint; rows: bigint }>(
      `select d.upstream, sum(d.cost_nanos)::int8 as cost,
              (select sum(cost_nanos)::int8 from attempt_costs a where a.upstream = d.upstream) as rows
         from cost_days d group by d.upstream order by d.upstream`,
    );
    expect(days.map(({ upstream }) => upstream)).toEqual(["first", "sandbox"]);
    for (const { cost, rows } of days) expect(cost).toBe(rows);
    expect((await verify()).breaches).toEqual([]);
  });

  it("of a request that died with its process are recorded once, as unknown", async () => {
    const caller = await rig.account(1_000n * TOKEN_NANOS);
    const asked = order(caller, 100n * TOKEN_NANOS);
    const dying = await rig.start("dying");
    const hold = await dying.take(asked);
    await hold.begun;
    await dying.drain(0);
    const next = await rig.start("dying");
    await next.drain();
    const rows = await rowsOf([asked.requestId]);
    expect(rows.map(({ upstream, cost_nanos, used: how }) => [upstream, cost_nanos, how])).toEqual([
      ["", 0n, "unknown"],
    ]);
    expect((await rig.verify()).breaches).toEqual([]);
  });
});
