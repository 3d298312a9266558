import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completed, endOf, order } from "../../../test/support/billing.ts";
import { callerOf } from "../../../test/support/money/exchange.ts";
import { ByteWriter } from "../../base/byte-writer.ts";
import type { Outcome } from "../billing.ts";
import { ledgersOf } from "../leases/ledger-ref.ts";
import { chargeOf } from "../pricing/charge.ts";
import { encodeBegin, encodeEnd, recordOf, textOf, unframe, writeFramed } from "./journal-record.ts";

describe("a line", () => {
  it("comes back as it was written, and not at all when a byte of it changed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(), fc.nat(255), (text, at, byte) => {
        const json = JSON.stringify({ text });
        const writer = new ByteWriter();
        writeFramed(writer, "end", recordOf(json));
        const bytes = writer.view(0, writer.length - 1);
        expect(unframe(bytes.toString())).toEqual({ kind: "end", json });
        const changed = at % bytes.length;
        if (bytes[changed] === byte) return;
        bytes[changed] = byte;
        expect(unframe(bytes.toString())).not.toEqual({ kind: "end", json });
      }),
    );
  });

  it("is checked as a whole, also in a room that grows under it", () => {
    const caller = callerOf(3, true);
    const record = encodeBegin(7, 1, order(caller, 5n, "é"), ledgersOf(caller, 0));
    for (const each of [record, encodeBegin(8, 1, order(caller, 5n, "é"), ledgersOf(caller, 0))]) {
      const writer = new ByteWriter(1);
      writeFramed(writer, "begin", each);
      const [text = "", rest] = writer.view().toString().split("\n");
      expect([unframe(text), rest]).toEqual([{ kind: "begin", json: textOf(each) }, ""]);
    }
  });

  it("is one line of JSON with whole amounts, whatever text is in it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
        (text, amount) => {
          const caller = callerOf(3, true);
          const request = { ...order(caller, amount, text), model: text };
          const records = [
            encodeBegin(7, 1, request, ledgersOf(caller, 0)),
            encodeEnd(
              8,
              2,
              7,
              amount,
              endOf({ ...completed(1), raw: { text }, upstreamModel: text }, amount),
            ),
          ];
          const [begin = "", end = ""] = records.map(textOf);
          for (const record of [begin, end]) {
            expect(record).not.toContain("\n");
            // What PostgreSQL's jsonb does not take.
            expect(record.replaceAll("\\\\", "")).not.toMatch(/\\u0000|\\ud[89a-f]/i);
          }
          expect(JSON.parse(begin)).toMatchObject({ n: 7, account: "3", key: "103", hold: String(amount) });
          expect(JSON.parse(end)).toMatchObject({ n: 8, begin: 7, charge: String(amount) });
        },
      ),
    );
  });

  it("has the fields, their order and the checksum that earlier programs have written and read", () => {
    const caller = callerOf(31, true);
    const rates = { input: 3_000_000_000n, output: 15_000_000_000n, cacheRead: 300_000_000n };
    const price = { priceId: 12n, rates, factorPpm: 1_000_000n };
    const request = { ...order(caller, 48_123_007n, "req_1"), model: "text-1", price, streamed: true };
    const outcome: Outcome = {
      ...completed(0),
      usage: { inputUncached: 812, cacheRead: 2_048, outputVisible: 184 },
      place: { credential: "main", reason: "affinity" },
      upstream: "one",
      upstreamModel: null,
      firstByteMs: 1.25,
      totalMs: 3_811.5,
      losses: ["seed"],
      raw: { input_tokens: 812, "a\u0000": 1.5 },
    };
    const end = {
      ...endOf(outcome, 48_123_008n),
      writtenOffNanos: 3n,
      charge: chargeOf(price, { usage: { inputUncached: 5, audioInput: 2 } }),
    };
    const writer = new ByteWriter();
    writeFramed(writer, "begin", encodeBegin(14, 1_795_801_904_995, request, ledgersOf(caller, 0)));
    writeFramed(writer, "end", encodeEnd(15, 1_795_801_905_095, 14, 48_123_007n, end));
    expect(writer.view().toString().split("\n")).toEqual([
      'b e5b87068 {"model":"text-1","price":"12","rates":{"input":"3000000000","output":"15000000000","cacheRead":"300000000"},"factor":"1000000","n":14,"at":1795801904995,"request":"req_1","account":"31","key":"131","endpoint":"messages","streamed":true,"hold":"48123007","ledgers":["account:31","limit:131:total:1970-01-01"]}',
      'e fcfc5289 {"n":15,"at":1795801905095,"begin":14,"charge":"48123008","reason":"completed","status":200,"usage":{"inputUncached":812,"cacheRead":2048,"outputVisible":184},"estimated":false,"upstream":"one","upstream_model":null,"credential":"main","chosen":"affinity","attempts":1,"first_byte_ms":1,"total_ms":3812,"hold":"48123008","written_off":"3","losses":["seed"],"charged":{"unpriced":["audio_input"],"lines":[{"bucket":"inputUncached","tokens":5,"rate":"3000000000"},{"bucket":"audioInput","tokens":2,"rate":"3000000000"}]},"raw":{"input_tokens":812,"a�":1.5}}',
      "",
    ]);
  });

  it("keeps a usage object of a plausible size and only the size of others", () => {
    const raw = (length: number): unknown =>
      JSON.parse(
        textOf(encodeEnd(1, 1, 0, 0n, endOf({ ...completed(1), raw: { x: "x".repeat(length) } }, 0n))),
      ).raw;
    expect(raw(1_000)).toEqual({ x: "x".repeat(1_000) });
    expect(raw(20_000)).toEqual({ omitted_characters: 20_008 });
  });

  it.each([33, 7_900, 200_000])("leaves out a usage object nested %i deep, and is written", (levels) => {
    const raw = JSON.parse("[".repeat(levels) + "]".repeat(levels));
    const record = JSON.parse(textOf(encodeEnd(1, 1, 0, 5n, endOf({ ...completed(1), raw }, 5n))));
    expect(record).toMatchObject({ begin: 0, charge: "5" });
    expect(record).not.toHaveProperty("raw");
  });
});
