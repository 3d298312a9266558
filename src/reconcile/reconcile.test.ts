import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BilledAnswer,
  type Billing,
  EXPORT_FORMATS,
  writeExport,
} from "../../sandbox/src/vendor-export.ts";
import { type BillingRig, completed, createBillingRig, order } from "../../test/support/billing.ts";
import type { AttemptUse, FrozenPrice, Outcome } from "../billing/billing.ts";
import type { TokenUsage } from "../usage/usage.ts";
import { readAmount } from "./export-row.ts";
import { type ReconcileOptions, reconcile } from "./reconcile.ts";

let rig: BillingRig;
beforeAll(async () => {
  rig = await createBillingRig();
  await postDays();
});
afterAll(() => rig.close());

const HOUR = 3_600_000;
/** 0:00 UTC of the first day; all are past, as requests are posted after they ended. */
const FIRST = Date.parse("2026-03-02");

const PRICE: FrozenPrice = {
  priceId: 1n,
  rates: { input: 2_500_000_000n, output: 15_000_000_000n, cacheRead: 250_000_000n },
  factorPpm: 2_000_000n,
};

interface Request {
  readonly at: number;
  readonly model: string;
  readonly usage: TokenUsage;
}

/** Two days of two models, some of it where other zones have another day. */
const REQUESTS: readonly Request[] = [1, 5, 9, 15, 21, 23].flatMap((hour) =>
  [0, 1].flatMap((day) =>
    ["gpt-5.4", "gemini-2.5-flash"].map((model, at) => ({
      at: FIRST + (24 * day + hour) * HOUR,
      model,
      usage: {
        inputUncached: 100_003 + 997 * hour + 31 * day + at,
        cacheRead: 5_000 + hour,
        outputVisible: 2_001 + 7 * hour + day,
        outputReasoning: 400 + hour,
      },
    })),
  ),
);

const ids: string[] = [];

interface Ended {
  readonly acceptedAt: number;
  readonly endedAt: number;
  readonly model: string;
  readonly outcome: Partial<Outcome>;
}

/** Ends requests at these moments and posts them; gives the ids. */
async function post(name: string, ended: readonly Ended[]): Promise<string[]> {
  const caller = await rig.account(10n ** 15n);
  let nowMs = 0;
  const billing = await rig.start(name, {
    clock: { nowMs: () => nowMs, monotonicMs: () => performance.now() },
  });
  const posted = [];
  for (const { acceptedAt, endedAt, model, outcome } of ended) {
    nowMs = acceptedAt;
    const asked = { ...order(caller, 10n ** 12n), model, price: PRICE };
    const hold = await billing.take(asked);
    nowMs = endedAt;
    await hold.settle({ ...completed(0), upstream: "main", upstreamModel: model, ...outcome });
    posted.push(asked.requestId);
  }
  await billing.drain();
  return posted;
}

async function postDays(): Promise<void> {
  const ended = REQUESTS.map(({ at, model, usage }) => ({
    acceptedAt: at,
    endedAt: at,
    model,
    outcome: { usage },
  }));
  ids.push(...(await post("days", ended)));
  await rig.database.execute(
    `insert into upstreams (name, kind, base_url, models, priority, weight, max_concurrency, timeouts, enabled)
     values ('main', 'openai', 'http://127.0.0.1', '{"gpt-5.4": "gpt-5.4", "g": "gemini-2.5-flash"}', 1, 1, 1, '{}', true)`,
  );
}

const LIST = { input: 2.5, "cached input": 0.25, output: 15 };
const BILLING: Billing = { priceOf: () => LIST, offsetHours: 0 };

const answers = (): BilledAnswer[] =>
  REQUESTS.map(({ at, model, usage }) => ({
    at,
    model,
    usage: {
      inputUncached: 0,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      outputVisible: 0,
      outputReasoning: 0,
      ...usage,
    },
  }));

/** A millionth of a dollar. */
const TOLERANCE = readAmount("0.000001") ?? 0n;
const compared = (text: string, options: Partial<ReconcileOptions> = {}) =>
  reconcile(rig.database, text, { tolerance: TOLERANCE, ...options });
const csvOf = (given: readonly BilledAnswer[], changes: Partial<Billing> = {}): string =>
  writeExport("csv", given, { ...BILLING, ...changes });

