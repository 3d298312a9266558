import { EventStreamCodec } from "@smithy/eventstream-codec";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../test/support/cases.ts";
import { EventStreamReader } from "./event-stream.ts";
import { MalformedResponse } from "./malformed-response.ts";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text),
);

const value = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => ({ type: "string" as const, value: text })),
  fc.boolean().map((truth) => ({ type: "boolean" as const, value: truth })),
  fc.integer({ min: -128, max: 127 }).map((number) => ({ type: "byte" as const, value: number })),
  fc.integer({ min: -32_768, max: 32_767 }).map((number) => ({ type: "short" as const, value: number })),
  fc.integer().map((number) => ({ type: "integer" as const, value: number })),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => ({ type: "binary" as const, value: bytes })),
  fc.date({ min: new Date(0), max: new Date("2099-01-01"), noInvalidDate: true }).map((date) => ({
    type: "timestamp" as const,
    value: date,
  })),
  fc.uuid().map((uuid) => ({ type: "uuid" as const, value: uuid })),
);

const message = fc.record({
  headers: fc.dictionary(fc.stringMatching(/^[:a-z-]{1,12}$/), value, { maxKeys: 4 }),
  body: fc.uint8Array({ maxLength: 200 }),
});

const MESSAGE = {
  headers: { ":event-type": { type: "string" as const, value: "chunk" } },
  body: Buffer.from("{}"),
};

function encoded(messages: readonly (typeof MESSAGE | { headers: object; body: Uint8Array })[]): Buffer {
  return Buffer.concat(messages.map((each) => Buffer.from(codec.encode(each as typeof MESSAGE))));
}

function readAll(bytes: Buffer, cuts: readonly number[]) {
  const reader = new EventStreamReader();
  const found: { headers: Record<string, string>; body: string }[] = [];
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    for (const { headers, payload } of reader.read(bytes.subarray(start, end)))
      found.push({ headers: Object.fromEntries(headers), body: payload.toString("base64") });
    start = end;
  }
  return { found, isCut: reader.isCut };
}

describe("a stream of events in AWS's framing", () => {
  it("is read as the official encoder wrote it, wherever it is cut", () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (messages, cuts) => {
          const { found, isCut } = readAll(encoded(messages), cuts);
          expect(isCut).toBe(false);
          expect(found).toEqual(
            messages.map(({ headers, body }) => ({
              headers: Object.fromEntries(
                Object.entries(headers).flatMap(([name, each]) =>
                  each.type === "string" ? [[name, each.value]] : [],
                ),
              ),
              body: Buffer.from(body).toString("base64"),
            })),
          );
        },
      ),
      { numRuns: casesOf(500) },
    );
  });

  it("is refused wherever a bit of it is another", () => {
    const whole = encoded([MESSAGE]);
    for (let bit = 0; bit < whole.length * 8; bit += 1) {
      const bytes = Buffer.from(whole);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => readAll(bytes, [])).toThrow(MalformedResponse);
    }
  });

  it.each([1, 11, 12, 20])("is known to be cut behind %i bytes", (bytes) => {
    expect(readAll(encoded([MESSAGE]).subarray(0, bytes), []).isCut).toBe(true);
  });
});
