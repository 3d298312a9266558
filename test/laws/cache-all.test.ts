import { describe, expect, it } from "vitest";
import type { Quirks } from "../../src/conversation/lower/quirks.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { JsonObject } from "../../src/protocols/json.ts";
import { codecOf } from "../support/codec-of.ts";
import { target } from "../support/conversation-arbitraries.ts";
import { LEAST, saidBefore, TOOL } from "../support/translation-matrix/spoken.ts";

const EPHEMERAL = { type: "ephemeral" };
const CALLERS = CHAT_PROTOCOLS.filter((protocol) => protocol !== "messages");
const EARLIER = saidBefore({
  "chat-completions": {},
  responses: { role: "assistant", content: "So." },
  "generate-content": { text: "So." },
});

describe("a messages upstream caches the conversations of callers who mark nothing", () => {
  it.each(CALLERS)("with tools or earlier turns, and none that is asked once: %s", (caller) => {
    expect(sent(caller, {}).body["cache_control"]).toBeUndefined();
    expect(sent(caller, TOOL[caller]).body["cache_control"]).toEqual(EPHEMERAL);
    expect(sent(caller, EARLIER[caller] ?? {}).body["cache_control"]).toEqual(EPHEMERAL);
    expect(sent(caller, TOOL[caller], { cache: "off" }).body["cache_control"]).toBeUndefined();
  });

  it("but not beside marks of the caller's own, wherever they stand", () => {
    const marked = { type: "text", text: "Long.", cache_control: EPHEMERAL };
    const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
    for (const more of [
      { messages: [{ role: "user", content: [marked] }] },
      {
        messages: [
          { role: "system", content: [marked] },
          { role: "user", content: "x" },
        ],
      },
      { tools: [{ ...TOOL["chat-completions"].tools[0], cache_control: EPHEMERAL }] },
      {
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", tool_calls: [call] },
          { role: "tool", tool_call_id: "c1", content: [marked] },
        ],
      },
    ]) {
      const { body } = sent("chat-completions", { ...TOOL["chat-completions"], ...more });
      expect(body["cache_control"]).toBeUndefined();
      expect(JSON.stringify(body)).toContain('"cache_control"');
    }
  });

  it("or not, a key of the cache is no loss: the gateway keeps the conversation at one place by it", () => {
    const marked = { tools: [{ ...TOOL["chat-completions"].tools[0], cache_control: EPHEMERAL }] };
    for (const caller of ["chat-completions", "responses"] as const) {
      const keyed = { ...TOOL[caller], prompt_cache_key: "k" };
      expect(sent(caller, keyed).losses).toEqual([]);
      expect(sent(caller, keyed, { cache: "off" }).losses).toEqual([]);
      expect(sent(caller, { prompt_cache_key: "k" }).losses).toEqual([]);
    }
    const own = { ...TOOL["chat-completions"], ...marked, prompt_cache_key: "k" };
    expect(sent("chat-completions", own).losses).toEqual([]);
  });

  it("and as callers of its own protocol say it", () => {
    const asked = { ...TOOL.messages, cache_control: { type: "ephemeral", ttl: "1h" } };
    expect(sent("messages", asked).body["cache_control"]).toEqual(asked.cache_control);
    expect(sent("messages", TOOL.messages).body["cache_control"]).toBeUndefined();
    expect(sent("messages", asked, {}, "responses").losses).toEqual(["cache_control"]);
  });
});

describe("a mark on what a tool answered", () => {
  it("stands on the result, never inside of it", () => {
    const { body } = sent("chat-completions", {
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "f" } }] },
        {
          role: "tool",
          tool_call_id: "c1",
          content: [
            { type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } },
            { type: "text", text: "y" },
          ],
        },
      ],
    });
    expect((body["messages"] as readonly JsonObject[]).at(-1)).toEqual({
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "c1",
          content: [
            { type: "text", text: "x" },
            { type: "text", text: "y" },
          ],
          cache_control: { type: "ephemeral", ttl: "1h" },
        },
      ],
    });
  });
});

function sent(
  caller: ChatProtocol,
  more: JsonObject,
  quirks: Quirks = {},
  upstream: ChatProtocol = "messages",
) {
  const asked = codecOf(caller).decodeRequest({ ...LEAST[caller], ...more });
  if ("refused" in asked) throw asked.refused;
  const encoded = codecOf(upstream).encodeRequest(asked.value, target(upstream, { quirks }));
  if ("refused" in encoded) throw encoded.refused;
  return { body: encoded.value.body, losses: encoded.value.losses.map(({ path }) => path) };
}