describe("a clean export", () => {
  it.each(EXPORT_FORMATS)("has no differences as %s", async (format) => {
    const offsetHours = format === "google-csv" ? -8 : 0;
    const report = await compared(writeExport(format, answers(), { ...BILLING, offsetHours }));
    expect(report.differences).toEqual([]);
    expect(report.causes).toEqual([]);
    expect(report.from <= "2026-03-02" && report.to === "2026-03-03").toBe(true);
    // By hand: every token at its price.
    const due = answers().reduce(
      (sum, { usage }) =>
        sum +
        usage.inputUncached * 2_500 +
        usage.cacheRead * 250 +
        (usage.outputVisible + usage.outputReasoning) * 15_000,
      0,
    );
    expect(readAmount(report.ours_usd, 9)).toBe(BigInt(due));
  });

  it("is read with lines above the header, quoted fields and other services of the vendor", async () => {
    const [header = "", ...lines] = writeExport("google-csv", answers(), {
      ...BILLING,
      offsetHours: -8,
    }).split("\n");
    const text = [
      "Invoice number,1",
      `${header},Service description`,
      ...lines.map((line) => `${line.replace(/,([^,]*),/, ',"$1",')},Gemini API`),
      'p,"Core, in ""Americas""",2026-03-02,5,hour,7.5,Compute Engine',
      ",Total,,,,99,",
    ].join("\r\n");
    expect((await compared(text)).differences).toEqual([]);
  });

  it("of a dated model is compared with the model that was asked for", async () => {
    const dated = answers().map((each) => ({ ...each, model: `${each.model}-2026-01-15` }));
    expect((await compared(csvOf(dated))).differences).toEqual([]);
  });
});

describe("several models in one answer", () => {
  it("are compared each under its own name, as vendors bill them", async () => {
    const at = Date.parse("2026-05-10T12:00:00Z");
    const others = [
      { model: "g", usage: { inputUncached: 70_000, outputVisible: 900 }, price: PRICE },
      { model: "unlisted-20260301", usage: { inputUncached: 3_000 }, price: PRICE },
      { model: "g", usage: { inputUncached: 10_000 }, price: PRICE },
    ];
    const usage = { inputUncached: 1_000, outputVisible: 50 };
    const use: AttemptUse = {
      upstream: "main",
      upstreamModel: "gpt-5.4",
      credential: "1",
      cost: { factorPpm: 500_000n, prices: new Map() },
      used: "charged",
    };
    const common = { acceptedAt: at, endedAt: at, model: "gpt-5.4" };
    await post("several", [
      { ...common, outcome: { usage, additionalUsage: others } },
      { ...common, outcome: { usage, additionalUsage: others, attemptUses: [use] } },
    ]);
    // Twice the tokens, one and a half times their list price: by hand.
    const text = [
      "day,model,bucket,quantity,amount",
      "2026-05-10,gpt-5.4,input,2000,0.00375",
      "2026-05-10,gpt-5.4,output,100,0.001125",
      "2026-05-10,gemini-2.5-flash,input,160000,0.3",
      "2026-05-10,gemini-2.5-flash,output,1800,0.02025",
      "2026-05-10,unlisted,input,6000,0.01125",
    ].join("\n");
    expect(await compared(text)).toMatchObject({ differences: [], causes: [] });
  });
});

