import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { MAX_TOKENS_REPORTED, TOKEN_BUCKETS, type TokenUsage } from "../../src/usage/usage.ts";
import { casesOf } from "../support/cases.ts";

/** Raw JSON text, since no JavaScript value writes 1e400 or a bare NaN. */
const HOSTILE = [
  "-1",
  "-0.5",
  "1.5",
  "NaN",
  "Infinity",
  '"NaN"',
  '"12"',
  "1e400",
  "18446744073709551606",
  "9007199254740993",
  "1000000001",
  "true",
  "[]",
  "{}",
];

/** The smallest answer of each protocol, as text, with its input and output counts left open. */
const RESPONSES: Readonly<Record<ChatProtocol, (input: string, output: string) => string>> = {
  "chat-completions": (input, output) =>
    `{"id":"a","choices":[{"index":0,"message":{"content":"hi"},"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":${input},"completion_tokens":${output}}}`,
  responses: (input, output) =>
    `{"type":"response.completed","response":{"id":"r","status":"completed","output":[{}],"usage":{"input_tokens":${input},"output_tokens":${output}}}}`,
  messages: (input, output) =>
    `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"content":[{}],"usage":{"input_tokens":${input},"output_tokens":${output}}}`,
  "generate-content": (input, output) =>
    `{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":${input},"candidatesTokenCount":${output}}}`,
};

describe("hostile usage", () => {
  it.each(Object.keys(RESPONSES) as ChatProtocol[])("counts as missing and is flagged: %s", (name) => {
    for (const value of HOSTILE) {
      for (const facts of bothWays(name, RESPONSES[name](value, "7"))) {
        expect(facts.usage?.tokens.inputUncached, value).toBeUndefined();
        expect(facts.usage?.tokens.outputVisible, value).toBe(7);
        expect(facts.usage?.hostile.length, value).toBeGreaterThan(0);
      }
      for (const facts of bothWays(name, RESPONSES[name]("7", value))) {
        expect(facts.usage?.tokens.inputUncached, value).toBe(7);
        expect(facts.usage?.tokens.outputVisible, value).toBeUndefined();
        expect(facts.usage?.hostile.length, value).toBeGreaterThan(0);
      }
    }
  });

  it.each(Object.keys(RESPONSES) as ChatProtocol[])("leaves an explicit zero a zero: %s", (name) => {
    for (const facts of bothWays(name, RESPONSES[name]("0", "0"))) {
      expect(facts.usage?.tokens).toMatchObject({ inputUncached: 0, outputVisible: 0 });
      expect(facts.usage?.hostile).toEqual([]);
    }
  });

  it.each(Object.keys(RESPONSES) as ChatProtocol[])(
    "states no usage where the answer states none: %s",
    (name) => {
      const silent = RESPONSES[name]("1", "1").replace(/"usage(Metadata)?":\{[^}]*\}/, '"usage$1":null');
      for (const facts of bothWays(name, silent)) expect(facts.usage).toBeUndefined();
    },
  );

  it("does not let cached tokens exceed the input they are part of", () => {
    const cases: [ChatProtocol, string][] = [
      [
        "chat-completions",
        '{"usage":{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":11}}}',
      ],
      [
        "responses",
        '{"usage":{"input_tokens":10,"output_tokens":1,"input_tokens_details":{"cached_tokens":11}}}',
      ],
      [
        "generate-content",
        '{"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":1,"cachedContentTokenCount":11}}',
      ],
    ];
    for (const [name, body] of cases) {
      const { usage } = PROTOCOLS[name].usage.readBytes(Buffer.from(body));
      expect(usage?.tokens).toEqual({ inputUncached: 10, outputVisible: 1 });
      expect(usage?.hostile).toEqual(["cached_tokens"]);
    }
  });

  it("never yields a bucket that is not a whole number within bounds, whatever the fields say", () => {
    const count = fc.oneof(fc.constantFrom(...HOSTILE, "0", "1", "null"), fc.nat(5000).map(String));
    const fields = [
      "prompt_tokens",
      "completion_tokens",
      "total_tokens",
      "input_tokens",
      "output_tokens",
      "cache_read_input_tokens",
      "cache_creation_input_tokens",
      "promptTokenCount",
      "candidatesTokenCount",
      "thoughtsTokenCount",
      "toolUsePromptTokenCount",
      "cachedContentTokenCount",
    ];
    const details = [
      "cached_tokens",
      "cache_write_tokens",
      "reasoning_tokens",
      "thinking_tokens",
      "ephemeral_5m_input_tokens",
      "ephemeral_1h_input_tokens",
    ];
    const objects = [
      "prompt_tokens_details",
      "input_tokens_details",
      "completion_tokens_details",
      "output_tokens_details",
      "cache_creation",
    ];
    const object = (keys: readonly string[]) =>
      fc
        .array(fc.tuple(fc.constantFrom(...keys), count))
        .map((pairs) => pairs.map(([key, value]) => `"${key}":${value}`).join(","));
    const usage = fc
      .tuple(
        object(fields),
        fc.array(fc.tuple(fc.constantFrom(...objects), object(details)), { maxLength: 3 }),
      )
      .map(
        ([flat, nested]) =>
          `{${[flat, ...nested.map(([key, inner]) => `"${key}":{${inner}}`)].filter(Boolean).join(",")}}`,
      );
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(PROTOCOLS) as (keyof typeof PROTOCOLS)[])),
        usage,
        (name, text) => {
          const body = `{"usage":${text},"usageMetadata":${text},"meta":${text}}`;
          const facts = PROTOCOLS[name].usage.readBytes(Buffer.from(body));
          expect(isAudio(facts.usage?.tokens ?? {})).toBe(true);
        },
      ),
      { numRuns: casesOf(3_000) },
    );
  });
});

