import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonFault } from "../../src/base/json/json-fault.ts";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { readFeatures } from "../../src/protocols/body-features.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import { casesOf } from "../support/cases.ts";
import { chargeOfVerdict, verdictOf } from "../support/judged-answer.ts";
import { TEXT_PROTOCOLS, wireForm } from "../support/text-caller.ts";
import { writtenResponse } from "../support/written-response.ts";

/** Says which keys have escapes, and in which places. */
type Ways = readonly number[];

const ways: fc.Arbitrary<Ways> = fc.array(fc.nat(11), { minLength: 7, maxLength: 60 });

/** The same JSON text with some letters of some keys escaped; a text of events is JSON in its lines of data. */
function respelled(json: string, drawn: Ways): string {
  let keys = 0;
  return json.replace(KEY, (whole: string, key: string, colon: string) => {
    const way = drawn[keys % drawn.length] ?? 0;
    keys += 1;
    if (way > 3) return whole;
    const spelled = [...key].map((letter, at) => {
      const code = letter.charCodeAt(0).toString(16).padStart(4, "0");
      return (at + way) % 3 === 0 ? `\\u${way % 2 === 0 ? code : code.toUpperCase()}` : letter;
    });
    return `"${spelled.join("")}"${colon}`;
  });
}

/** None of the texts here looks like one. */
const KEY = /"(\w+)"(\s*:)/g;

const response = fc.record({
  text: fc.constantFrom("", "Hello there."),
  end: fc.constantFrom("stop" as const, "length" as const, "declined" as const, "failed" as const),
  output: fc.constantFrom(undefined, 0, 3),
});

describe.each(TEXT_PROTOCOLS)("what %s sends", (upstream) => {
  it("is judged, charged and passed on the same, however the letters of its keys are escaped", async () => {
    const cases = fc.record({
      response,
      ways,
      streamed: fc.boolean(),
      framing: fc.constantFrom("plain" as const, "events" as const),
      asksUsage: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ response, ways, streamed, framing, asksUsage }) => {
        const told = writtenResponse(upstream, response)[framing];
        const isChat = upstream === "chat-completions" && streamed;
        const fields = isChat && asksUsage ? { stream_options: { include_usage: true } } : {};
        const answer = { client: upstream, upstream, streamed, fields };
        const pieces = (text: string): readonly string[] => text.split(/(?<=\n\n)/);
        const plain = await verdictOf({ ...answer, pieces: pieces(told) });
        const escaped = await verdictOf({ ...answer, pieces: pieces(respelled(told, ways)) });
        const where = respelled(told, ways);
        expect(chargeOfVerdict(escaped), where).toEqual(chargeOfVerdict(plain));
        expect(read(escaped.told), where).toEqual(read(plain.told));
      }),
      { numRuns: casesOf(400) },
    );
  });

  it("is forwarded byte for byte, however the letters of its keys are escaped", async () => {
    if (upstream === "chat-completions") return;
    await fc.assert(
      fc.asyncProperty(response, ways, async (drawn, ways) => {
        if (drawn.text === "" || drawn.end === "failed") return;
        const told = respelled(writtenResponse(upstream, drawn).events, ways);
        const pieces = told.split(/(?<=\n\n)/);
        const verdict = await verdictOf({ client: upstream, upstream, streamed: true, pieces });
        expect(verdict.told).toBe(told);
      }),
      { numRuns: casesOf(100) },
    );
  });
});

/** What each event says, or the whole. Times and ids that the gateway makes are the same in both. */
function read(told: string): unknown {
  const values = told.startsWith("{") ? [told] : told.split(/\n+/).map((line) => line.replace(/^data: /, ""));
  return values.map((each) => (each.startsWith("{") ? withoutTimes(JSON.parse(each)) : each));
}

function withoutTimes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key.startsWith("created") ? 0 : inner)));
}

/** Escapes are longer than what they stand for. */
function withoutOffsets(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (OFFSETS.has(key) ? undefined : inner)));
}

const OFFSETS = new Set(["start", "end", "keyStart", "keyEnd", "commaBefore", "nextKeyStart", "parent"]);

describe.each(TEXT_PROTOCOLS)("a request of %s", (client) => {
  const watch = watchOf(client);
  const { hold } = PROTOCOLS[client].forward;

  function readAs(json: string): object | string {
    try {
      const scanner = createBodyScan(watch);
      scanner.write(Buffer.from(json));
      const scan = scanner.end();
      const found = scan.present.map((path) => [
        path,
        scan.all(path).map(({ name, value }) => [name, value]),
      ]);
      const { vendorTools, ...features } = readFeatures(hold, scan);
      return { found, tools: vendorTools.length, features: withoutOffsets(features) };
    } catch (fault) {
      if (fault instanceof JsonFault) return fault.kind;
      throw fault;
    }
  }

  const body = {
    ...wireForm({ protocol: client, streamed: true, prompt: "Hello" }).body,
    service_tier: "priority",
    serviceTier: "priority",
    max_tokens: 7,
    max_output_tokens: 7,
    generationConfig: { maxOutputTokens: 7, responseModalities: ["TEXT"] },
    tools: [{ type: "web_search" }, { googleSearch: {} }, { type: "function", function: { name: "f" } }],
    stream_options: { include_usage: true },
    previous_response_id: "resp_1",
  };

  it("is read the same, however the letters of its keys are escaped", () => {
    const plain = JSON.stringify(body);
    fc.assert(
      fc.property(ways, (drawn) => {
        expect(readAs(respelled(plain, drawn))).toEqual(readAs(plain));
      }),
      { numRuns: casesOf(300) },
    );
  });

  it("that has a field twice is refused where one of them is escaped", () => {
    for (const field of ["model", "stream"]) {
      const plain = readAs(`{"${field}":"a","${field}":"b"}`);
      fc.assert(
        fc.property(ways, (drawn) => {
          expect(readAs(respelled(`{"${field}":"a","${field}":"b"}`, drawn))).toEqual(plain);
        }),
        { numRuns: casesOf(100) },
      );
    }
  });
});