describe("a fault in an export is found and named", () => {
  const causesOf = async (text: string, options: Partial<ReconcileOptions> = {}) => {
    const report = await compared(text, options);
    return { ...report, names: [...new Set(report.causes.map(({ name }) => name))] };
  };
  const [first, ...others] = answers();
  const one = first as BilledAnswer;

  it("a response that the vendor bills and nobody recorded", async () => {
    const { names, differences } = await causesOf(csvOf([...answers(), one]));
    expect(names).toEqual(["not_recorded_here"]);
    expect(differences.map(({ bucket }) => bucket)).toEqual(["input", "output", "cache_read"]);
  });

  it("a response that the vendor doesn't bill, with its request", async () => {
    const { names, differences } = await causesOf(csvOf(others));
    expect(names).toEqual(["not_billed"]);
    expect(differences[0]).toMatchObject({
      model: one.model,
      bucket: "input",
      requests: [{ id: ids[0], why: ["same quantity"] }],
    });
  });

  it.each(
    (["openai-costs", "openai-usage", "anthropic-costs"] as const).flatMap((format) =>
      [[0], [1], [0, 1]].map((days) => [format, days] as const),
    ),
  )("days on which the vendor bills nothing, in buckets without results: %s, %j", async (format, days) => {
    const file = JSON.parse(writeExport(format, answers(), BILLING)) as { data: { results: unknown[] }[] };
    expect(file.data).toHaveLength(2);
    for (const day of days) Object.assign(file.data[day] ?? {}, { results: [] });
    const { names, differences, ...report } = await causesOf(JSON.stringify(file));
    expect([report.from, report.to]).toEqual(["2026-03-02", "2026-03-03"]);
    const missed = new Set(differences.map(({ day }) => day));
    expect([...missed].sort()).toEqual(days.map((day) => `2026-03-0${day + 2}`));
    expect(names).toContain("not_billed");
  });

  it("a tier that was not recorded", async () => {
    const priceOf: Billing["priceOf"] = (_model, _at, tier) =>
      tier === undefined ? LIST : { input: 5, "cached input": 0.5, output: 30 };
    const priority = [{ ...one, tier: "priority" }, ...others];
    for (const format of ["csv", "openai-costs"] as const) {
      const { names, differences } = await causesOf(writeExport(format, priority, { ...BILLING, priceOf }));
      expect(names, format).toEqual(["tier"]);
      expect(differences.every(({ day, model }) => day === "2026-03-02" && model === one.model)).toBe(true);
    }
  });

  it("a row that is there twice", async () => {
    const lines = csvOf(answers()).split("\n");
    const { names, differences } = await causesOf([...lines, lines[1]].join("\n"));
    expect(names).toEqual(["duplicate_row"]);
    expect(differences).toHaveLength(1);
  });

  it("a price that changed at midnight", async () => {
    const priceOf: Billing["priceOf"] = (_model, at) =>
      at < FIRST + 24 * HOUR ? LIST : { ...LIST, input: 3 };
    const { names, differences } = await causesOf(csvOf(answers(), { priceOf }));
    expect(names).toEqual(["price_change"]);
    expect(differences.map(({ day, bucket }) => [day, bucket])).toEqual([
      ["2026-03-03", "input"],
      ["2026-03-03", "input"],
    ]);
  });

  it("days of another time zone", async () => {
    const text = csvOf(answers(), { offsetHours: -8 });
    const { names, causes } = await causesOf(text);
    expect(names).toEqual(["time_zone"]);
    expect(causes[0]?.text).toContain("America/Los_Angeles");
    expect((await causesOf(text, { zone: "America/Los_Angeles" })).differences).toEqual([]);
  });

  it("tokens in another bucket", async () => {
    const { usage } = one;
    const moved = { ...usage, cacheRead: 0, inputUncached: usage.inputUncached + usage.cacheRead };
    const { names, causes } = await causesOf(csvOf([{ ...one, usage: moved }, ...others]));
    expect(names).toEqual(["bucket"]);
    expect(causes[0]?.text).toContain("+5001 input, -5001 cache_read");
  });

  it("rows of another project", async () => {
    const ours = answers().map((each) => ({ ...each, project: "ours" }));
    const text = csvOf([...ours, { ...one, project: "theirs" }]);
    const { names, causes } = await causesOf(text);
    expect(names).toEqual(["project"]);
    expect(causes[0]?.text).toContain("--project ours");
    expect((await causesOf(text, { project: "ours" })).differences).toEqual([]);
  });

  it("amounts in another currency", async () => {
    const { names, theirs_usd, differences } = await causesOf(csvOf(answers(), { currency: "EUR" }));
    expect(names).toContain("currency");
    expect(theirs_usd).toBe(null);
    for (const { theirs, difference_usd } of differences)
      expect([theirs.usd, difference_usd]).toEqual([null, null]);
  });

  it("amounts that are rounded", async () => {
    expect((await causesOf(csvOf(answers(), { decimals: 2 }))).names).toEqual(["rounding"]);
    const cents = readAmount("0.01") ?? 0n;
    const within = await causesOf(csvOf(answers(), { decimals: 2 }), { tolerance: cents });
    expect(within.differences).toEqual([]);
  });
});

