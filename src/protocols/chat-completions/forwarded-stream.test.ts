import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openFrameScanner, readFrame } from "../../base/sse.ts";
import { asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { encodeUsage } from "./encode-usage.ts";
import { openForwardedStream, type StreamTerms } from "./forwarded-stream.ts";

const ASKED: StreamTerms = { usage: "asked", responses: 1, copiesReasoning: false };
const UNASKED: StreamTerms = { ...ASKED, usage: "unasked" };
const CHARGED = { inputUncached: 5, outputVisible: 3 };

/** The text that a caller reads if the stream is cut into pieces of these sizes. */
function told(terms: StreamTerms, stream: string, sizes: readonly number[] = [stream.length]): string {
  const bytes = Buffer.from(stream);
  const run = openForwardedStream(terms);
  const out: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    out.push(...run.write(bytes.subarray(at, at + size)));
    at += size;
  }
  out.push(...run.end(), ...run.closing(CHARGED));
  return Buffer.concat(out).toString();
}

/** Each frame as an event; what is no JSON as its text. */
function eventsOf(stream: string): readonly unknown[] {
  const events: unknown[] = [];
  const scanner = openFrameScanner({
    frame(buffer, start, end) {
      const { data } = readFrame(buffer.toString("utf8", start, end));
      if (data !== "") events.push(data.startsWith("{") ? JSON.parse(data) : data);
    },
  });
  scanner.write(Buffer.from(stream));
  scanner.end();
  return events;
}

