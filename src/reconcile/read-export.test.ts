import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../test/support/cases.ts";
import { formatDecimal, parseWrittenNumber } from "../base/money.ts";
import { AMOUNT_DECIMALS, ExportFormatError } from "./export-row.ts";
import { readExport } from "./read-export.ts";

const NAMES = { models: ["gpt-5.4"], tools: ["google_maps"] };
const read = (text: string) => readExport(text, NAMES);
const dollars = (text: string) =>
  read(text).rows.map(({ amount = 0n }) => formatDecimal(amount, AMOUNT_DECIMALS));

/** What is said of a file that is refused. */
function refusal(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ExportFormatError) return error.describe("costs.csv");
    throw error;
  }
  return "not refused";
}

const row = (
  changes: Partial<Record<"day" | "bucket" | "quantity" | "amount" | "currency", string>>,
): string => {
  const fields = {
    day: "2026-03-02",
    bucket: "input",
    quantity: "1",
    amount: "1",
    currency: "USD",
    ...changes,
  };
  return `day,bucket,quantity,amount,currency\n${Object.values(fields).join(",")}`;
};

describe("amounts of a CSV export", () => {
  it.each([
    ["0.003", "0.003"],
    ["$12.50", "12.5"],
    ["-3", "-3"],
    ["1e-7", "0.0000001"],
    ['"1,234,567.89"', "1234567.89"],
    ['" 7.5 "', "7.5"],
    ["0.13080438340307526171875", "0.130804383403075"],
  ])("reads %s as %s", (written, amount) => {
    expect(dollars(row({ amount: written }))).toEqual([amount]);
  });

  it.each([
    '"0,003"',
    "abc",
    '"1,23"',
    '"1.234,5"',
    '"12,34,567"',
    '"1234,567"',
    "1.2.3",
    ".5",
    "5.",
    "1 234",
    "(5)",
    "12x",
    "€5",
  ])("refuses %s with its line and column", (amount) => {
    expect(refusal(row({ amount }))).toMatch(/^costs\.csv:2:20: amount: ".*" is no number/);
  });

  const AMOUNT = fc.record({
    whole: fc.bigInt(0n, 10n ** 12n),
    fraction: fc.option(fc.stringMatching(/^\d{1,15}$/), { nil: "" }),
    isNegative: fc.boolean(),
    isGrouped: fc.boolean(),
  });

  it("are read exactly as written, or refused, whatever slip is in them", () => {
    const slip = fc.record({
      at: fc.nat(30),
      removed: fc.nat(2),
      added: fc.stringMatching(/^[0-9,. xe$+'-]{0,2}$/),
    });
    fc.assert(
      fc.property(AMOUNT, fc.option(slip), ({ whole, fraction, isNegative, isGrouped }, mutation) => {
        const digits = isGrouped ? String(whole).replace(/\B(?=(\d{3})+$)/g, ",") : String(whole);
        const strict = `${isNegative ? "-" : ""}${digits}${fraction === "" ? "" : `.${fraction}`}`;
        const { at, removed, added } = mutation ?? { at: 0, removed: 0, added: "" };
        const written = strict.slice(0, at) + added + strict.slice(at + removed);
        fc.pre(written.trim() !== "");
        const text = row({ amount: `"${written}"` });
        const due = amountOf(written.trim());
        if (due === undefined) expect(refusal(text)).toContain("costs.csv:2:20: amount: ");
        else expect(read(text).rows[0]?.amount).toBe(due);
        if (mutation === null) expect(due).toBeDefined();
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  /** A second reading, piece by piece; undefined = it must be refused. */
  function amountOf(written: string): bigint | undefined {
    const isNegative = written.startsWith("-");
    const unsigned = written.replace(/^[+-]/, "").replace(/^\$/, "");
    const [whole = "", ...rest] = unsigned.split(/(?=[.eE])/);
    const groups = whole.split(",");
    const [first = "", ...others] = groups;
    if (!groups.every((group) => /^\d+$/.test(group))) return undefined;
    if (rest.some((part) => /^e[+-]?\d{3}/i.test(part))) return undefined;
    if (others.length > 0) {
      if (first.length > 3 || first.startsWith("0")) return undefined;
      if (others.some((group) => group.length !== 3)) return undefined;
      if (rest.some((part) => /^e/i.test(part))) return undefined;
    }
    try {
      const amount = parseWrittenNumber(groups.join("") + rest.join(""), AMOUNT_DECIMALS + 100) / 10n ** 100n;
      return isNegative ? -amount : amount;
    } catch {
      return undefined;
    }
  }
});

describe("other fields of a CSV export", () => {
  it.each([
    [row({ quantity: "12x" }), '2:18: quantity: "12x" is no number'],
    [row({ quantity: "$5" }), '2:18: quantity: "$5" is no number'],
    [row({ day: "foo" }), '2:1: day: "foo" is no day'],
    [row({ day: "2026-02-30" }), '2:1: day: "2026-02-30" is no day'],
    [row({ day: "03/02/2026" }), '2:1: day: "03/02/2026" can begin with the day or with the month'],
    [row({ bucket: "inputs" }), '2:12: bucket: unknown bucket "inputs"; did you mean "input"?'],
    [row({ bucket: "gigabytes" }), '2:12: bucket: unknown bucket "gigabytes"; known: input, cache_read'],
    [row({ currency: "$" }), '2:22: currency: "$" is no currency'],
    [row({ amount: "", quantity: "" }), "2:1: amount: the row has neither"],
    [row({ amount: "0,003" }), "2:1: the row has 6 fields and the header 5"],
    ['day,amount\n2026-03-02,"1', "2:12: the quote that begins here is never closed"],
    ['day,amount\n2026-03-02,"1"2', "2:15: there is text behind the closing quote"],
    ["day,amount,Amount ($)\n2026-03-02,1,2", '1:12: there are two columns "Amount ($)"'],
    ["day,Cost (Taler)\n2026-03-02,1", '1:5: unknown currency "Taler"'],
  ])("in %j are refused with line and column", (text, message) => {
    expect(refusal(text)).toContain(`costs.csv:${message}`);
  });

  it("are refused together, one line each", () => {
    const text = 'day,note,amount\nfoo,,1\n2026-03-02,"two\r\nlines",x';
    expect(
      refusal(text)
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(["costs.csv:2:1:", "costs.csv:4:8:"]);
  });

  it("name buckets as the gateway or its tools are called", () => {
    const buckets = ["input", "Cache_Read", "web_search", "google_maps", "search"];
    const text = `day,bucket,quantity\n${buckets.map((bucket) => `2026-03-02,${bucket},1`).join("\n")}`;
    expect(read(text).rows.map(({ bucket }) => bucket)).toEqual([
      "input",
      "cache_read",
      "web_search",
      "google_maps",
      "search",
    ]);
  });

  it("that are times with an offset are on the vendor's day", () => {
    const text =
      "SKU description,usage_start_time,cost\nx,2026-03-02 03:00:00 UTC,1\nx,2026-03-02T09:00:00Z,1\nx,2026-03-02 00:00:00,1";
    expect(read(text).rows.map(({ day }) => day)).toEqual(["2026-03-01", "2026-03-02", "2026-03-02"]);
  });

  it("of amounts name their currency in the header", () => {
    expect(read("day,Cost (€)\n2026-03-02,1").rows).toMatchObject([{ currency: "EUR" }]);
  });

  it("of totals and other services are left out and counted", () => {
    const text =
      "day,service description,amount\n2026-03-02,Gemini API,1\n2026-03-02,Compute Engine,2\n,Total,3\nGrand total,,3";
    expect(read(text)).toMatchObject({
      rows: [{ day: "2026-03-02" }],
      leftOut: [
        { reason: expect.stringContaining("totals"), lines: [4, 5] },
        { reason: expect.stringContaining("services"), lines: [3] },
      ],
    });
  });
});

describe("a JSON export", () => {
  const openai = (result: object) =>
    JSON.stringify({ data: [{ object: "bucket", start_time: 1_772_409_600, results: [result] }] });
  const cost = (value: unknown, changes: object = {}) =>
    openai({ object: "organization.costs.result", amount: { value, currency: "usd" }, ...changes });
  const usage = (changes: object) =>
    openai({ object: "organization.usage.completions.result", input_tokens: 5, ...changes });
  const anthropic = (result: object, starting_at = "2026-03-02T00:00:00Z") =>
    JSON.stringify({ data: [{ starting_at, results: [result] }] });

  it("has amounts exactly as they are written; negative ones are credits", () => {
    expect(dollars(cost("0.060"))).toEqual(["0.06"]);
    expect(dollars(cost(-1e-7))).toEqual(["-0.0000001"]);
    expect(dollars(cost(1).replace('"value":1', '"value":12345678901234.123456789012345'))).toEqual([
      "12345678901234.123456789012345",
    ]);
    expect(dollars(anthropic({ amount: "-123.78912" }))).toEqual(["-1.2378912"]);
  });

  it.each([
    [cost("0,003"), "data[0].results[0].amount.value: must be an amount"],
    [cost(null), "data[0].results[0].amount.value: must be an amount"],
    [cost(1, { amount: null }), "data[0].results[0].amount: must be"],
    [cost(1, { quantity: "5" }), "data[0].results[0].quantity: must be a number"],
    [
      openai({ object: "organization.usage.vector_stores.result", usage_bytes: 1 }),
      "data[0].results[0].object: ",
    ],
    [usage({ input_tokens: "5" }), "data[0].results[0].input_tokens: must be a number, not text"],
    [usage({ output_tokens: -5 }), "data[0].results[0].output_tokens: must be at least 0"],
    [
      usage({ input_cached_tokens: 6 }),
      "data[0].results[0].input_cached_tokens: must be at most input_tokens",
    ],
    [JSON.stringify([JSON.parse(cost(1)), JSON.parse(cost("x"))]), "[1].data[0].results[0].amount.value: "],
    [anthropic({ amount: 5 }), "data[0].results[0].amount: must be an amount as text"],
    [anthropic({ amount: "5x" }), "data[0].results[0].amount: must be an amount as text"],
    [
      anthropic({ uncached_input_tokens: "5", output_tokens: 1 }),
      "data[0].results[0].uncached_input_tokens: must be a number, not text",
    ],
    [anthropic({}), "data[0].results[0].uncached_input_tokens: is required"],
    [anthropic({ amount: "5" }, "2026-02-30T00:00:00Z"), "data[0].starting_at: is no day"],
    [anthropic({ amount: "5" }, "March"), "data[0].starting_at: must be a time in UTC"],
  ])("such as %s is refused with its place and path", (text, message) => {
    expect(refusal(text)).toMatch(/^costs\.csv:1:\d+: /);
    expect(refusal(text)).toContain(`: ${message}`);
  });

  it("is refused with the line on which each value stands, or where it should", () => {
    const page = {
      data: [
        { starting_at: "2026-03-02T00:00:00Z", results: [{ amount: "1" }, { amount: "0,1" }] },
        { starting_at: "March", results: [{ note: '"}, [', uncached_input_tokens: 5 }] },
      ],
    };
    const text = JSON.stringify(page, null, 2);
    const lineOf = (found: string) => text.slice(0, text.indexOf(found)).split("\n").length;
    expect(
      refusal(text)
        .split("\n")
        .map((line) => line.split(": ", 2).join(": ")),
    ).toEqual([
      `costs.csv:${lineOf('"0,1"')}:21: data[0].results[1].amount`,
      `costs.csv:${lineOf('"March"')}:22: data[1].starting_at`,
      `costs.csv:${lineOf('"note"') - 1}:9: data[1].results[0].output_tokens`,
    ]);
    expect(refusal(`${text.slice(0, -3)},\n}`)).toMatch(/^costs\.csv:\d+:\d+: this isn't valid JSON; /);
  });
});

describe("a file that is no export", () => {
  it.each([
    ["{}", /no `data`/],
    ["[", /valid JSON/],
    ['{"data":[{"x":1}]}', /of no known vendor; expected costs or usage of OpenAI/],
    ['{"data":[],"has_more":true}', /last page/],
    ['{"data":[]}', /no rows/],
    ["a,b\n1,2", /no header/],
    ["day,model\n2026-01-01,m", /neither a column of amounts/],
    ["day,amount\nnever,1", /"never" is no day/],
    ["day,amount\nTotal,1", /no rows/],
  ])("such as %j is named", (text, message) => {
    expect(() => read(text)).toThrow(ExportFormatError);
    expect(() => read(text)).toThrow(message);
  });
});