describe("requests that may explain a difference", () => {
  it("by their quantity explain the bucket that has it, and no other", async () => {
    const moved = answers().map(({ usage, ...each }, at) => {
      const input = at === 0 ? 0 : usage.inputUncached;
      const output = at === 0 ? usage.outputVisible - 7 : usage.outputVisible;
      return { ...each, usage: { ...usage, inputUncached: input, outputVisible: output } };
    });
    const { differences } = await compared(csvOf(moved));
    const { account } = await rig.database.one<{ account: string }>(
      "select account_id::text as account from usage where request_id = $1",
      [ids[0]],
    );
    expect(differences.map(({ bucket, requests }) => [bucket, requests])).toEqual([
      ["input", [{ id: ids[0], account, why: ["same quantity"] }]],
      ["output", []],
    ]);
  });

  it("are those that are estimated, implausible, unpriced, of unknown cost or across midnight", async () => {
    const model = "doubtful";
    const at = Date.parse("2026-04-10T12:00:00Z");
    const midnight = Date.parse("2026-04-11");
    const usage = { inputUncached: 1_000 };
    const at1 = { upstream: "main", upstreamModel: model, credential: "1" };
    const use: AttemptUse = { ...at1, cost: null, used: "unknown" };
    const outcomes: Partial<Outcome>[] = [
      { usage },
      { usage, estimated: true },
      { usage, implausible: [{ field: "input", reported: 1e12, most: 1_000 }] },
      { usage, served: { tier: "ultra" } },
      { usage: {}, reason: "upstream_timeout", attemptUses: [use] },
    ];
    const posted = await post("doubtful", [
      ...outcomes.map((outcome) => ({ acceptedAt: at, endedAt: at, model, outcome })),
      { acceptedAt: midnight - 60_000, endedAt: midnight + 60_000, model, outcome: { usage } },
    ]);
    const text = "day,model,bucket,amount\n2026-04-10,doubtful,input,2\n2026-04-11,doubtful,input,1";
    const { differences } = await compared(text, { upstreams: ["main"] });
    const told = differences.map(({ day, requests }) => [day, requests.map(({ id, why }) => ({ id, why }))]);
    expect(told).toEqual([
      [
        "2026-04-10",
        [
          { id: posted[1], why: ["estimated"] },
          { id: posted[2], why: ["implausible"] },
          { id: posted[3], why: ["unpriced"] },
          { id: posted[4], why: ["unknown cost"] },
          { id: posted[5], why: ["across midnight"] },
        ],
      ],
      ["2026-04-11", [{ id: posted[5], why: ["across midnight"] }]],
    ]);
  });
});

describe("a long export", () => {
  const longText = (rows: number): string =>
    ["day,model,bucket,quantity,amount"]
      .concat(Array.from({ length: rows }, (_, at) => `2026-06-01,model ${at},input,1000,${at + 1}`))
      .join("\n");

  it("is compared whole; its largest differences are listed, largest first, and all are counted", async () => {
    const report = await compared(longText(10_000));
    expect(report.differences_total).toBe(10_000);
    expect(report.differences.map(({ theirs }) => theirs.usd)).toEqual(
      Array.from({ length: 500 }, (_, at) => String(10_000 - at)),
    );
    expect(report.causes_total).toBe(10_000);
    expect(report.causes).toHaveLength(500);
    expect(report.causes[0]?.text).toContain("model 9999");
  });

  it("lets others run while it is compared, so that a signal can end the command", async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await compared(longText(5_000)).finally(() => clearInterval(timer));
    expect(turns).toBeGreaterThan(10);
  });

  it("of too many rows is refused", async () => {
    await expect(compared(longText(250_001))).rejects.toThrow(
      /has 250001 lines, of which at most 250000 are compared/,
    );
  });
});

it("a file for a project or an upstream that is unknown is refused", async () => {
  await expect(compared(csvOf(answers()), { project: "x" })).rejects.toThrow(/no rows of the project "x"/);
  await expect(compared(csvOf(answers()), { upstreams: ["x"] })).rejects.toThrow(/no upstream "x"/);
});
