import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSeeded } from "./seeded.ts";
import { askOver, CHAT, GENERATE, MESSAGES, RESPONSES } from "./testing/four-protocols.ts";
import { type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";
import { wordsOf } from "./words.ts";

const MINUTE_MS = 60_000;
const text = (tokens: number, seed = 1): string => wordsOf(tokens, createSeeded(seed));

interface Block {
  type: "text";
  text: string;
  cache_control?: { type: "ephemeral"; ttl?: string };
}

const block = (said: string, ttl?: "5m" | "1h"): Block => ({
  type: "text",
  text: said,
  ...(ttl ? { cache_control: { type: "ephemeral", ttl } } : {}),
});

describe("prompt caching", () => {
  let sandbox: StartedSandbox;
  beforeEach(async () => {
    sandbox = await startSandbox();
  });
  afterEach(() => sandbox.close());

  const ask = async (
    system: Block[],
    messages: object[] = [{ role: "user", content: "Hi" }],
    key = "key",
    maxTokens = 50,
  ) => {
    const response = await sandbox.post(
      "/v1/messages",
      { model: "m", max_tokens: maxTokens, system, messages },
      { "x-api-key": key },
    );
    expect(response.status, response.text).toBe(200);
    const { usage, content, stop_reason: stop } = response.json;
    if (maxTokens === 0) expect([content, stop, usage.output_tokens]).toEqual([[], "max_tokens", 0]);
    expect(usage.cache_creation_input_tokens).toBe(
      usage.cache_creation.ephemeral_5m_input_tokens + usage.cache_creation.ephemeral_1h_input_tokens,
    );
    return {
      fresh: usage.input_tokens,
      read: usage.cache_read_input_tokens,
      w5m: usage.cache_creation.ephemeral_5m_input_tokens,
      w1h: usage.cache_creation.ephemeral_1h_input_tokens,
    };
  };
  const advance = (ms: number) => sandbox.post("/_sandbox/clock", { advance_ms: ms });

  it("writes a marked prefix once and reads it after, the rest staying plain input", async () => {
    const system = [block(text(2_000), "5m"), block("and a little more")];
    expect(await ask(system)).toEqual({ fresh: 5, read: 0, w5m: 2_003, w1h: 0 });
    expect(await ask(system)).toEqual({ fresh: 5, read: 2_003, w5m: 0, w1h: 0 });
  });

  it("fills with a request that may write nothing", async () => {
    const system = [block(text(2_000), "5m")];
    expect((await ask(system, undefined, undefined, 0)).w5m).toBe(2_003);
    expect((await ask(system)).read).toBe(2_003);
  });

  it("leaves a prefix below 1,024 tokens uncached without an error", async () => {
    const system = [block(text(1_000), "5m")];
    await ask(system);
    expect(await ask(system)).toEqual({ fresh: 1_004, read: 0, w5m: 0, w1h: 0 });
  });

  it("forgets after the lifetime, which every hit renews", async () => {
    const system = [block(text(1_500), "5m")];
    await ask(system);
    await advance(4 * MINUTE_MS);
    expect((await ask(system)).read).toBe(1_503);
    await advance(4 * MINUTE_MS);
    expect((await ask(system)).read).toBe(1_503);
    await advance(5 * MINUTE_MS);
    expect((await ask(system)).w5m).toBe(1_503);
  });

  it("splits what is written by lifetime, and keeps an hour for an hour", async () => {
    const system = [block(text(1_200), "1h"), block(text(1_200, 2), "5m")];
    expect(await ask(system)).toMatchObject({ w1h: 1_203, w5m: 1_200, read: 0 });
    await advance(59 * MINUTE_MS);
    expect(await ask(system)).toMatchObject({ w1h: 0, w5m: 1_200, read: 1_203 });
  });

  it("is spoilt by any change before the mark, by another key and by another model", async () => {
    const system = [block(text(1_200), "5m")];
    await ask(system);
    expect((await ask([block(`${text(1_200)} so`, "5m")])).read).toBe(0);
    expect((await ask(system, undefined, "other")).read).toBe(0);
    expect((await ask(system)).read).toBe(1_203);
  });

  it("grows with a conversation, reading the older prefix and writing only what is new", async () => {
    const turn = (said: string, ttl?: "5m") => ({ role: "user", content: [block(said, ttl)] });
    await ask([], [turn(text(1_100), "5m")]);
    const longer = [turn(text(1_100)), { role: "assistant", content: "Yes" }, turn(text(300, 3), "5m")];
    expect(await ask([], longer)).toMatchObject({ read: 1_103, w5m: 301, fresh: 0 });
  });

  it("is refused with more than four marks, unknown lifetimes or the hour after the five minutes", async () => {
    const refused = async (system: unknown) => {
      const body = { model: "m", max_tokens: 5, system, messages: [{ role: "user", content: "Hi" }] };
      const response = await sandbox.post("/v1/messages", body);
      expect(response.status).toBe(400);
      return response.json.error.message;
    };
    expect(await refused(Array.from({ length: 5 }, () => block("x", "5m")))).toMatch(
      /maximum of 4 blocks.*Found 5/,
    );
    expect(await refused([{ ...block("x"), cache_control: { type: "ephemeral", ttl: "2h" } }])).toMatch(
      /Input should be '5m' or '1h'/,
    );
    expect(await refused([block("x", "5m"), block("y", "1h")])).toMatch(/must not come after/);
  });

  it("is automatic elsewhere, from 1,024 tokens in steps of 128, in each vendor's own field", async () => {
    for (const protocol of [CHAT, RESPONSES, GENERATE]) {
      const system = text(1_500, 9);
      const first = await askOver(sandbox, protocol, { system, user: "one" });
      const second = await askOver(sandbox, protocol, { system, user: "two", stream: true });
      expect(first.usage).toMatchObject({ inputUncached: 1_504, cacheRead: 0 });
      expect(second.usage).toMatchObject({ inputUncached: 1_504 - 1_408, cacheRead: 1_408 });
      expect((await askOver(sandbox, protocol, { system: text(900), user: "x" })).usage.cacheRead).toBe(0);
    }
    const unmarked = await askOver(sandbox, MESSAGES, { system: text(1_500, 9), user: "one" });
    expect(unmarked.usage).toMatchObject({ inputUncached: 1_504, cacheRead: 0 });
  });
});