const CASES = casesOf(50_000);

describe("any bytes", () => {
  const seeds = Object.values(RESPONSES).flatMap((response) => [
    `data: ${response("3", "4")}\n\n`,
    `event: x\r\ndata: ${response("3", "4")}\r\n\r\n`,
    `[${response("3", "4")},\n${response("5", "6")}]`,
    `data: {"error":${response("1", "1")}}\n\ndata: [DONE]\n\n`,
    `{"error":[{"message":null,"code":{}}],"choices":{"0":1},"candidates":[null,{"content":{"parts":"x"}}],"output":[3],"content":[null]}`,
  ]);
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 80 }),
    fc
      .tuple(fc.constantFrom(...seeds), fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 6 }))
      .map(([seed, edits]) => {
        const bytes = new Uint8Array(Buffer.from(seed));
        for (const [at, byte] of edits) bytes[at % bytes.length] = byte;
        return bytes;
      }),
  );

  it(
    `never throws and never reads an unsound count, from ${CASES} broken answers and streams`,
    () => {
      const names = Object.keys(PROTOCOLS) as (keyof typeof PROTOCOLS)[];
      fc.assert(
        fc.property(fc.array(noise, { minLength: 1, maxLength: 3 }), fc.nat(80), (pieces, cut) => {
          for (const name of names) {
            const { usage, decodeError, encodeStreamError } = PROTOCOLS[name];
            const meter = usage.openStream();
            for (const piece of pieces) {
              meter.write(piece.subarray(0, cut));
              meter.write(piece.subarray(cut));
            }
            meter.end();
            const facts = [meter.summary(), ...pieces.map((piece) => usage.readBytes(piece))];
            for (const each of facts) {
              each.outputText();
              if (!isAudio(each.usage?.tokens ?? {})) return false;
            }
            const error = decodeError(400, { "retry-after": "soon" }, pieces[0] ?? new Uint8Array());
            encodeStreamError(error, "id", meter.truncated);
          }
          return true;
        }),
        { numRuns: Math.ceil(CASES / names.length) },
      );
    },
    FUZZ_MS,
  );

  it("survives values of every type in every field that is read", () => {
    const odd = fc.jsonValue({ maxDepth: 4 });
    const keys = [
      "id",
      "usage",
      "choices",
      "delta",
      "message",
      "content",
      "error",
      "output",
      "response",
      "candidates",
      "parts",
      "text",
      "type",
      "data",
      "results",
      "meta",
      "x_groq",
      "usageMetadata",
      "promptFeedback",
      "content_block",
      "status",
      "incomplete_details",
      "details",
      "code",
      "__proto__",
    ];
    const body = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, odd, tie("object"), fc.array(tie("object"), { maxLength: 2 })),
      object: fc.dictionary(fc.constantFrom(...keys), tie("value"), { maxKeys: 5 }),
    })).object;
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(PROTOCOLS) as (keyof typeof PROTOCOLS)[])),
        body,
        (name, value) => {
          const { usage, decodeError } = PROTOCOLS[name];
          const text = JSON.stringify(value);
          usage.readPlain(value).outputText();
          const meter = usage.openStream();
          meter.write(Buffer.from(`data: ${text}\n\n`));
          meter.summary().outputText();
          decodeError(500, {}, Buffer.from(text));
        },
      ),
      { numRuns: casesOf(5_000) },
    );
  });
});

/** No deadline, only an end for a hang: a busy machine takes its time over all cases. */
const FUZZ_MS = 180_000;

/** The facts of one response read plain and as a stream of this one event. */
function bothWays(name: ChatProtocol, text: string) {
  const { usage } = PROTOCOLS[name];
  const meter = usage.openStream();
  meter.write(Buffer.from(`data: ${text}\n\n`));
  meter.end();
  // Plain responses are what the terminal event carries.
  const plain = name === "responses" ? text.replace(/^.*?"response":/, "").slice(0, -1) : text;
  return [usage.readBytes(Buffer.from(plain)), meter.summary()];
}

function isAudio(tokens: TokenUsage): boolean {
  return TOKEN_BUCKETS.every((bucket) => {
    const count = tokens[bucket] ?? 0;
    return Number.isSafeInteger(count) && count >= 0 && count <= 2 * MAX_TOKENS_REPORTED;
  });
}