const frame = (data: object | string, close = "\n\n"): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}${close}`;

/** Frames as vendors write them: bare, with fields of the standard around their data, or with it in several lines. */
const FORMS: Readonly<Record<string, (data: object | string, lineEnd: string) => string>> = {
  bare: (data, lineEnd) => frame(data, lineEnd + lineEnd),
  named: (data, lineEnd) => `event: chunk${lineEnd}id: 7${lineEnd}${frame(data, lineEnd + lineEnd)}`,
  numbered: (data, lineEnd) => `${frame(data, lineEnd)}id: 7${lineEnd}retry: 10${lineEnd}${lineEnd}`,
  commented: (data, lineEnd) => `: on its way${lineEnd}${frame(data, lineEnd + lineEnd)}`,
  several: (data, lineEnd) => linesOf(data).join(lineEnd) + lineEnd + lineEnd,
  parted: (data, lineEnd) => linesOf(data).join(`${lineEnd}id: 7${lineEnd}`) + lineEnd + lineEnd,
};
const linesOf = (data: object | string): readonly string[] =>
  (typeof data === "string" ? data : JSON.stringify(data, null, 1))
    .split("\n")
    .map((line) => `data: ${line}`);
const HEAD = { id: "c", object: "chat.completion.chunk", created: 7, model: "m" };
const chunk = (delta: object, more: object = {}, finish: string | null = null, index = 0): object => ({
  ...HEAD,
  choices: [{ index, delta, finish_reason: finish }],
  ...more,
});
const USAGE = { prompt_tokens: 11, completion_tokens: 2, total_tokens: 13 };
const COUNTED = { ...HEAD, choices: [], usage: USAGE };
const ROLE = chunk({ role: "assistant", content: "" });
const DONE = "[DONE]";
const sent = (...frames: readonly (object | string)[]): string => frames.map((each) => frame(each)).join("");

// A vendor's stream: how it opens each choice, what it says, where it counts, how it ends.
const openings = fc.constantFrom<readonly object[]>(
  [{ role: "assistant", content: "" }],
  [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "" } }],
    },
  ],
  [{ role: "assistant", content: "He" }],
  [{ content: "He", role: "assistant" }],
  [{ content: "He" }],
  [{ role: null, content: "He" }],
  [{}],
  [{ content: "" }, { role: "assistant", content: "He" }],
  [{ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "" } }] }],
  [
    { role: "assistant", content: "He" },
    { role: "assistant", content: "y" },
  ],
);
const deltas = fc.constantFrom<object>(
  { content: 'say "usage":{} and "usage":null, "role":"x", {[' },
  { content: "é😀" },
  { role: "assistant", content: "again" },
  { role: "assistant", tool_calls: [{ index: 0, function: { arguments: "" } }] },
  { reasoning: "Hm.\n" },
  { reasoning: "Hm.", reasoning_content: null },
  { reasoning: "Hm.", reasoning_content: "Hm." },
  { reasoning: null, content: "x" },
  { reasoning_content: "Hm." },
  { tool_calls: [{ index: 0, function: { arguments: '{"usage":null}' } }] },
);
const nulls = fc.constantFrom<object>({}, { usage: null }, { usage: null, obfuscation: 'a"}{' });
const counts = fc.constantFrom("none", "alone", "last", "choice", "both", "each");
const vendors = fc
  .record({
    openings: fc.array(openings, { minLength: 1, maxLength: 3 }),
    deltas: fc.array(deltas, { maxLength: 6 }),
    nulls,
    counts,
    done: fc.boolean(),
    before: fc.constantFrom([], [{ ...HEAD, choices: [], prompt_filter_results: [{}] }]),
    comment: fc.boolean(),
    lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
    form: fc.constantFrom(...Object.keys(FORMS)),
  })
  .map((vendor) => ({ ...vendor, stream: written(vendor) }));

interface Vendor {
  readonly openings: readonly (readonly object[])[];
  readonly deltas: readonly object[];
  readonly nulls: object;
  readonly counts: string;
  readonly done: boolean;
  readonly before: readonly object[];
  readonly comment: boolean;
  readonly lineEnd: string;
  readonly form: string;
}

function written({ openings: begun, deltas: said, nulls: empty, counts: where, ...vendor }: Vendor): string {
  const more = where === "each" ? { usage: USAGE } : empty;
  const end = where === "last" || where === "both" || where === "each" ? { usage: USAGE } : empty;
  const frames: object[] = [...vendor.before];
  for (const [index, opening] of begun.entries())
    frames.push(...opening.map((delta) => chunk(delta, more, null, index)));
  for (const delta of said) frames.push(chunk(delta, more));
  begun.forEach((_, index) => {
    const { choices, ...rest } = chunk({}, index === begun.length - 1 ? end : more, "stop", index) as {
      choices: readonly object[];
    };
    const [choice] = choices;
    frames.push({ choices: [where === "choice" ? { ...choice, usage: USAGE } : choice], ...rest });
  });
  if (where === "alone" || where === "both") frames.push(COUNTED);
  const write = (each: object | string): string => FORMS[vendor.form]?.(each, vendor.lineEnd) ?? "";
  const texts = frames.map(write);
  if (vendor.comment) texts.splice(1, 0, ": keep-alive\n\n");
  return texts.join("") + (vendor.done ? write(DONE) : "");
}

/** Everything that a caller puts together of a stream, by choice. */
function joined(events: readonly unknown[]): unknown {
  const choices = new Map<unknown, Record<string, string>>();
  for (const event of events) {
    for (const choice of asObjects(asObject(event)?.["choices"])) {
      const whole = choices.get(choice["index"]) ?? {};
      const delta = asObject(choice["delta"]) ?? {};
      for (const name of ["role", "content", "reasoning", "refusal"])
        whole[name] = (whole[name] ?? "") + asText(delta[name]);
      const calls = asObjects(delta["tool_calls"]).map((call) => JSON.stringify(call));
      whole["calls"] = (whole["calls"] ?? "") + calls.join("");
      whole["finish"] = (whole["finish"] ?? "") + asText(choice["finish_reason"]);
      choices.set(choice["index"], whole);
    }
  }
  return Object.fromEntries(choices);
}

const chunksOf = (events: readonly unknown[]): readonly JsonObject[] => asObjects(events);
const withUsage = (events: readonly unknown[]): readonly JsonObject[] =>
  chunksOf(events).filter(
    (event) => "usage" in event || asObjects(event["choices"]).some((each) => "usage" in each),
  );

describe("a forwarded chat stream", () => {
  const terms = fc.record({
    usage: fc.constantFrom("asked", "unasked", "throughout"),
    copiesReasoning: fc.boolean(),
  }) as fc.Arbitrary<Omit<StreamTerms, "responses">>;

  it("reads the same wherever its bytes are cut", () => {
    fc.assert(
      fc.property(
        vendors,
        terms,
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
        (vendor, asked, sizes) => {
          const each = { ...asked, responses: vendor.openings.length };
          expect(told(each, vendor.stream, sizes)).toBe(told(each, vendor.stream));
        },
      ),
    );
  });

  it("tells every role once and first, and every word, thought and call as its vendor did", () => {
    fc.assert(
      fc.property(vendors, terms, (vendor, asked) => {
        const events = eventsOf(told({ ...asked, responses: vendor.openings.length }, vendor.stream));
        const due = joined(eventsOf(vendor.stream)) as Record<string, Record<string, string>>;
        for (const whole of Object.values(due)) whole["role"] = "assistant";
        expect(joined(events)).toEqual(due);
        vendor.openings.forEach((_, index) => {
          const first = chunksOf(events).find((event) => asObjects(event["choices"])[0]?.["index"] === index);
          const delta = asObject(asObjects(first?.["choices"])[0]?.["delta"]);
          expect([delta?.["role"], delta?.["content"] || ""]).toEqual(["assistant", ""]);
          expect(first).toMatchObject(HEAD);
        });
        if (vendor.before.length > 0) expect(chunksOf(events)[0]).toMatchObject({ choices: [] });
      }),
    );
  });

  it("tells the first chunk's empty text as one where its vendor writes null", () => {
    const first =
      '{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content": null,"refusal":null}}]}';
    expect(told(UNASKED, sent(first, chunk({ content: "Hi" }), DONE))).toBe(
      sent(first.replace(": null", ': ""'), chunk({ content: "Hi" }), DONE),
    );
    const bare = '{"id":"c","choices":[{"index":0,"delta":{"role":"assistant"}}]}';
    expect(eventsOf(told(UNASKED, sent(bare, DONE)))[0]).toMatchObject({
      choices: [{ delta: { role: "assistant", content: "" } }],
    });
    expect(eventsOf(told(UNASKED, sent(bare, DONE)))).toHaveLength(2);
  });

  it("leaves a first chunk alone that has role and call and no text, as its vendor writes it", () => {
    const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } };
    for (const content of [null, "", undefined]) {
      const first = chunk({ role: "assistant", content, tool_calls: [call] });
      const stream = sent(first, chunk({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }), DONE);
      expect(told({ usage: "unasked", responses: 1, copiesReasoning: false }, stream)).toBe(stream);
    }
  });

  it("tells usage exactly once, before the end, to those who asked, and nobody else", () => {
    fc.assert(
      fc.property(vendors, (vendor) => {
        const responses = vendor.openings.length;
        const events = eventsOf(told({ ...ASKED, responses }, vendor.stream));
        expect(events.at(-1)).toBe(DONE);
        expect(events.filter((event) => event === DONE)).toHaveLength(1);
        const charged = vendor.counts === "none" || (vendor.counts === "choice" && responses > 1);
        expect(events.at(-2)).toEqual({ ...COUNTED, usage: charged ? encodeUsage(CHARGED) : USAGE });
        expect(withUsage(events).filter((event) => event["usage"] !== null)).toHaveLength(1);
        const others = eventsOf(told({ ...UNASKED, responses }, vendor.stream));
        expect(withUsage(others)).toEqual([]);
        expect(others.includes(DONE)).toBe(vendor.done);
      }),
    );
  });

  it("tells thoughts under the specified name too", () => {
    fc.assert(
      fc.property(vendors, (vendor) => {
        const each = { ...ASKED, responses: vendor.openings.length, copiesReasoning: true };
        for (const event of chunksOf(eventsOf(told(each, vendor.stream)))) {
          for (const choice of asObjects(event["choices"])) {
            const delta = asObject(choice["delta"]) ?? {};
            if (typeof delta["reasoning"] === "string")
              expect(delta["reasoning_content"]).toBe(delta["reasoning"]);
          }
        }
      }),
    );
  });

  it.each([
    ["asked for usage", ASKED, sent(ROLE, chunk({ content: "Hi" }, { usage: null }), COUNTED, DONE)],
    [
      "did not",
      UNASKED,
      `${sent(ROLE, chunk({ content: "Hi" }))}data: no json\r\n\r\n\n: x\n\n${sent(DONE)}`,
    ],
    ["may stop it anywhere", UNASKED, sent(ROLE, chunk({ content: "Hi" })).slice(0, -9)],
    [
      "wants usage throughout",
      { ...ASKED, usage: "throughout" },
      sent(ROLE, chunk({ content: "H" }, { usage: USAGE }), COUNTED, DONE),
    ],
    ["reads errors", UNASKED, sent(ROLE, { error: { message: "broken" }, usage: USAGE }, DONE)],
    [
      "reads an error with choices",
      UNASKED,
      sent(ROLE, { ...chunk({ content: "" }, { usage: USAGE }), error: { code: 400, message: "broken" } }),
    ],
    [
      "reads an error first",
      UNASKED,
      `event: error\n${sent({ choices: [{ delta: { content: "x" } }], usage: USAGE })}`,
    ],
    [
      "gets nested usage",
      UNASKED,
      sent(ROLE, chunk({}, { x_groq: { usage: USAGE } }), chunk({}, { x: { usage: null } })),
    ],
  ] as const)("changes no byte of what is as specified, for a caller that %s", (_, each, stream) => {
    expect(told(each, stream)).toBe(stream);
  });

  it("passes on, uncopied and in one piece, what is not to be changed", () => {
    const run = openForwardedStream(UNASKED);
    run.write(Buffer.from(sent(ROLE)));
    const bytes = Buffer.from(sent(chunk({ content: "a" }), chunk({ content: "b" })));
    const [piece, ...more] = run.write(bytes);
    expect(more).toEqual([]);
    expect([piece?.buffer, piece?.byteOffset, piece?.length]).toEqual([
      bytes.buffer,
      bytes.byteOffset,
      bytes.length,
    ]);
  });

  it("moves usage out of the last chunk of content by splicing, digits and all", () => {
    const usage = '{"prompt_tokens": 11,"cost":0.10000000000000000001}';
    const last = `data: {"id":"c", "usage": ${usage},"created":7,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n`;
    expect(told(ASKED, sent(ROLE) + last)).toBe(
      `${sent(ROLE)}data: {"id":"c","created":7,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n` +
        `data: {"id":"c","object":"chat.completion.chunk","created":7,"model":"m","choices":[],"usage":${usage}}\n\n${sent(DONE)}`,
    );
  });

  it("ends well what its vendor leaves open", () => {
    const open = sent(ROLE, chunk({ content: "Hi" }, {}, "stop")).trimEnd();
    expect(eventsOf(told(ASKED, open)).slice(-2)).toEqual([
      { ...COUNTED, usage: encodeUsage(CHARGED) },
      DONE,
    ]);
    expect(eventsOf(told(ASKED, sent(ROLE, COUNTED).trimEnd())).slice(1)).toEqual([COUNTED, DONE]);
  });

  it.each([60_000, 300_000, 5_000_000])("moves usage out of a chunk with a text of %i letters", (length) => {
    const content = "y".repeat(length);
    const stream = sent(ROLE, chunk({ content }, { usage: USAGE }, "stop"), DONE);
    const asked = eventsOf(told(ASKED, stream, [100_000]));
    expect(asked.slice(1)).toEqual([chunk({ content }, {}, "stop"), COUNTED, DONE]);
    expect(eventsOf(told(UNASKED, stream, [100_000])).slice(1)).toEqual([
      chunk({ content }, {}, "stop"),
      DONE,
    ]);
  });

  it("lets a frame that is too large to be looked at pass as the answer's beginning", () => {
    const large = sent(chunk({ content: "x".repeat(17_000_000) }));
    const stream = large + sent(chunk({ content: "y" }));
    expect(told(UNASKED, stream, [1_000_000]) === stream).toBe(true);
  });
});
