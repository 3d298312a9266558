import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { compileWatch } from "../../src/base/json/json-watch.ts";
import type { Outcome } from "../../src/conversation/loss.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { holdPaths, readFeatures } from "../../src/protocols/body-features.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import type { EncodedRequest } from "../../src/protocols/translation.ts";
import { codecOf } from "../support/codec-of.ts";
import { target } from "../support/conversation-arbitraries.ts";

const TEXTS: Record<ChatProtocol, object> = {
  "chat-completions": { messages: [{ role: "user", content: "Hi" }] },
  responses: { input: "Hi" },
  messages: { max_tokens: 16, messages: [{ role: "user", content: "Hi" }] },
  "generate-content": { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};

/** What a vendor bills beside tokens, as callers ask for it. */
const WISHES: Record<ChatProtocol, readonly object[]> = {
  "chat-completions": [
    { web_search_options: {} },
    { search_parameters: { mode: "on" } },
    { enable_search: true },
    { plugins: [{ id: "web" }] },
    { service_tier: "priority" },
    { tools: [{ type: "web_search_preview" }] },
  ],
  responses: [
    { tools: [{ type: "web_search" }] },
    { tools: [{ type: "image_generation" }] },
    { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
    { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] },
    { service_tier: "flex" },
  ],
  messages: [
    { tools: [{ type: "web_search_20250305", name: "web_search" }] },
    { tools: [{ type: "code_execution_20250825", name: "code_execution" }] },
    { speed: "fast" },
    { inference_geo: "us" },
    { service_tier: "priority" },
  ],
  "generate-content": [
    { tools: [{ googleSearch: {} }] },
    { tools: [{ google_maps: {} }] },
    { serviceTier: "priority" },
  ],
};

const CASES = CHAT_PROTOCOLS.flatMap((from) =>
  WISHES[from].map((wish) => ({ from, wish, wished: JSON.stringify(wish) })),
);
const PAIRS = CASES.flatMap((each) =>
  CHAT_PROTOCOLS.filter((to) => to !== each.from).map((to) => ({ ...each, to })),
);

describe("what is billed beside tokens", () => {
  // A request that goes to another protocol pays for none of it, so that none of it may reach the upstream.
  it.each(PAIRS)("is refused or lost on the way from $from to $to: $wished", ({ from, to, wish }) => {
    expect(isBilled(from, wish)).toBe(true);
    const written = translated(from, to, wish);
    if ("refused" in written) return;
    const [field = ""] = Object.keys(wish);
    expect(written.value.losses.map(({ path }) => path.replace(/[[.].*/, ""))).toContain(field);
    expect(isBilled(to, written.value.body as object)).toBe(false);
  });

  // One that stays in its protocol pays, also where it is written anew, as for the state that it carries.
  it.each(CASES)("stays in a request of $from to an upstream of $from: $wished", ({ from, wish }) => {
    const written = translated(from, from, wish);
    if ("refused" in written) throw written.refused;
    expect([written.value.losses, isBilled(from, written.value.body as object)]).toEqual([[], true]);
  });
});

function translated(from: ChatProtocol, to: ChatProtocol, wish: object): Outcome<EncodedRequest> {
  const read = codecOf(from).decodeRequest({ model: "m", ...TEXTS[from], ...wish });
  return "value" in read ? codecOf(to).encodeRequest(read.value, target(to)) : read;
}

function isBilled(protocol: ChatProtocol, fields: object): boolean {
  const { hold } = PROTOCOLS[protocol].forward;
  const scanner = createBodyScan(compileWatch(holdPaths(hold)));
  scanner.write(Buffer.from(JSON.stringify(fields)));
  const { hostedTools, hostedFields, pricedFields } = readFeatures(hold, scanner.end());
  return hostedTools.length + hostedFields.length + pricedFields.length > 0;
}
