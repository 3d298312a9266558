import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../base/json/json-scan.ts";
import type { ChatProtocol } from "../../conversation/protocol-name.ts";
import { CHAT_PROTOCOLS } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { TextRequest } from "../text-request.ts";
import { ConversationKeys } from "./conversation-key.ts";
import { watchOf } from "./watch.ts";

const keys = new ConversationKeys(Buffer.from("a secret"));

interface Asked {
  readonly protocol?: ChatProtocol;
  readonly account?: bigint;
  readonly model?: string;
  /** What the headers name, as the front has read it. */
  readonly session?: string;
  readonly affinity?: "session" | "anchor";
  /** Bytes a chunk; by default the body is one. */
  readonly chunk?: number;
}

/** The key of a request's conversation as text; undefined where it belongs to none. */
function keyOf(body: object | string, asked: Asked = {}): string | undefined {
  const { protocol = "chat-completions", account = 1n, model = "m", session, affinity = "session" } = asked;
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const size = asked.chunk ?? bytes.length;
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const scanner = createBodyScan(watchOf(protocol));
  for (const chunk of chunks) scanner.write(chunk);
  const request = { protocol: PROTOCOLS[protocol], scan: scanner.end(), body: chunks, model, session };
  const of = { ...request, caller: { accountId: account } } as unknown as TextRequest;
  const key = keys.of(of, { affinity } as unknown as Parameters<ConversationKeys["of"]>[1]);
  return key === undefined
    ? undefined
    : JSON.stringify(key, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}

const SYSTEM = "You are terse.";
const FIRST = "Which rivers reach the sea?";

/** A conversation's first turn, and a later one. */
const TURNS: Readonly<Record<ChatProtocol, (first: string, system: string) => readonly [object, object]>> = {
  "chat-completions"(first, system) {
    const begun = [
      { role: "system", content: system },
      { role: "user", content: [{ type: "text", text: first }] },
    ];
    const more = [
      { role: "assistant", content: "Many." },
      { role: "user", content: "Name one." },
    ];
    return [{ messages: begun }, { messages: [...begun, ...more], temperature: 0 }];
  },
  responses(first, system) {
    const begun = { role: "user", content: first };
    const more = [
      { role: "assistant", content: "Many." },
      { role: "user", content: "Name one." },
    ];
    return [
      { instructions: system, input: [begun] },
      { input: [begun, ...more], instructions: system },
    ];
  },
  messages(first, system) {
    const mark = { cache_control: { type: "ephemeral" } };
    const begun = (marked: object): object => ({
      role: "user",
      content: [{ type: "text", text: first, ...marked }],
    });
    const more = [
      { role: "assistant", content: "Many." },
      { role: "user", content: "Name one." },
    ];
    return [
      { system: [{ type: "text", text: system, ...mark }], messages: [begun(mark)] },
      { messages: [begun({}), ...more], system: [{ type: "text", text: system }] },
    ];
  },
  "generate-content"(first, system) {
    const begun = { role: "user", parts: [{ text: first }] };
    const more = [{ role: "model", parts: [{ text: "Many." }] }, { parts: [{ text: "Name one." }] }];
    const systemInstruction = { parts: [{ text: system }] };
    return [
      { systemInstruction, contents: [begun] },
      { contents: [begun, ...more], systemInstruction },
    ];
  },
};

describe("the conversation that a request belongs to", () => {
  const messages = [{ role: "user", content: FIRST }];
  const claude = "user_0a_account_1b_session_0f2b5a52-aaaa-4bbb-8ccc-0123456789ab";

  it.each<[string, object, Asked, object, Asked]>([
    ["the session that Claude Code names", { metadata: { user_id: claude } }, {}, {}, {}],
    [
      "the same in its newer form",
      { metadata: { user_id: '{"session_id":"0f2b5a52-aaaa-4bbb"}' } },
      {},
      {},
      {},
    ],
    ["the key of the prompt's cache", { prompt_cache_key: "thread-1" }, {}, {}, {}],
    ["the body's session", { session_id: "thread-1" }, {}, {}, {}],
    ["a header's session", {}, { session: "thread-1" }, {}, {}],
    [
      "the cache's key before a session",
      { prompt_cache_key: "k", session_id: "a" },
      {},
      { prompt_cache_key: "k", session_id: "b" },
      {},
    ],
    [
      "the body's session before a header's",
      { session_id: "a" },
      { session: "x" },
      { session_id: "a" },
      { session: "y" },
    ],
  ])("is told by %s, whatever is said in it", (_, name, asked, other, otherAsked) => {
    const named = keyOf({ ...name, messages }, asked);
    const again = Object.keys(other).length > 0 ? other : name;
    const againAsked = Object.keys(otherAsked).length > 0 ? otherAsked : asked;
    const elsewhere = [{ role: "user", content: "Quite another thing" }];
    expect(keyOf({ messages: elsewhere, ...again }, againAsked)).toBe(named);
    expect(keyOf({ messages })).not.toBe(named);
    // The operator may not trust names that clients make anew.
    expect(keyOf({ ...name, messages }, { ...asked, affinity: "anchor" })).toBe(keyOf({ messages }));
  });

  it.each<[string, object]>([
    ["a user's id", { user: "u-1" }],
    ["a user's opaque id", { safety_identifier: "u-1" }],
    ["a user of messages without a session", { metadata: { user_id: "u-1" } }],
    ["no words", { prompt_cache_key: "", session_id: null }],
    ["a number", { session_id: 7 }],
  ])("is not told by %s", (_, name) => {
    expect(keyOf({ ...name, messages })).toBe(keyOf({ messages }));
  });

  it("is never that of another account or model", () => {
    const body = { prompt_cache_key: "thread-1", messages };
    const ways: Asked[] = [{}, { account: 2n }, { model: "n" }];
    expect(new Set(ways.map((asked) => keyOf(body, asked))).size).toBe(3);
    expect(new Set(ways.map((asked) => keyOf({ messages }, asked))).size).toBe(3);
    // Nor is a name the words that would be it.
    expect(keyOf({ session_id: FIRST, messages: [] })).not.toBe(keyOf({ messages }));
  });

  it.each(CHAT_PROTOCOLS)("is told by how it begins, through all its turns: %s", (protocol) => {
    const of = (first: string, system: string): readonly (string | undefined)[] =>
      TURNS[protocol](first, system).map((body) => keyOf(body, { protocol }));
    const [begun, later] = of(FIRST, SYSTEM);
    expect(begun).toBeDefined();
    expect(later).toBe(begun);
    expect(of("Another question", SYSTEM)[0]).not.toBe(begun);
    expect(of(FIRST, "You are verbose.")[0]).not.toBe(begun);
  });

  it.each(CHAT_PROTOCOLS)("is told by a kilobyte of each, however the body was cut: %s", (protocol) => {
    const law = fc.property(
      fc.nat(3_000),
      fc.nat(3_000),
      fc.integer({ min: 1, max: 900 }),
      (system, first, chunk) => {
        const [body] = TURNS[protocol]("f".repeat(first + 1), "s".repeat(system + 1));
        const [longer] = TURNS[protocol]("f".repeat(first + 2), "s".repeat(system + 1));
        const key = keyOf(body, { protocol });
        expect(keyOf(body, { protocol, chunk })).toBe(key);
        expect(keyOf(longer, { protocol }) === key).toBe(first + 1 >= 1_024);
      },
    );
    fc.assert(law, { numRuns: 60 });
  });

  it("is none where nobody has said a word", () => {
    expect(keyOf({ messages: [] })).toBeUndefined();
    expect(
      keyOf({ messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] }] }),
    ).toBeUndefined();
  });
});
